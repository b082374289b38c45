/* Text to tokens, one at a time. */
#ifndef KNELL_FAIL_LEX_H
#define KNELL_FAIL_LEX_H

#include "fail/arena.h"
#include "fail/notes.h"

/* Words with a meaning of their own. Extensions are marked in docs/use/scenarios.md. The attributes of a place (program,
 * size, ...) are plain names: only their place in the text makes them attributes. */
#define KNELL__FAIL_WORDS(X) \
    X(PARAM, "param")        \
    X(DAEMON, "Daemon")      \
    X(COMPUTER, "Computer")  \
    X(GROUP, "Group")        \
    X(NODE, "node")          \
    X(ALWAYS, "always")      \
    X(INT, "int")            \
    X(TIME_G, "time_g")      \
    X(TIME, "time")          \
    X(ONLOAD, "onload")      \
    X(ONEXIT, "onexit")      \
    X(ONERROR, "onerror")    \
    X(BEFORE, "before")      \
    X(AFTER, "after")        \
    X(INSIDE, "inside")      \
    X(WATCH, "watch")        \
    X(GOTO, "goto")          \
    X(STAY, "stay")          \
    X(HALT, "halt")          \
    X(STOP, "stop")          \
    X(CONTINUE, "continue")  \
    X(SIGNAL, "signal")      \
    X(SLOW, "slow")          \
    X(LOG, "log")            \
    X(CUT, "cut")            \
    X(HEAL, "heal")          \
    X(FLIP, "flip")          \
    X(SENDER, "FAIL_SENDER") \
    X(RANDOM, "FAIL_RANDOM") \
    X(CHANCE, "FAIL_CHANCE") \
    X(EXP, "FAIL_EXP")       \
    X(WEIBULL, "FAIL_WEIBULL")

enum knell__fail_token_type {
    KNELL__FAIL_TOKEN_END,
    KNELL__FAIL_TOKEN_BAD, /* reported already */
    KNELL__FAIL_TOKEN_NAME,
    KNELL__FAIL_TOKEN_NUMBER,
    KNELL__FAIL_TOKEN_TEXT,
    KNELL__FAIL_TOKEN_TVAR,  /* $a.b, text with the dollar */
    KNELL__FAIL_TOKEN_ARROW, /* -> */
    KNELL__FAIL_TOKEN_AND,   /* && */
    KNELL__FAIL_TOKEN_EQ,
    KNELL__FAIL_TOKEN_NE, /* <> or != */
    KNELL__FAIL_TOKEN_LE,
    KNELL__FAIL_TOKEN_GE,
    KNELL__FAIL_TOKEN_MARK, /* one character, in `number` */
#define KNELL__FAIL_WORD_ENUM(id, word) KNELL__FAIL_WORD_##id,
    KNELL__FAIL_WORDS(KNELL__FAIL_WORD_ENUM)
#undef KNELL__FAIL_WORD_ENUM
        KNELL__FAIL_TOKEN_COUNT
};

struct knell__fail_token {
    enum knell__fail_token_type type;
    struct knell__fail_at at;
    const char *text; /* NAME, TEXT, TVAR and words: a copy in the arena */
    int64_t number;
};

struct knell__lexer {
    const char *next;
    const char *end;
    const char *line_start;
    uint32_t line;
    struct knell__arena *arena;
    struct knell__notes *notes;
};

struct knell__fail_token knell__lex(struct knell__lexer *lexer);

/* Within before(, after( and inside(: a run of letters, digits and _ . + - $ @ that names a library or a symbol, and a star behind
 * it for a family; NULL if none. */
const char *knell__lex_symbol(struct knell__lexer *lexer, struct knell__fail_at *at);

/* The word of a keyword token; NULL past the last. */
const char *knell__fail_word(enum knell__fail_token_type type);

#endif
