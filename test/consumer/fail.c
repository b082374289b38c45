/* A tiny driver of the installed FAIL: a scenario is compiled, its process is loaded, its timer kills it. */
#include <knell/fail.h>
#include <stdio.h>
#include <stdlib.h>

static const char text[] = "Daemon D { node 1: onload -> continue, goto 2; node 2: time_g t = 5; t -> halt, goto 1; }\n"
                           "Computer C { program = \"app\" daemon = D; }\n";

int main(void)
{
    const struct knell_fail_source source = {"text", text, sizeof text - 1};
    const struct knell_fail_config config = {.seed = 1};
    const struct knell_fail_event load = {.type = KNELL_FAIL_ONLOAD};
    size_t room = knell_fail_program_room(source.size, 0);
    void *memory = malloc(room), *world_memory = NULL;
    const struct knell_fail_program *program;
    struct knell_fail_world *world;
    struct knell_fail_record record;
    int halts = 0;

    if (!memory || knell_fail_compile(&source, NULL, 0, NULL, memory, room, &program) != 0 ||
        !(world_memory = malloc(knell_fail_world_size(program, &config))) ||
        knell_fail_world_init(world_memory, program, &config, 0, &world) != 0 ||
        knell_fail_step(world, 0, &load, &record) != 1)
        return 1;
    while (knell_fail_step(world, knell_fail_deadline(world), NULL, &record) == 1) {
        for (uint32_t i = 0; i < record.action_count; i++)
            halts += record.actions[i].type == KNELL_FAIL_HALT;
        if (knell_fail_deadline(world) == KNELL_NEVER)
            break;
    }
    printf("%d halt at %lld s\n", halts, (long long)(record.now / 1000000000));
    free(world_memory);
    free(memory);
    return halts != 1;
}
