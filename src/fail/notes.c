/* Diagnostics: their wording's last step, the caret, the nearest known word. Says nothing about what is wrong. */
#include "fail/notes.h"
#include "util/edit_distance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool knell__notes_enough(const struct knell__notes *notes)
{
    return notes->errors >= KNELL_FAIL_NOTES_MAX;
}

static void report(struct knell__notes *notes, enum knell_fail_severity severity, struct knell__fail_at at,
                   const char *text)
{
    struct knell_fail_note note = {severity, at.line, at.column, at.width > 0 ? at.width : 1, text};

    if (notes->reporter && notes->reporter->note)
        notes->reporter->note(notes->reporter->driver, &note);
}

static void add(struct knell__notes *notes, enum knell_fail_severity severity, struct knell__fail_at at,
                const char *format, va_list args)
{
    uint32_t *count = severity == KNELL_FAIL_ERROR ? &notes->errors : &notes->warnings;
    char text[512];

    if (*count >= KNELL_FAIL_NOTES_MAX)
        return;
    vsnprintf(text, sizeof text, format, args);
    report(notes, severity, at, text);
    if (++*count == KNELL_FAIL_NOTES_MAX)
        report(notes, severity, at, "no more of these are shown");
}

void knell__notes_error(struct knell__notes *notes, struct knell__fail_at at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(notes, KNELL_FAIL_ERROR, at, format, args);
    va_end(args);
}

void knell__notes_warn(struct knell__notes *notes, struct knell__fail_at at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(notes, KNELL_FAIL_WARNING, at, format, args);
    va_end(args);
}

/* ---- the nearest word -------------------------------------------------------------------------------------------- */

/* A third of the word may be wrong, one letter at least if there is more than one; `daemon' is Daemon. */
void knell__hint_offer(struct knell__hint *hint, const char *candidate)
{
    size_t length = strlen(candidate);
    unsigned tolerated = length < 2 ? 0 : length < 6 ? 1 : (unsigned)(length / 3);
    unsigned d = knell_edit_distance(hint->word, strlen(hint->word), candidate, length, true);

    if (d <= tolerated && (!hint->best || d < hint->distance)) {
        hint->best = candidate;
        hint->distance = d;
    }
}

const char *knell__hint_text(struct knell__hint *hint)
{
    if (!hint->best)
        return "";
    snprintf(hint->text, sizeof hint->text, ", did you mean '%s'?", hint->best);
    return hint->text;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static const char *line_at(const struct knell_fail_source *source, uint32_t line, size_t *length)
{
    const char *p = source->text, *end = source->text + source->size, *stop;

    for (uint32_t i = 1; i < line; i++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));

        if (!newline) {
            *length = 0;
            return end;
        }
        p = newline + 1;
    }
    stop = memchr(p, '\n', (size_t)(end - p));
    *length = (size_t)((stop ? stop : end) - p);
    if (*length > 0 && p[*length - 1] == '\r')
        --*length;
    return p;
}

struct pen {
    char *buffer;
    size_t size;
    size_t length;
};

static void draw(struct pen *pen, char c)
{
    if (pen->length + 1 < pen->size)
        pen->buffer[pen->length] = c;
    pen->length++;
}

/* Under every byte that begins a character comes one mark; tabs stay tabs so that the columns meet. */
static void draw_caret(struct pen *pen, const char *line, size_t length, const struct knell_fail_note *note)
{
    uint32_t end = note->column + note->width;

    for (uint32_t column = 1; column < end; column++) {
        char c = column <= length ? line[column - 1] : ' ';
        bool inside = ((unsigned char)c & 0xc0) == 0x80;

        if (column > length && column > note->column)
            break;
        if (column < note->column && !inside)
            draw(pen, c == '\t' ? '\t' : ' ');
        if (column >= note->column && (!inside || column == note->column))
            draw(pen, column == note->column ? '^' : '~');
    }
    draw(pen, '\n');
}

/* Control characters would let a scenario write to the terminal of whoever checks it. */
static void draw_line(struct pen *pen, const char *line, size_t length)
{
    draw(pen, ' ');
    draw(pen, ' ');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];

        draw(pen, (c < 0x20 && c != '\t') || c == 0x7f ? '?' : line[i]);
    }
    draw(pen, '\n');
    draw(pen, ' ');
    draw(pen, ' ');
}

enum { WIDEST = 160, BEFORE = 80 };

/* Of a very long line only the part around the place is shown. */
static void draw_place(struct pen *pen, const char *line, size_t length, struct knell_fail_note note)
{
    if (length > WIDEST) {
        size_t skip = note.column > BEFORE ? note.column - BEFORE : 0;

        while (skip > 0 && skip < length && ((unsigned char)line[skip] & 0xc0) == 0x80)
            skip--;
        line += skip;
        length = length - skip < WIDEST ? length - skip : WIDEST;
        note.column -= (uint32_t)skip;
    }
    draw_line(pen, line, length);
    draw_caret(pen, line, length, &note);
}

size_t knell_fail_note_format(const struct knell_fail_source *source, const struct knell_fail_note *note, char *buffer,
                              size_t size)
{
    const char *severity = note->severity == KNELL_FAIL_ERROR ? "error" : "warning";
    struct pen pen = {buffer, size, 0};
    const char *line;
    size_t length;
    int head;

    if (note->line == 0)
        head = snprintf(buffer, size, "%s: %s: %s\n", source->name, severity, note->text);
    else
        head =
            snprintf(buffer, size, "%s:%u:%u: %s: %s\n", source->name, note->line, note->column, severity, note->text);
    pen.length = head > 0 ? (size_t)head : 0;
    if (note->line > 0) {
        line = line_at(source, note->line, &length);
        draw_place(&pen, line, length, *note);
    }
    if (size > 0)
        buffer[pen.length < size ? pen.length : size - 1] = '\0';
    return pen.length;
}
