/* The reader of a rank's record of calls on files that are no records, cut off, torn or hostile: it refuses them in a line, or gives what
 * is there. */
#include "record/calls.h"
#include "record_file.h"
#include "symbols/symbols.h"
#include "test.h"
#include "util/prng.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct record_file file;
static char error[256];

static bool write_file(size_t room)
{
    return record_file_write(&file, record_file_path(), room);
}

static bool open_file(struct record_calls *calls)
{
    return write_file(RECORD_FILE_CALLS) && record_calls_open(record_file_path(), calls, error);
}

static void expect_error(const char *expected)
{
    const char *path = record_file_path();
    struct record_calls calls;

    CHECK(!record_calls_open(record_file_path(), &calls, error));
    CHECK(strncmp(error, path, strlen(path)) == 0);
    CHECK_STR(error + strlen(path), expected);
    CHECK(calls.memory == NULL);
}

TEST(what_is_no_record)
{
    unlink(record_file_path());
    expect_error(": No such file or directory");
    CHECK(mkfifo(record_file_path(), 0600) == 0); /* nobody writes: it must not be waited for */
    expect_error(": is no file");
    unlink(record_file_path());
    record_file_fill(&file, 0);
    file.head.magic = 0; /* the rank ended before it had one */
    REQUIRE(write_file(0));
    expect_error(": is no record of calls");
    for (int i = 0; i < 3; i++) {
        static const int wrong[][2] = {{-1, 4}, {4, 4}, {0, 0}};

        record_file_fill(&file, 0);
        file.head.rank = wrong[i][0];
        file.head.ranks = wrong[i][1];
        REQUIRE(write_file(0));
        CHECK(!record_calls_open(record_file_path(), &(struct record_calls){0}, error));
        CHECK(strstr(error, "which cannot be") != NULL);
    }
}

/* All that a reader does with a record. */
static void use(const struct record_calls *calls, struct symbols *symbols)
{
    char text[64];
    FILE *out = fopen("/dev/null", "w");

    for (size_t i = 0; i < calls->count; i++) {
        CHECK(calls->call[i].begin > 0 && (calls->call[i].end == 0 || calls->call[i].end >= calls->call[i].begin));
        CHECK((record_calls_stack_key(calls, calls->call[i].stack) != 0) == (calls->call[i].stack < calls->stacks));
    }
    for (uint32_t i = 0; i < calls->modules; i++)
        CHECK(memchr(calls->head->module[i].path, 0, JOB_RECORD_PATH) != NULL);
    record_calls_site_text(calls, symbols, 0, text, sizeof text);
    record_calls_write_text(calls, symbols, 0, out);
    fclose(out);
}

static void cut_off_at(size_t size)
{
    struct record_calls calls;
    size_t whole = size < JOB_RECORD_CALLS_AT ? 0 : (size - JOB_RECORD_CALLS_AT) / sizeof *file.call;

    test_context("%zu bytes", size);
    if (!CHECK(truncate(record_file_path(), (off_t)size) == 0))
        return;
    if (size < sizeof file.head) {
        CHECK(!record_calls_open(record_file_path(), &calls, error));
        CHECK(strstr(error, size < sizeof file.head.magic ? "is no record of calls" : "is cut off after") != NULL);
        return;
    }
    REQUIRE(record_calls_open(record_file_path(), &calls, error));
    CHECK_EQ_U64(calls.count, whole);
    CHECK_EQ_U64(calls.left_out, RECORD_FILE_CALLS - whole);
    record_calls_close(&calls);
}

/* Every length, but inside the arrays of the head, where all lengths are one. */
TEST(cut_off)
{
    size_t whole = JOB_RECORD_CALLS_AT + sizeof file.call, arrays = offsetof(struct job_record_head, module);

    record_file_fill(&file, 0);
    REQUIRE(write_file(RECORD_FILE_CALLS));
    for (size_t size = whole; size > JOB_RECORD_CALLS_AT - 8; size--)
        cut_off_at(size);
    for (size_t size = sizeof file.head + 8; size > sizeof file.head - 8; size--)
        cut_off_at(size);
    for (size_t size = sizeof file.head - 8; size > arrays + 4099; size -= 4099)
        cut_off_at(size);
    for (size_t size = arrays + 8; size-- > 0;)
        cut_off_at(size);
}

TEST(numbers_that_lead_outside)
{
    struct symbols *symbols = symbols_open();
    struct record_calls calls;

    record_file_fill(&file, 0);
    file.head.calls = UINT64_MAX;
    file.head.room = UINT64_MAX;
    file.head.modules = UINT32_MAX;
    file.head.stacks = UINT32_MAX;
    file.head.stack[0].frames = UINT32_MAX;
    file.head.module[0].build_id_size = UINT32_MAX;
    memset(file.head.module[1].path, 'x', JOB_RECORD_PATH);
    file.call[0].stack = UINT32_MAX;
    file.call[1].call = UINT16_MAX;
    file.call[2].begin = -5;
    file.call[3].end = 1;
    REQUIRE(open_file(&calls));
    CHECK_EQ_U64(calls.count, RECORD_FILE_CALLS - 1);
    CHECK_EQ_U64(calls.left_out, UINT64_MAX - (RECORD_FILE_CALLS - 1));
    CHECK_EQ_U64(calls.stacks, JOB_RECORD_STACKS);
    CHECK_EQ_U64(calls.modules, JOB_RECORD_MODULES);
    CHECK_EQ_U64(calls.head->stack[0].frames, JOB_RECORD_FRAMES);
    CHECK_EQ_U64(calls.head->module[0].build_id_size, 0);
    CHECK_EQ_I64(calls.call[2].end, calls.call[2].begin);
    use(&calls, symbols);
    record_calls_close(&calls);
    symbols_close(symbols);
}

/* What is not complete is not shown: a stack or a module that the rank was about to add when it was killed. */
TEST(torn)
{
    struct record_calls calls;

    record_file_fill(&file, 0);
    file.head.stacks = 1;
    file.head.modules = 1;
    REQUIRE(open_file(&calls));
    CHECK_EQ_U64(calls.head->stack[1].frames, 0);
    CHECK_STR(calls.head->module[1].path, "");
    CHECK_EQ_U64(record_calls_stack_key(&calls, 1), 0);
    record_calls_close(&calls);
}

/* A call that was about to be written when the rank was killed is none; one before others is missed. */
TEST(calls_that_are_not_complete)
{
    struct record_calls calls;

    record_file_fill(&file, 0);
    file.call[4].begin = 0;
    file.call[5].begin = 0;
    REQUIRE(open_file(&calls));
    CHECK_EQ_U64(calls.count, 4);
    CHECK_EQ_U64(calls.left_out, 0);
    record_calls_close(&calls);
    file.call[1].begin = 0;
    REQUIRE(open_file(&calls));
    CHECK_EQ_U64(calls.count, 3);
    CHECK_EQ_U64(calls.left_out, 1);
    CHECK_EQ_U64(calls.call[1].posted, 2);
    record_calls_close(&calls);
}

static void scatter(struct knell_prng *g, uint8_t *bytes, size_t size)
{
    for (uint64_t n = 1 + knell_prng_below(g, 24); n > 0; n--)
        bytes[knell_prng_below(g, size)] = (uint8_t)knell_prng_next(g);
}

/* Random bytes where they count: the numbers of the head, the modules and stacks in use, the calls; and anywhere. */
TEST(random_bytes)
{
    struct symbols *symbols = symbols_open();
    struct knell_prng g;
    int opened = 0;

    knell_prng_seed(&g, 1);
    for (int i = 0; i < 400; i++) {
        struct record_calls calls;

        test_context("run %d", i);
        record_file_fill(&file, 0);
        if (i % 2)
            scatter(&g, (uint8_t *)&file.head + 16, offsetof(struct job_record_head, module) - 16);
        scatter(&g, (uint8_t *)file.head.module, 3 * sizeof *file.head.module);
        scatter(&g, (uint8_t *)file.head.stack, 4 * sizeof *file.head.stack);
        scatter(&g, (uint8_t *)file.call, sizeof file.call);
        scatter(&g, (uint8_t *)&file + 16, sizeof file - 16);
        if (!open_file(&calls))
            continue;
        opened++;
        use(&calls, symbols);
        record_calls_close(&calls);
    }
    CHECK(opened == 400); /* rank and magic are what they were */
    symbols_close(symbols);
}
