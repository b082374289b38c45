#include "cli/common/json.h"
#include "cli/sim/options.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    FILE *f;
    char *text;
    size_t size;
};

static void open_memory(struct memory *m, struct json *j)
{
    m->f = open_memstream(&m->text, &m->size);
    json_begin(j, m->f);
}

static void check_memory(struct memory *m, const char *expected)
{
    fclose(m->f);
    CHECK_STR(m->text, expected);
    free(m->text);
}

TEST(a_document)
{
    struct memory m;
    struct json j;

    open_memory(&m, &j);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, -4);
    sim_json_put_stat(&j, "first_s", &(struct knell_stat){1.5, 0.25, 2, 1});
    json_key(&j, "list");
    json_array(&j);
    json_unsigned(&j, UINT64_MAX);
    json_bool(&j, true);
    json_null(&j);
    json_object(&j);
    json_close(&j);
    json_array(&j);
    json_close(&j);
    json_close(&j);
    json_key(&j, "text");
    json_string(&j, "a \"b\" \\ \n\t\001 \xc3\xa9");
    json_close(&j);
    check_memory(&m, "{\n  \"nodes\": -4,\n"
                     "  \"first_s\": {\"mean\": 1.5, \"ci95\": 0.25, \"max\": 2, \"min\": 1},\n"
                     "  \"list\": [18446744073709551615, true, null, {}, []],\n"
                     "  \"text\": \"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xc3\xa9\"\n}\n");
}

TEST(an_empty_document)
{
    struct memory m;
    struct json j;

    open_memory(&m, &j);
    json_array(&j);
    json_close(&j);
    check_memory(&m, "[]\n");
}

TEST(numbers_json_does_not_have)
{
    struct memory m;
    struct json j;

    open_memory(&m, &j);
    json_array(&j);
    json_real(&j, NAN);
    json_real(&j, -INFINITY);
    json_close(&j);
    check_memory(&m, "[\n  null,\n  null\n]\n");
}

TEST(reals_are_short_and_read_back)
{
    static const double values[] = {0.1,      1e-9, 1 / 3.0, 5e-324, 1.7976931348623157e308, 123456789012345678.0,
                                    21.971614};
    char text[REAL_TEXT];

    CHECK_STR(format_real(0.1, text), "0.1");
    CHECK_STR(format_real(256000, text), "256000");
    CHECK_STR(format_real(1 / 3.0, text), "0.3333333333333333");
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        CHECK(strtod(format_real(values[i], text), NULL) == values[i]);
}

TEST(a_line)
{
    struct memory m;
    struct json j;

    open_memory(&m, &j);
    for (int i = 0; i < 2; i++) {
        json_begin_line(&j, m.f);
        json_object(&j);
        json_put_seconds(&j, "time_s", 1300000000 + i);
        json_put_string(&j, "event", "a \"b\"");
        json_key(&j, "list");
        json_array(&j);
        json_integer(&j, 1);
        json_integer(&j, 2);
        json_close(&j);
        json_put_bool(&j, "last", i == 1);
        json_close(&j);
    }
    check_memory(&m, "{\"time_s\": 1.3, \"event\": \"a \\\"b\\\"\", \"list\": [1, 2], \"last\": false}\n"
                     "{\"time_s\": 1.300000001, \"event\": \"a \\\"b\\\"\", \"list\": [1, 2], \"last\": true}\n");
}
