/* The reader of a rank's record of calls: what it gives, keys that do not depend on where files are mapped, copies and tables.
 * Files that are not whole: record_calls_bad_test.c. */
#include "record/calls.h"
#include "record_file.h"
#include "symbols/symbols.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct record_file file;
static char error[256];

static bool open_file(struct record_calls *calls)
{
    return record_file_write(&file, record_file_path(), RECORD_FILE_CALLS) &&
           record_calls_open(record_file_path(), calls, error);
}

TEST(what_it_gives)
{
    struct record_calls calls;

    record_file_fill(&file, 0);
    REQUIRE(open_file(&calls));
    CHECK_EQ_I64(calls.rank, 2);
    CHECK_EQ_I64(calls.ranks, 4);
    CHECK_EQ_U64(calls.count, RECORD_FILE_CALLS);
    CHECK_EQ_U64(calls.left_out, 0);
    CHECK_EQ_U64(calls.stacks, RECORD_FILE_STACKS);
    CHECK_EQ_U64(calls.modules, RECORD_FILE_MODULES);
    CHECK(memcmp(calls.call, file.call, sizeof file.call) == 0);
    CHECK_STR(calls.head->module[0].path, "/nowhere/app");
    record_calls_close(&calls);
    record_calls_close(&calls);
    CHECK_EQ_U64(calls.count, 0);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

TEST(keys_of_places)
{
    struct record_calls calls;

    record_file_fill(&file, 0);
    REQUIRE(open_file(&calls));
    CHECK(record_calls_site_key(&calls, 0) != record_calls_site_key(&calls, 1));
    CHECK(record_calls_stack_key(&calls, 0) != record_calls_stack_key(&calls, 1));
    CHECK_EQ_U64(record_calls_site_key(&calls, 0), record_calls_site_key(&calls, 2)); /* through the MPI's Fortran */
    CHECK(record_calls_stack_key(&calls, 0) != record_calls_stack_key(&calls, 2));    /* which has one frame less */
    CHECK_EQ_U64(record_calls_site_key(&calls, 3), 0);
    CHECK(record_calls_stack_key(&calls, 3) != 0);
    CHECK_EQ_U64(record_calls_site_key(&calls, 4), 0);
    CHECK_EQ_U64(record_calls_stack_key(&calls, UINT32_MAX), 0);
    record_calls_close(&calls);
}

TEST(keys_of_another_run)
{
    struct record_calls here, there;

    record_file_fill(&file, 0);
    REQUIRE(open_file(&here));
    record_file_fill(&file, 0x1234000);
    snprintf(file.head.module[0].path, JOB_RECORD_PATH, "/elsewhere/app");
    REQUIRE(open_file(&there));
    for (uint32_t stack = 0; stack < RECORD_FILE_STACKS; stack++) {
        CHECK_EQ_U64(record_calls_stack_key(&here, stack), record_calls_stack_key(&there, stack));
        CHECK_EQ_U64(record_calls_site_key(&here, stack), record_calls_site_key(&there, stack));
    }
    record_calls_close(&there);
    snprintf(file.head.module[0].path, JOB_RECORD_PATH, "/nowhere/another");
    REQUIRE(open_file(&there));
    CHECK(record_calls_stack_key(&here, 0) != record_calls_stack_key(&there, 0));
    CHECK(record_calls_site_key(&here, 0) != record_calls_site_key(&there, 0));
    record_calls_close(&there);
    record_calls_close(&here);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

TEST(site_in_words)
{
    static const char *const expected[] = {"app+0x1100", "app+0x1200", "app+0x1100", "?", "?"};
    struct symbols *symbols = symbols_open();
    struct record_calls calls;
    char text[64];

    record_file_fill(&file, 0);
    REQUIRE(open_file(&calls));
    for (uint32_t stack = 0; stack < 5; stack++) {
        record_calls_site_text(&calls, symbols, stack, text, sizeof text);
        CHECK_STR(text, expected[stack]);
    }
    record_calls_close(&calls);
    symbols_close(symbols);
}

static char *table_of(const struct record_calls *calls, int64_t zero)
{
    struct symbols *symbols = symbols_open();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    record_calls_write_text(calls, symbols, zero, out);
    fclose(out);
    symbols_close(symbols);
    return text;
}

TEST(table)
{
    struct record_calls calls;
    char *text;

    record_file_fill(&file, 0);
    file.head.calls = RECORD_FILE_CALLS + 3;
    file.head.room = RECORD_FILE_CALLS;
    file.call[3].peer = -2;
    file.call[2].group = 0; /* the world */
    snprintf(file.head.module[0].path, JOB_RECORD_PATH, "/nowhere/a\tb");
    REQUIRE(open_file(&calls));
    CHECK_EQ_U64(calls.left_out, 3);
    text = table_of(&calls, 1000020000);
    CHECK_STR(text, "begin_s\tend_s\tcall\tsite\tcommunicator\tsize\tpeer\tcode\tdeaths\tposted\tthread\n"
                    "-0.000020000\t-0.000019500\tMPI_Init\ta?b+0x1100\t-\t-\t-\t0\t0\t0\t0\n"
                    "-0.000010000\t-0.000009500\tMPI_Send\ta?b+0x1200\tfeed0001\t4\t1\t0\t0\t1\t0\n"
                    "0.000000000\t0.000000500\tMPI_Send\ta?b+0x1100\t0\t4\t1\t0\t0\t2\t0\n"
                    "0.000010000\t0.000010500\tMPI_Send\t?\tfeed0001\t4\t-2\t0\t0\t3\t0\n"
                    "0.000020000\t0.000020500\tMPI_Send\ta?b+0x1100\tfeed0001\t4\t1\t75\t1\t4\t0\n"
                    "0.000030000\t-\tMPI_Send\ta?b+0x1200\tfeed0001\t4\t1\t-\t0\t5\t0\n"
                    "# left out: 3 calls, for which the file had no room\n");
    free(text);
    free(table_of(&calls, INT64_MIN));
    record_calls_close(&calls);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

TEST(compact_copy)
{
    const char *path = record_file_path();
    struct record_calls calls, again;
    struct stat info;
    char copy[128];

    snprintf(copy, sizeof copy, "%s-copy", path);
    record_file_fill(&file, 0);
    file.head.calls = JOB_RECORD_CALLS + 5;
    file.head.room = RECORD_FILE_CALLS;
    file.call[2].begin = 0;
    REQUIRE(record_file_write(&file, path, JOB_RECORD_CALLS));
    REQUIRE(record_calls_open(path, &calls, error));
    REQUIRE(record_calls_write_compact(path, copy));
    REQUIRE(record_calls_open(copy, &again, error));
    CHECK_EQ_U64(again.count, RECORD_FILE_CALLS - 1);
    CHECK_EQ_U64(again.left_out, calls.left_out);
    CHECK_EQ_U64(again.left_out, JOB_RECORD_CALLS + 5 - (RECORD_FILE_CALLS - 1));
    CHECK(memcmp(again.call, calls.call, calls.count * sizeof *calls.call) == 0);
    CHECK_EQ_U64(again.stack_key[1], calls.stack_key[1]);
    CHECK(stat(copy, &info) == 0);
    CHECK_EQ_U64((uint64_t)info.st_size, JOB_RECORD_CALLS_AT + calls.count * sizeof *calls.call);
    CHECK(info.st_blocks * 512 < (64 << 10));
    record_calls_close(&again);
    unlink(copy);
    CHECK(record_calls_write_compact(path, path)); /* onto itself */
    CHECK(record_calls_open(path, &again, error));
    CHECK_EQ_U64(again.count, calls.count);
    record_calls_close(&again);
    record_calls_close(&calls);
}

TEST(copy_that_fails)
{
    const char *path = record_file_path();
    char folder[100], part[128], copy[128];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(copy, sizeof copy, "%s-copy", path);
    unlink(path);
    CHECK(!record_calls_write_compact(path, copy));
    CHECK_EQ_I64(errno, ENOENT);
    record_file_fill(&file, 0);
    file.head.magic++;
    REQUIRE(record_file_write(&file, path, 0));
    CHECK(!record_calls_write_compact(path, copy));
    CHECK_EQ_I64(errno, EINVAL);
    CHECK(access(copy, F_OK) != 0);
    file.head.magic--;
    REQUIRE(record_file_write(&file, path, 0));
    CHECK(!record_calls_write_compact(path, folder)); /* a folder is in its place */
    snprintf(part, sizeof part, "%s.part", folder);
    CHECK(access(part, F_OK) != 0);
    snprintf(part, sizeof part, "%s/none/copy", folder);
    CHECK(!record_calls_write_compact(path, part));
    CHECK_EQ_I64(errno, ENOENT);
}
