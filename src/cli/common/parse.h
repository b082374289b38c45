/* parse.h: values as people type them (durations with a unit, whole numbers, reals) and durations as people read
 * them.
 *
 * A parser returns NULL and sets its output, or it returns the error as the end of a sentence ("needs a unit: ...")
 * and leaves the output alone. The caller adds the option and the value, which these functions do not know. */
#ifndef KNELL_CLI_COMMON_PARSE_H
#define KNELL_CLI_COMMON_PARSE_H

#include <stddef.h>
#include <stdint.h>

#define DURATION_MAX_NS ((int64_t)200 * 365 * 86400 * 1000000000) /* 200 y; int64 ends at 292 y */

/* A decimal number and one of ns us ms s min h d y (365 days), as in 0.1s, 1e-3s, 20y. Not negative, at most 200 y,
 * and not so small that it would round to zero. */
const char *parse_duration(const char *text, int64_t *duration_ns);

/* The same in seconds, without rounding to nanoseconds and without the limit of 200 y (a node's MTBF may be longer). */
const char *parse_seconds(const char *text, double *seconds);

const char *parse_integer(const char *text, int64_t *value);

/* Finite decimal numbers only: no hexadecimal, no nan, no inf. */
const char *parse_real(const char *text, double *value);

/* "10.001 ms", "21.972 s", "20 y": the largest unit in which the number is at least 1, `digits` significant digits. */
enum { DURATION_TEXT = 32 };
const char *format_seconds(double seconds, int digits, char text[DURATION_TEXT]);
const char *format_duration(int64_t duration_ns, char text[DURATION_TEXT]);

#endif
