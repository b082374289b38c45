/* json_scan.c: see json_scan.h. */
#include "record/json_scan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 400 };

bool record_json_fail(struct record_json_scan *s, const char *where, const char *what)
{
    int line = 1, column = 1;

    for (const char *c = s->begin; c < where; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    snprintf(s->error, 128, "line %d, column %d: %s", line, column, what);
    return false;
}

void record_json_skip_space(struct record_json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

bool record_json_next_is(const struct record_json_scan *s, char c)
{
    return s->at < s->end && *s->at == c;
}

bool record_json_take(struct record_json_scan *s, char c)
{
    bool taken = record_json_next_is(s, c);

    s->at += taken;
    return taken;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static char *put_utf8(char *to, uint32_t letter)
{
    if (letter < 0x80) {
        *to++ = (char)letter;
    } else if (letter < 0x800) {
        *to++ = (char)(0xc0 | letter >> 6);
        *to++ = (char)(0x80 | (letter & 0x3f));
    } else if (letter < 0x10000) {
        *to++ = (char)(0xe0 | letter >> 12);
        *to++ = (char)(0x80 | (letter >> 6 & 0x3f));
        *to++ = (char)(0x80 | (letter & 0x3f));
    } else {
        *to++ = (char)(0xf0 | letter >> 18);
        *to++ = (char)(0x80 | (letter >> 12 & 0x3f));
        *to++ = (char)(0x80 | (letter >> 6 & 0x3f));
        *to++ = (char)(0x80 | (letter & 0x3f));
    }
    return to;
}

static bool take_hex(struct record_json_scan *s, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        char c = s->at < s->end ? *s->at : 0;

        if (c >= '0' && c <= '9')
            *unit = *unit << 4 | (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            *unit = *unit << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return record_json_fail(s, s->at, "four hexadecimal digits must follow \\u");
    }
    return true;
}

/* After \u: beyond the first 65,536 letters, a pair of escapes is one letter. */
static bool take_unicode(struct record_json_scan *s, uint32_t *letter)
{
    const char *where = s->at - 2;
    uint32_t low;

    if (!take_hex(s, letter))
        return false;
    if (*letter == 0)
        return record_json_fail(s, where, "a text with \\u0000 cannot be read");
    if (*letter >= 0xdc00 && *letter <= 0xdfff)
        return record_json_fail(s, where, "the second half of a pair of \\u without the first");
    if (*letter < 0xd800 || *letter > 0xdbff)
        return true;
    if (!record_json_take(s, '\\') || !record_json_take(s, 'u'))
        return record_json_fail(s, where, "the first half of a pair of \\u without the second");
    if (!take_hex(s, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return record_json_fail(s, where, "the first half of a pair of \\u without the second");
    *letter = 0x10000 + ((*letter - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool take_escape(struct record_json_scan *s, uint32_t *letter)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = s->at < s->end && *s->at ? strchr(from, *s->at) : NULL;

    if (record_json_take(s, 'u'))
        return take_unicode(s, letter);
    if (!found)
        return record_json_fail(s, s->at - 1, "no such escape");
    *letter = (uint32_t)to[found - from];
    s->at++;
    return true;
}

/* After the first quotation mark: the bytes up to the last one, which is the most that the text can need. */
static size_t raw_length(const struct record_json_scan *s)
{
    const char *c = s->at;

    while (c < s->end && *c != '"')
        c += *c == '\\' && c + 1 < s->end ? 2 : 1;
    return (size_t)(c - s->at);
}

bool record_json_take_text(struct record_json_scan *s, const char **text)
{
    const char *where = s->at++;
    char *to = record_json_allocate(s->json, raw_length(s) + 1);

    *text = to;
    if (!to)
        return record_json_fail(s, where, "out of memory");
    while (!record_json_take(s, '"')) {
        uint32_t letter = 0;

        if (s->at >= s->end)
            return record_json_fail(s, where, "this text does not end");
        if ((unsigned char)*s->at < 0x20)
            return record_json_fail(s, s->at, "a control character inside a text");
        if (!record_json_take(s, '\\'))
            *to++ = *s->at++;
        else if (take_escape(s, &letter))
            to = put_utf8(to, letter);
        else
            return false;
    }
    *to = 0;
    return true;
}

/* ---- numbers and words ------------------------------------------------------------------------------------------- */

static bool take_digits(struct record_json_scan *s)
{
    const char *first = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first || record_json_fail(s, s->at, "a digit must follow");
}

/* Its form; is_integer: without fraction and exponent. */
static bool pass_number(struct record_json_scan *s, bool *is_integer)
{
    *is_integer = true;
    record_json_take(s, '-');
    if (record_json_take(s, '0')) {
        if (s->at < s->end && *s->at >= '0' && *s->at <= '9')
            return record_json_fail(s, s->at, "a number must not begin with 0");
    } else if (!take_digits(s)) {
        return false;
    }
    if (record_json_take(s, '.')) {
        *is_integer = false;
        if (!take_digits(s))
            return false;
    }
    if (record_json_take(s, 'e') || record_json_take(s, 'E')) {
        *is_integer = false;
        if (!record_json_take(s, '+'))
            record_json_take(s, '-');
        return take_digits(s);
    }
    return true;
}

static bool take_number(struct record_json_scan *s, struct record_json_value *value)
{
    const char *where = s->at;
    char digits[NUMBER_MAX + 1];
    bool is_integer;
    size_t length;

    if (!pass_number(s, &is_integer))
        return false;
    length = (size_t)(s->at - where);
    if (length > NUMBER_MAX)
        return record_json_fail(s, where, "a number of more than 400 characters");
    memcpy(digits, where, length);
    digits[length] = 0;
    errno = 0;
    value->type = RECORD_JSON_INTEGER;
    value->as.integer = is_integer ? strtoll(digits, NULL, 10) : 0;
    if (is_integer && errno == 0)
        return true;
    value->type = RECORD_JSON_REAL;
    value->as.real = strtod(digits, NULL);
    return isfinite(value->as.real) || record_json_fail(s, where, "this number is too large");
}

static bool take_word(struct record_json_scan *s, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

bool record_json_take_scalar(struct record_json_scan *s, struct record_json_value *value)
{
    const char *where = s->at;

    if (s->at >= s->end)
        return record_json_fail(s, where, "a value is missing");
    if (*s->at == '"') {
        value->type = RECORD_JSON_TEXT;
        return record_json_take_text(s, &value->as.text);
    }
    if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
        return take_number(s, value);
    value->as.boolean = take_word(s, "true");
    value->type = value->as.boolean || take_word(s, "false") ? RECORD_JSON_BOOL : RECORD_JSON_NULL;
    return value->type == RECORD_JSON_BOOL || take_word(s, "null") ||
           record_json_fail(s, where, "a value must be here");
}
