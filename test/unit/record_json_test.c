/* The JSON reader: values, escapes, every kind of wrong input with its place, the limit of depth, files. */
#include "record/json.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct record_json *parse(const char *text)
{
    char error[128] = "";
    struct record_json *json = record_json_parse(text, strlen(text), error);

    test_context("%s: %s", text, error);
    CHECK(json != NULL);
    return json;
}

TEST(values)
{
    struct record_json *json =
        parse(" {\"a\": [1, -2.5, 1e3, true, false, null, \"x\"], \"b\": {\"c\": {}}, \"\": []}\n");
    const struct record_json_value *root = record_json_root(json), *a = record_json_get(root, "a");

    CHECK_EQ_U64(record_json_count(root), 3);
    CHECK_EQ_U64(record_json_count(a), 7);
    CHECK_EQ_I64(record_json_integer(record_json_item(a, 0), 7), 1);
    CHECK_EQ_I64(record_json_integer(record_json_item(a, 1), 7), 7);
    CHECK_NEAR(record_json_real(record_json_item(a, 1), 7), -2.5, 0);
    CHECK_NEAR(record_json_real(record_json_item(a, 0), 7), 1, 0);
    CHECK_EQ_I64(record_json_integer(record_json_item(a, 2), 7), 1000);
    CHECK(record_json_bool(record_json_item(a, 3), false));
    CHECK(!record_json_bool(record_json_item(a, 4), true));
    CHECK(record_json_type(record_json_item(a, 5)) == RECORD_JSON_NULL);
    CHECK(record_json_bool(record_json_item(a, 5), true));
    CHECK_STR(record_json_text(record_json_item(a, 6), "?"), "x");
    CHECK(record_json_item(a, 7) == NULL);
    CHECK(record_json_type(record_json_get(record_json_get(root, "b"), "c")) == RECORD_JSON_OBJECT);
    CHECK(record_json_type(record_json_get(root, "")) == RECORD_JSON_ARRAY);
    CHECK_STR(record_json_key(root, 1), "b");
    CHECK(record_json_key(a, 0) == NULL);
    CHECK(record_json_key(root, 3) == NULL);
    record_json_free(json);
}

TEST(what_is_not_there)
{
    struct record_json *json = parse("[\"1\"]");
    const struct record_json_value *text = record_json_item(record_json_root(json), 0);

    CHECK(record_json_root(NULL) == NULL);
    CHECK(record_json_get(NULL, "a") == NULL);
    CHECK(record_json_get(record_json_root(json), "a") == NULL);
    CHECK(record_json_get(text, "a") == NULL);
    CHECK(record_json_item(NULL, 0) == NULL);
    CHECK(record_json_item(text, 0) == NULL);
    CHECK_EQ_U64(record_json_count(NULL), 0);
    CHECK_EQ_I64(record_json_integer(NULL, 7), 7);
    CHECK_EQ_I64(record_json_integer(text, 7), 7);
    CHECK_NEAR(record_json_real(text, 7), 7, 0);
    CHECK(record_json_bool(text, true));
    CHECK_STR(record_json_text(NULL, "none"), "none");
    CHECK_STR(record_json_text(record_json_root(json), "none"), "none");
    record_json_free(json);
    record_json_free(NULL);
}

/* The last of the same name, as Python and browsers have it. */
TEST(same_name_twice)
{
    struct record_json *json = parse("{\"a\": 1, \"a\": 2}");

    CHECK_EQ_I64(record_json_integer(record_json_get(record_json_root(json), "a"), 0), 2);
    record_json_free(json);
}

static const struct {
    const char *text;
    int64_t integer; /* 7: none */
    double real;
} number[] = {
    {"0", 0, 0},
    {"-0", 0, 0},
    {"9223372036854775807", INT64_MAX, 0x1p63},
    {"-9223372036854775808", INT64_MIN, -0x1p63},
    {"9223372036854775808", 7, 0x1p63},
    {"-9223372036854775809", INT64_MIN, -0x1p63}, /* as a real, which is -2^63 */
    {"0.5", 7, 0.5},
    {"2.0", 2, 2},
    {"1E+2", 100, 100},
    {"25e-1", 7, 2.5},
    {"1e-999", 0, 0},
    {"1e300", 7, 1e300},
};

TEST(numbers)
{
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        struct record_json *json = parse(number[i].text);

        CHECK_EQ_I64(record_json_integer(record_json_root(json), 7), number[i].integer);
        CHECK_NEAR(record_json_real(record_json_root(json), 7), number[i].real, 0);
        record_json_free(json);
    }
}

TEST(texts)
{
    static const char *const text[][2] = {
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\udE00x\"", "\xf0\x9f\x98\x80x"},
        {"\"\\uffff\\uD7FF\\ue000\"", "\xef\xbf\xbf\xed\x9f\xbf\xee\x80\x80"},
        {"\"\xc3\xa9\x7f\"", "\xc3\xa9\x7f"},
        {"\"\xff\"", "\xff"}, /* what a program printed need not be UTF-8 */
    };

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct record_json *json = parse(text[i][0]);

        CHECK_STR(record_json_text(record_json_root(json), "none"), text[i][1]);
        record_json_free(json);
    }
}

static const struct {
    const char *text, *error;
} wrong[] = {
    {"", "line 1, column 1: a value is missing"},
    {" \n ", "line 2, column 2: a value is missing"},
    {"{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3, column 7: a colon must be here"},
    {"tru", "line 1, column 1: a value must be here"},
    {"True", "line 1, column 1: a value must be here"},
    {"\xef\xbb\xbf{}", "line 1, column 1: a value must be here"},
    {"nan", "line 1, column 1: a value must be here"},
    {"1 2", "line 1, column 3: the text must end here"},
    {"{}}", "line 1, column 3: the text must end here"},
    {"nullx", "line 1, column 5: the text must end here"},
    {"[1,]", "line 1, column 4: a value must be here"},
    {"[,1]", "line 1, column 2: a value must be here"},
    {"[1 2]", "line 1, column 4: a comma or ] must be here"},
    {"[1}", "line 1, column 3: a comma or ] must be here"},
    {"[1", "line 1, column 3: a comma or ] must be here"},
    {"[", "line 1, column 2: a value is missing"},
    {"{", "line 1, column 2: the name of a member must be here"},
    {"{1: 2}", "line 1, column 2: the name of a member must be here"},
    {"{\"a\": 1,}", "line 1, column 9: the name of a member must be here"},
    {"{\"a\": 1]", "line 1, column 8: a comma or } must be here"},
    {"{\"a\"", "line 1, column 5: a colon must be here"},
    {"{\"a\":", "line 1, column 6: a value is missing"},
    {"{\"a\":}", "line 1, column 6: a value must be here"},
    {"\"a", "line 1, column 1: this text does not end"},
    {"\"a\\", "line 1, column 3: no such escape"},
    {"\"\\", "line 1, column 2: no such escape"},
    {"\"\\\"", "line 1, column 1: this text does not end"},
    {"\"\\x\"", "line 1, column 2: no such escape"},
    {"\"a\nb\"", "line 1, column 3: a control character inside a text"},
    {"\"\\u12G4\"", "line 1, column 6: four hexadecimal digits must follow \\u"},
    {"\"\\u12", "line 1, column 6: four hexadecimal digits must follow \\u"},
    {"\"\\u0000\"", "line 1, column 2: a text with \\u0000 cannot be read"},
    {"\"\\ud800\"", "line 1, column 2: the first half of a pair of \\u without the second"},
    {"\"\\ud800\\n\"", "line 1, column 2: the first half of a pair of \\u without the second"},
    {"\"\\ud800\\u0041\"", "line 1, column 2: the first half of a pair of \\u without the second"},
    {"\"\\ud800\\u00", "line 1, column 12: four hexadecimal digits must follow \\u"},
    {"\"\\udc00\"", "line 1, column 2: the second half of a pair of \\u without the first"},
    {"01", "line 1, column 2: a number must not begin with 0"},
    {"-", "line 1, column 2: a digit must follow"},
    {"+1", "line 1, column 1: a value must be here"},
    {".5", "line 1, column 1: a value must be here"},
    {"1.", "line 1, column 3: a digit must follow"},
    {"1e", "line 1, column 3: a digit must follow"},
    {"1e+", "line 1, column 4: a digit must follow"},
    {"1e999", "line 1, column 1: this number is too large"},
    {"0x10", "line 1, column 2: the text must end here"},
    {"[1] // no", "line 1, column 5: the text must end here"},
    {"'a'", "line 1, column 1: a value must be here"},
};

TEST(wrong_input)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char error[128] = "";
        size_t size = strlen(wrong[i].text);
        char *exact = malloc(size ? size : 1); /* a sanitizer sees a byte too many */

        memcpy(exact, wrong[i].text, size);
        test_context("%s", wrong[i].text);
        CHECK(record_json_parse(exact, size, error) == NULL);
        CHECK_STR(error, wrong[i].error);
        free(exact);
    }
}

TEST(a_zero_byte_ends_nothing)
{
    char error[128];

    CHECK(record_json_parse("1\0", 2, error) == NULL);
    CHECK(record_json_parse("\"a\0\"", 4, error) == NULL);
    CHECK(record_json_parse("\"\\\0\"", 4, error) == NULL);
}

TEST(a_long_number)
{
    char text[500], error[128] = "";
    struct record_json *json;

    memset(text, '1', sizeof text);
    CHECK(record_json_parse(text, sizeof text, error) == NULL);
    CHECK_STR(error, "line 1, column 1: a number of more than 400 characters");
    text[1] = '.';
    json = record_json_parse(text, 400, error);
    CHECK_NEAR(record_json_real(record_json_root(json), 0), 10.0 / 9, 1e-15);
    record_json_free(json);
}

/* `depth` arrays and objects by turns, closed or not. */
static char *nested(int depth, bool closed)
{
    char *text = malloc(8 * (size_t)depth + 1), *end = text;

    for (int i = 0; i < depth; i++)
        end += sprintf(end, i % 2 ? "{\"a\":" : "[");
    end += sprintf(end, "0");
    for (int i = depth; closed && i-- > 0;)
        *end++ = i % 2 ? '}' : ']';
    *end = 0;
    return text;
}

TEST(depth)
{
    char error[128] = "", *most = nested(RECORD_JSON_DEPTH, true), *more = nested(RECORD_JSON_DEPTH + 1, true),
         *open = nested(100000, false);
    struct record_json *json = parse(most);
    const struct record_json_value *value = record_json_root(json);

    for (int i = 0; i < RECORD_JSON_DEPTH; i++)
        value = i % 2 ? record_json_get(value, "a") : record_json_item(value, 0);
    CHECK_EQ_I64(record_json_integer(value, 7), 0);
    CHECK(record_json_parse(more, strlen(more), error) == NULL);
    CHECK_STR(error, "line 1, column 193: more than 64 arrays and objects inside each other");
    CHECK(record_json_parse(open, strlen(open), error) == NULL);
    record_json_free(json);
    free(most);
    free(more);
    free(open);
}

TEST(many_items)
{
    enum { ITEMS = 100000 };
    char *text = malloc(ITEMS * 16 + 2), *end = text;
    struct record_json *json;

    for (int i = 0; i < ITEMS; i++)
        end += sprintf(end, "%c[%d,\"%d\"]", i ? ',' : '[', i, i);
    sprintf(end, "]");
    json = record_json_parse(text, strlen(text), (char[128]){0});
    CHECK_EQ_U64(record_json_count(record_json_root(json)), ITEMS);
    for (int i = 0; i < ITEMS; i += 777) {
        const struct record_json_value *item = record_json_item(record_json_root(json), (size_t)i);

        CHECK_EQ_I64(record_json_integer(record_json_item(item, 0), -1), i);
        CHECK_EQ_I64(atoi(record_json_text(record_json_item(item, 1), "-1")), i);
    }
    record_json_free(json);
    free(text);
}

TEST(files)
{
    char folder[] = "/tmp/knell-json-XXXXXX", path[64], pipe[64], error[256] = "", expected[256];
    struct record_json *json;
    FILE *file;

    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.json", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    CHECK(record_json_read_file(path, error) == NULL);
    snprintf(expected, sizeof expected, "%s: No such file or directory", path);
    CHECK_STR(error, expected);
    file = fopen(path, "w");
    fputs("{\"status\": 3}\n", file);
    fclose(file);
    json = record_json_read_file(path, error);
    CHECK_EQ_I64(record_json_integer(record_json_get(record_json_root(json), "status"), 0), 3);
    record_json_free(json);
    CHECK(truncate(path, 9) == 0);
    CHECK(record_json_read_file(path, error) == NULL);
    snprintf(expected, sizeof expected, "%s: line 1, column 10: a colon must be here", path);
    CHECK_STR(error, expected);
    CHECK(mkfifo(pipe, 0600) == 0); /* nobody writes: it must not be waited for */
    CHECK(record_json_read_file(pipe, error) == NULL);
    CHECK(record_json_read_file(folder, error) == NULL);
    snprintf(expected, sizeof expected, "%s: is no file", folder);
    CHECK_STR(error, expected);
    unlink(pipe);
    unlink(path);
    rmdir(folder);
}
