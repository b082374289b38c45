/* Fuzzing FAIL: any bytes are compiled; what compiles is checked against all effectors, run on events that the rest
 * of the bytes choose, printed and measured. Two ways in:
 *
 *      clang -fsanitize=fuzzer ...             LLVMFuzzerTestOneInput, for hours (KNELL_FUZZER)
 *      test-fail-fuzz SECONDS FILE...          every file, then mutations of the files, the same in every run
 *
 * What must hold: no crash, no sanitizer report, compiling never needs more than knell_fail_program_room(), a step
 * without an event ends, and the log is the same when the same is run again. */
#include "fail/platform.h"
#include "fail/script.h"
#include "util/prng.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 14, INSTANCES = 4096, STEPS = 150 };

static void format_note(void *driver, const struct knell_fail_note *note)
{
    char text[512];

    assert(note->width > 0 && note->text[0]);
    knell_fail_note_format(driver, note, text, sizeof text);
    assert(memchr(text, 0, sizeof text));
}

static bool read_variable(void *driver, uint32_t instance, uint32_t variable, int64_t *value)
{
    (void)driver;
    *value = (int64_t)instance * 7 + variable;
    return instance % 5 != 0;
}

/* Numbers out of the input, and of nothing when it is used up. */
struct source {
    const uint8_t *data;
    size_t size;
    size_t used;
};

static uint32_t pick(struct source *s, uint32_t below)
{
    uint32_t value = s->used < s->size ? s->data[s->used] : (uint32_t)(s->used * 37);

    s->used++;
    return below > 0 ? value % below : 0;
}

static const char *const symbols[] = {NULL, "MPI_Send", "MPI_Comm_rank", "f"};
static const int64_t arguments[] = {0, 7, INT64_MIN};

static bool pick_event(struct source *s, const struct knell_fail_program *p, struct knell_fail_event *event)
{
    uint32_t limits[] = {1,
                         1,
                         1,
                         knell_fail_function_count(p),
                         knell_fail_function_count(p),
                         knell_fail_function_count(p),
                         knell_fail_variable_count(p),
                         knell_fail_message_count(p)};

    event->type = (enum knell_fail_event_type)pick(s, 8);
    event->instance = pick(s, knell_fail_instance_count(p));
    event->sender = pick(s, knell_fail_instance_count(p));
    event->subject = pick(s, limits[event->type]);
    event->count = pick(s, 4);
    event->operation = pick(s, 4);
    event->symbol = symbols[pick(s, sizeof symbols / sizeof *symbols)];
    event->arguments = arguments;
    event->argument_count = pick(s, sizeof arguments / sizeof *arguments + 1);
    return limits[event->type] > 0;
}

static uint64_t digest(uint64_t sum, const struct knell_fail_program *p, const struct knell_fail_record *record)
{
    char text[2048];

    knell_fail_record_text(p, record, text, sizeof text);
    for (const char *c = text; *c; c++)
        sum = (sum ^ (uint8_t)*c) * 0x100000001b3u;
    knell_fail_record_json(p, record, text, sizeof text);
    return sum;
}

static uint64_t drain(struct knell_fail_world *w, const struct knell_fail_program *p, knell_time now, uint64_t sum)
{
    struct knell_fail_record record;
    uint32_t budget = 64 * (64 + knell_fail_instance_count(p)); /* rules_per_instant times instances, and some */

    while (knell_fail_step(w, now, NULL, &record) == 1) {
        sum = digest(sum, p, &record);
        assert(budget-- > 0);
    }
    return sum;
}

/* Some of the calls that may pass, pass. */
static void look_ahead(struct source *s, struct knell_fail_world *w, uint32_t instance)
{
    struct knell_fail_probe probe = {0};
    uint32_t armed = knell_fail_armed(w, instance, &probe, 1),
             idle = armed ? knell_fail_idle(w, instance, probe, 20) : 0;

    assert(idle == 0 || (probe.type >= KNELL_FAIL_BEFORE && probe.type <= KNELL_FAIL_INSIDE));
    assert(armed > 0 || !knell_fail_only_flips(w, instance, (struct knell_fail_probe){KNELL_FAIL_BEFORE, 0}));
    if (idle > 0)
        knell_fail_passed(w, instance, probe, pick(s, idle + 1));
}

static uint64_t run(const struct knell_fail_program *p, const uint8_t *data, size_t size)
{
    struct knell_fail_config config = {.seed = size, .rules_per_instant = 16, .messages = 64, .read = read_variable};
    void *memory = malloc(knell_fail_world_size(p, &config));
    struct source s = {data, size, 0};
    struct knell_fail_world *w;
    struct knell_fail_record record;
    knell_time now = 0;
    uint64_t sum = 0;

    assert(memory && knell_fail_world_init(memory, p, &config, 0, &w) == 0);
    for (int i = 0; i < STEPS; i++) {
        struct knell_fail_event event = {0};
        knell_time next = knell_fail_deadline(w);

        if (pick(&s, 3) == 0 && next != KNELL_NEVER)
            now = next > now ? next : now;
        if (pick_event(&s, p, &event) && knell_fail_step(w, now, &event, &record) == 1)
            sum = digest(sum, p, &record);
        if (knell_fail_stop_inside(w, &event, &event))
            assert(event.operation > 0 && event.type == KNELL_FAIL_INSIDE);
        sum = drain(w, p, now, sum);
        look_ahead(&s, w, event.instance);
    }
    free(memory);
    return sum;
}

static void run_platform(const struct knell_fail_program *p)
{
    struct knell_fail_config config = {.message_delay = 1000000, .rules_per_instant = 16};
    struct knell_platform_config platform;
    struct knell_fail_world *w;
    void *memory, *model;

    if (!knell_platform_defaults(p, &platform) || knell_fail_instance_count(p) > 64)
        return;
    platform.length = 5000000000;
    platform.calls[0] = (struct knell_platform_call){"f", 1000000, 50000000};
    platform.call_count = 1;
    memory = malloc(knell_fail_world_size(p, &config));
    model = malloc(knell_platform_size(p));
    assert(memory && model && knell_fail_world_init(memory, p, &config, 0, &w) == 0);
    knell_platform_run(knell_platform_init(model, p, w, &platform, 0), w, 100000000, NULL);
    free(memory);
    free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct knell_fail_source source = {"fuzz.fail", (const char *)data, size};
    struct knell_fail_reporter reporter = {&source, format_note};
    struct knell_fail_define define = {"X", (int64_t)size};
    const struct knell_fail_program *program;
    size_t room = knell_fail_program_room(size, 1);
    void *memory;
    int result;

    if (size > LARGEST)
        return 0;
    memory = malloc(room);
    assert(memory);
    result = knell_fail_compile(&source, &define, size % 2, &reporter, memory, room, &program);
    assert(result == 0 || result == KNELL_EINVAL);
    if (result == 0 && knell_fail_instance_count(program) > 0 && knell_fail_instance_count(program) <= INSTANCES) {
        for (uint32_t i = 0; knell_fail_effector_at(i); i++)
            knell_fail_require(program, knell_fail_effector_at(i), &reporter);
        assert(run(program, data, size) == run(program, data, size));
        run_platform(program);
    }
    free(memory);
    return 0;
}

#ifndef KNELL_FUZZER

struct corpus {
    uint8_t *texts[256];
    size_t sizes[256];
    uint32_t count;
};

static const char *const tokens[] = {
    "MPI_*",
    "before(MPI_*#",
    "$arg2",
    "Daemon ",
    "Computer ",
    "Group ",
    "node ",
    "always int ",
    "int x = ",
    "time_g t = ",
    "time t = ",
    "param X = 1;",
    "onload -> ",
    "onexit",
    "onerror",
    "before(f)",
    "after(f#2)",
    "inside(f#2, 1)",
    "watch($x)",
    "goto 1",
    "stay",
    "halt",
    "stop",
    "continue",
    "signal(9)",
    "log(\"a\")",
    "cut(",
    "heal(",
    "flip(",
    "FAIL_SENDER",
    "FAIL_RANDOM(",
    "FAIL_CHANCE(1,2)",
    "FAIL_EXP(5)",
    "FAIL_WEIBULL(5,700)",
    "&& ",
    "->",
    ";",
    "{",
    "}",
    "[*]",
    "9223372036854775807",
    "0",
    "-",
    "/",
    "\"",
    "(",
    ")",
};

/* One to eight of: a byte changed, a piece cut out, a piece doubled, a piece of another file, a word of the
 * language. */
static size_t mutate(const struct corpus *c, struct knell_prng *g, uint8_t *text)
{
    uint32_t pickled = (uint32_t)knell_prng_below(g, c->count);
    size_t size = c->sizes[pickled];

    memcpy(text, c->texts[pickled], size);
    for (uint64_t n = 1 + knell_prng_below(g, 8); n > 0; n--) {
        size_t at = knell_prng_below(g, size + 1), length = knell_prng_below(g, size - at + 1) % 64;
        const uint8_t *piece = text + at;

        switch (knell_prng_below(g, 5)) {
        case 0:
            if (at < size)
                text[at] = (uint8_t)knell_prng_next(g);
            continue;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            continue;
        case 2:
            break;
        case 3:
            pickled = (uint32_t)knell_prng_below(g, c->count);
            length = knell_prng_below(g, c->sizes[pickled] + 1) % 200;
            piece = c->texts[pickled] + knell_prng_below(g, c->sizes[pickled] - length + 1);
            break;
        default:
            piece = (const uint8_t *)tokens[knell_prng_below(g, sizeof tokens / sizeof *tokens)];
            length = strlen((const char *)piece);
        }
        if (size + length <= LARGEST) {
            uint8_t copy[256];

            memcpy(copy, piece, length);
            memmove(text + at + length, text + at, size - at);
            memcpy(text + at, copy, length);
            size += length;
        }
    }
    return size;
}

static void load(struct corpus *c, const char *file)
{
    FILE *f = fopen(file, "rb");
    uint8_t *text = malloc(LARGEST);

    if (!f || !text) {
        fprintf(stderr, "%s: cannot be read\n", file);
        exit(2);
    }
    c->texts[c->count] = text;
    c->sizes[c->count++] = fread(text, 1, LARGEST, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    static uint8_t text[LARGEST];
    struct corpus corpus = {.count = 0};
    struct knell_prng g;
    time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
    uint64_t runs = 0;

    for (int i = 2; i < argc && corpus.count < 256; i++)
        load(&corpus, argv[i]);
    if (corpus.count == 0) {
        fprintf(stderr, "usage: %s SECONDS FILE...\n", argv[0]);
        return 2;
    }
    for (uint32_t i = 0; i < corpus.count; i++)
        LLVMFuzzerTestOneInput(corpus.texts[i], corpus.sizes[i]);
    knell_prng_seed(&g, 1);
    for (; runs < 2000 || time(NULL) < end; runs++) {
        size_t size = mutate(&corpus, &g, text);

        LLVMFuzzerTestOneInput(text, size);
    }
    printf("%u files, %llu mutations\n", corpus.count, (unsigned long long)runs);
    for (uint32_t i = 0; i < corpus.count; i++)
        free(corpus.texts[i]);
    return 0;
}

#endif
