/* --log: a line is in the file at once, and in the order of time in the end. */
#include "cli/common/log.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {.command = "knell test"};
static char path[] = "/tmp/knell-log-XXXXXX";

static const char *content(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
    return text;
}

static void write_line(struct log *log, int64_t ms, const char *event)
{
    json_put_integer(log_begin(log, log->zero + ms * 1000000, event), "rank", 3);
    log_end(log);
}

TEST(late_lines_find_their_place)
{
    struct log log;
    int fd = mkstemp(path);

    REQUIRE(fd >= 0);
    close(fd);
    REQUIRE(log_open(&log, &usage, path) == EXIT_OK);
    log.zero = INT64_C(77000000000);
    write_line(&log, 20, "b");
    CHECK_STR(content(), "{\"time_s\": 0.02, \"event\": \"b\", \"rank\": 3}\n");
    write_line(&log, -1500, "a much longer one");
    write_line(&log, 30, "d");
    write_line(&log, 20, "c");
    CHECK_EQ_I64(log_close(&log, &usage), EXIT_OK);
    CHECK_STR(content(), "{\"time_s\": -1.5, \"event\": \"a much longer one\", \"rank\": 3}\n"
                         "{\"time_s\": 0.02, \"event\": \"b\", \"rank\": 3}\n"
                         "{\"time_s\": 0.02, \"event\": \"c\", \"rank\": 3}\n"
                         "{\"time_s\": 0.03, \"event\": \"d\", \"rank\": 3}\n");
    unlink(path);
}

TEST(what_cannot_be_written_is_said)
{
    struct log log;

    CHECK_EQ_I64(log_open(&log, &usage, "/nowhere/log"), EXIT_USAGE);
    CHECK_EQ_I64(log_close(&log, &usage), EXIT_OK);
    if (access("/dev/full", W_OK) != 0)
        return;
    REQUIRE(log_open(&log, &usage, "/dev/full") == EXIT_OK);
    write_line(&log, 1, "a");
    write_line(&log, 0, "b");
    CHECK_EQ_I64(log_close(&log, &usage), EXIT_FAILED);
}
