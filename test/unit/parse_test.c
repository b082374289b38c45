#include "cli/common/parse.h"
#include "test.h"

#include <math.h>

#define SECOND INT64_C(1000000000)

TEST(good_durations)
{
    static const struct {
        const char *text;
        int64_t ns;
    } table[] = {
        {"1ns", 1},
        {"1us", 1000},
        {"1ms", 1000000},
        {"1s", SECOND},
        {"1min", 60 * SECOND},
        {"1h", 3600 * SECOND},
        {"1d", 86400 * SECOND},
        {"1y", 31536000 * SECOND},
        {"0s", 0},
        {"0.1s", SECOND / 10},
        {"1e-3s", 1000000},
        {"1E3us", 1000000},
        {".5ms", 500000},
        {"5.ms", 5000000},
        {"+2s", 2 * SECOND},
        {"0.6ns", 1},
        {"200y", DURATION_MAX_NS},
        {"10.001ms", 10001000},
        {"123456789.123456789s", 123456789123456789},
    };

    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t ns = -1;

        test_context("%s", table[i].text);
        CHECK(parse_duration(table[i].text, &ns) == NULL);
        CHECK_EQ_I64(ns, table[i].ns);
    }
}

TEST(bad_durations)
{
    static const char *const table[] = {
        "",
        "s",
        "1",
        "1 s",
        " 1s",
        "1s ",
        "-1s",
        "-0s",
        "nan",
        "nans",
        "inf",
        "infs",
        "infinity",
        "1e",
        "1e5",
        "1es",
        "0x10s",
        "1S",
        "1m",
        "1sec",
        "1msec",
        "1,5s",
        "1.2.3s",
        "--1s",
        "+-1s",
        "e3s",
        ".s",
        "201y",
        "1e30y",
        "1e400s",
        "1e99999999999999999999s",
        "0.1ns",
        "1e-300s",
        "1\ns",
        "1s1s",
    };

    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t ns = 42;
        const char *wrong = parse_duration(table[i], &ns);

        test_context("'%s'", table[i]);
        CHECK(wrong != NULL);
        CHECK_EQ_I64(ns, 42);
    }
}

TEST(seconds_are_not_rounded_nor_limited_to_200_years)
{
    double s = 0;

    CHECK(parse_seconds("0.1ns", &s) == NULL);
    CHECK_NEAR(s, 1e-10, 1e-25);
    CHECK(parse_seconds("1000y", &s) == NULL);
    CHECK_NEAR(s, 1000 * 31536000.0, 0);
    CHECK(parse_seconds("1us", &s) == NULL);
    CHECK_NEAR(s, 1e-6, 0);
    CHECK(parse_seconds("1e5000s", &s) != NULL);
    CHECK_NEAR(s, 1e-6, 0);
}

TEST(integers)
{
    static const char *const bad[] = {
        "", "-", "x", "1x", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "9223372036854775808"};
    int64_t v = 0;

    CHECK(parse_integer("-12", &v) == NULL);
    CHECK_EQ_I64(v, -12);
    CHECK(parse_integer("9223372036854775807", &v) == NULL);
    CHECK_EQ_I64(v, INT64_MAX);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_context("'%s'", bad[i]);
        CHECK(parse_integer(bad[i], &v) != NULL);
    }
    CHECK_EQ_I64(v, INT64_MAX);
}

TEST(reals)
{
    static const char *const bad[] = {"", "nan", "inf", "1e999", "0x1p3", "1e", "1..", " 1", "1 ", "e1", "."};
    double v = 0;

    CHECK(parse_real("1e-9", &v) == NULL);
    CHECK_NEAR(v, 1e-9, 0);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_context("'%s'", bad[i]);
        CHECK(parse_real(bad[i], &v) != NULL);
    }
    CHECK_NEAR(v, 1e-9, 0);
}

TEST(durations_as_people_read_them)
{
    char text[DURATION_TEXT];

    CHECK_STR(format_duration(10001000, text), "10.001 ms");
    CHECK_STR(format_duration(0, text), "0 s");
    CHECK_STR(format_duration(DURATION_MAX_NS, text), "200 y");
    CHECK_STR(format_seconds(21.9716, 5, text), "21.972 s");
    CHECK_STR(format_seconds(90, 5, text), "1.5 min");
    CHECK_STR(format_seconds(1e-6, 5, text), "1 us");
    CHECK_STR(format_seconds(0.99999999e-6, 5, text), "1 us");
    CHECK_STR(format_seconds(59.9, 5, text), "59.9 s");
}
