/* setup.c: the scenario, and who lives where, as an agent gets it (struct channel_setup). */
#include "cli/leader/leader.h"

#include <stdlib.h>
#include <string.h>

static void write_setup(const struct leader *leader, unsigned number, FILE *out)
{
    const struct scenario *scenario = leader->scenario;
    uint32_t instances = knell_fail_instance_count(scenario->program), defines = 0;
    uint32_t name = (uint32_t)strlen(scenario->source.name) + 1;
    for (size_t i = 0; i < leader->defines->n; i++)
        defines += (uint32_t)strlen(leader->defines->items[i]) + 1;
    struct channel_setup head = {sizeof head + instances + name + defines + scenario->source.size,
                                 leader->seed,
                                 leader->flags,
                                 instances,
                                 name,
                                 defines};
    fwrite(&head, sizeof head, 1, out);
    for (uint32_t i = 0; i < instances; i++)
        fputc(leader->owner[i] == number, out);
    fwrite(scenario->source.name, 1, name, out);
    for (size_t i = 0; i < leader->defines->n; i++)
        fwrite(leader->defines->items[i], 1, strlen(leader->defines->items[i]) + 1, out);
    fwrite(scenario->source.text, 1, scenario->source.size, out);
}

void leader_send_setup(struct leader *leader, unsigned number)
{
    char *bytes = NULL;
    size_t size = 0, piece;
    FILE *out = open_memstream(&bytes, &size);
    if (out)
        write_setup(leader, number, out);
    if (!out || fclose(out) != 0) {
        leader->tell(leader->driver, true, "", "no memory for the scenario");
        return;
    }
    for (size_t at = 0; at < size; at += piece) {
        piece = size - at < CHANNEL_BODY_MAX / 2 ? size - at : CHANNEL_BODY_MAX / 2;
        channel_put(&leader->agent[number].stream, CHANNEL_SETUP, bytes + at, piece, NULL, 0);
    }
    free(bytes);
}
