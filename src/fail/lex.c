/* The lexer. Knows words, numbers, strings and marks, nothing of how they follow each other. */
#include "fail/lex.h"

static const char *const words[] = {
#define WORD_TEXT(id, word) word,
    KNELL__FAIL_WORDS(WORD_TEXT)
#undef WORD_TEXT
};

#define FIRST_WORD ((int)KNELL__FAIL_TOKEN_MARK + 1)

const char *knell__fail_word(enum knell__fail_token_type type)
{
    int i = (int)type - FIRST_WORD;

    return i >= 0 && type < KNELL__FAIL_TOKEN_COUNT ? words[i] : NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const struct knell__lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->next) > ahead ? lexer->next[ahead] : '\0';
}

static struct knell__fail_at here(const struct knell__lexer *lexer)
{
    return (struct knell__fail_at){lexer->line, (uint32_t)(lexer->next - lexer->line_start) + 1, 1};
}

static void skip_line(struct knell__lexer *lexer)
{
    while (lexer->next < lexer->end && *lexer->next != '\n')
        lexer->next++;
}

/* White space and comments. A slash-star is met with advice instead of a heap of errors about its words. */
static void skip_blank(struct knell__lexer *lexer)
{
    while (lexer->next < lexer->end) {
        char c = *lexer->next;

        if (c == '\n') {
            lexer->next++;
            lexer->line++;
            lexer->line_start = lexer->next;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->next++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            struct knell__fail_at at = here(lexer);

            at.width = 2;
            knell__notes_error(lexer->notes, at, "a comment begins with // and ends with the line");
            skip_line(lexer);
        } else {
            return;
        }
    }
}

/* The copy for the tree; a name that is too long is reported and cut. */
static const char *name_copy(struct knell__lexer *lexer, const char *start, struct knell__fail_at *at)
{
    size_t length = (size_t)(lexer->next - start);

    at->width = (uint32_t)length;
    if (length > KNELL_FAIL_NAME_MAX) {
        knell__notes_error(lexer->notes, *at, "a name has at most %d letters", KNELL_FAIL_NAME_MAX);
        length = KNELL_FAIL_NAME_MAX;
    }
    return knell__arena_copy(lexer->arena, start, length);
}

static struct knell__fail_token lex_word(struct knell__lexer *lexer)
{
    struct knell__fail_token token = {.type = KNELL__FAIL_TOKEN_NAME, .at = here(lexer)};
    const char *start = lexer->next;

    while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
        lexer->next++;
    token.text = name_copy(lexer, start, &token.at);
    for (size_t i = 0; token.text && i < sizeof words / sizeof *words; i++) {
        if (strcmp(token.text, words[i]) == 0)
            token.type = (enum knell__fail_token_type)(FIRST_WORD + i);
    }
    return token;
}

static struct knell__fail_token lex_number(struct knell__lexer *lexer)
{
    struct knell__fail_token token = {.type = KNELL__FAIL_TOKEN_NUMBER, .at = here(lexer)};
    const char *start = lexer->next;
    bool overflow = false;

    for (; is_digit(peek(lexer, 0)); lexer->next++) {
        overflow |= __builtin_mul_overflow(token.number, 10, &token.number);
        overflow |= __builtin_add_overflow(token.number, *lexer->next - '0', &token.number);
    }
    token.at.width = (uint32_t)(lexer->next - start);
    if (overflow)
        knell__notes_error(lexer->notes, token.at, "this number does not fit in 64 bits");
    if (overflow)
        token.number = 0;
    if (is_letter(peek(lexer, 0)))
        knell__notes_error(lexer->notes, here(lexer), "a letter right after a number");
    return token;
}

/* $name.member.member */
static struct knell__fail_token lex_variable(struct knell__lexer *lexer)
{
    struct knell__fail_token token = {.type = KNELL__FAIL_TOKEN_TVAR, .at = here(lexer)};
    const char *start = lexer->next;

    do {
        lexer->next++;
        if (!is_letter(peek(lexer, 0))) {
            knell__notes_error(lexer->notes, here(lexer), "a name must follow the '%c'", lexer->next[-1]);
            token.type = KNELL__FAIL_TOKEN_BAD;
            return token;
        }
        while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->next++;
    } while (peek(lexer, 0) == '.');
    token.text = name_copy(lexer, start, &token.at);
    return token;
}

static struct knell__fail_token bad_text(struct knell__lexer *lexer, struct knell__fail_token token, const char *why)
{
    token.at.width = here(lexer).column - token.at.column;
    token.type = KNELL__FAIL_TOKEN_BAD;
    knell__notes_error(lexer->notes, token.at, "%s", why);
    return token;
}

static struct knell__fail_token lex_text(struct knell__lexer *lexer)
{
    struct knell__fail_token token = {.type = KNELL__FAIL_TOKEN_TEXT, .at = here(lexer)};
    char text[KNELL_FAIL_TEXT_MAX + 1];
    size_t length = 0, whole = 0;

    for (lexer->next++; peek(lexer, 0) != '"'; lexer->next++) {
        if (lexer->next == lexer->end || *lexer->next == '\n')
            return bad_text(lexer, token, "this string does not end on its line");
        if (*lexer->next == '\\' && (peek(lexer, 1) == '"' || peek(lexer, 1) == '\\'))
            lexer->next++;
        else if (*lexer->next == '\\')
            knell__notes_error(lexer->notes, here(lexer), "only \\\" and \\\\ are escapes");
        else if ((unsigned char)*lexer->next < 0x20 || *lexer->next == 0x7f)
            knell__notes_error(lexer->notes, here(lexer), "a control character in a string");
        if (length < KNELL_FAIL_TEXT_MAX)
            text[length++] = *lexer->next;
        whole++;
    }
    lexer->next++;
    token.at.width = here(lexer).column - token.at.column;
    if (whole > KNELL_FAIL_TEXT_MAX)
        knell__notes_error(lexer->notes, token.at, "a string has at most %d bytes", KNELL_FAIL_TEXT_MAX);
    token.text = knell__arena_copy(lexer->arena, text, length);
    return token;
}

static const struct {
    char text[3];
    enum knell__fail_token_type type;
} pairs[] = {
    {"->", KNELL__FAIL_TOKEN_ARROW}, {"&&", KNELL__FAIL_TOKEN_AND}, {"==", KNELL__FAIL_TOKEN_EQ},
    {"<>", KNELL__FAIL_TOKEN_NE},    {"!=", KNELL__FAIL_TOKEN_NE},  {"<=", KNELL__FAIL_TOKEN_LE},
    {">=", KNELL__FAIL_TOKEN_GE},
};

static struct knell__fail_token lex_mark(struct knell__lexer *lexer)
{
    struct knell__fail_token token = {.type = KNELL__FAIL_TOKEN_MARK, .at = here(lexer)};
    unsigned char c = (unsigned char)*lexer->next;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (peek(lexer, 0) == pairs[i].text[0] && peek(lexer, 1) == pairs[i].text[1]) {
            lexer->next += 2;
            token.type = pairs[i].type;
            token.at.width = 2;
            return token;
        }
    }
    token.number = c;
    lexer->next++;
    if (c != 0 && strchr("{}()[];,:?!=<>+-*/%#", c))
        return token;
    while (((unsigned char)peek(lexer, 0) & 0xc0) == 0x80 &&
           lexer->next < lexer->end) /* the rest of a UTF-8 character */
        lexer->next++;
    token.at.width = here(lexer).column - token.at.column;
    token.type = KNELL__FAIL_TOKEN_BAD;
    if (c > 0x20 && c < 0x7f)
        knell__notes_error(lexer->notes, token.at, "'%c' has no meaning here", c);
    else
        knell__notes_error(lexer->notes, token.at, "this character has no meaning here");
    return token;
}

struct knell__fail_token knell__lex(struct knell__lexer *lexer)
{
    skip_blank(lexer);
    if (lexer->next == lexer->end)
        return (struct knell__fail_token){.type = KNELL__FAIL_TOKEN_END, .at = here(lexer)};
    if (is_letter(*lexer->next))
        return lex_word(lexer);
    if (is_digit(*lexer->next))
        return lex_number(lexer);
    if (*lexer->next == '$')
        return lex_variable(lexer);
    if (*lexer->next == '"')
        return lex_text(lexer);
    return lex_mark(lexer);
}

const char *knell__lex_symbol(struct knell__lexer *lexer, struct knell__fail_at *at)
{
    const char *start;

    skip_blank(lexer);
    start = lexer->next;
    *at = here(lexer);
    while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)) || (peek(lexer, 0) && strchr(".+-$@", peek(lexer, 0))))
        lexer->next++;
    if (lexer->next > start && peek(lexer, 0) == '*') /* a family */
        lexer->next++;
    return lexer->next > start ? name_copy(lexer, start, at) : NULL;
}
