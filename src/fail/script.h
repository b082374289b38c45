/* Stepping a scenario by hand: lines of text in, what fires out. `knell fail run` and the golden tests are built on
 * it.
 *
 *      load SLOTS | exit SLOTS | error SLOTS          the process there starts, ends with status 0, ends otherwise
 *      before SLOTS FUNCTION [ARGUMENT...]            ... is at the entry of a function, if that is armed
 *      after SLOTS FUNCTION                           ... is at its return
 *      inside SLOTS FUNCTION OPERATION                ... is within it, before this operation
 *      set SLOTS $VARIABLE NUMBER                     ... changes a variable; a watch on it fires
 *      send MESSAGE SLOTS from SLOT                   a message from elsewhere
 *      at TIME | wait TIME | next                     go on to a time, by a time, to the next timer or message
 *      show [SLOTS]                                   node, process, variables, what waits, what is armed
 *
 * SLOTS is P1, G1[3], G1[3..9] or G1[*]; TIME has a unit: 50s, 1.5ms. A # begins a comment. Pure: memory is the
 * caller's. */
#ifndef KNELL_FAIL_SCRIPT_H
#define KNELL_FAIL_SCRIPT_H

#include <knell/fail.h>

struct knell_fail_sink {
    void *driver;
    void (*line)(void *driver, const char *text); /* without a newline */
};

struct knell_fail_script {
    const struct knell_fail_program *program;
    struct knell_fail_world *world;
    struct knell_fail_sink sink;
    bool json;
    knell_time now;
    int64_t *values; /* of the variables of the program: [instance * variables + variable] */
    char why[160];   /* after an error: what is wrong with the line */
};

/* For the variables of all processes. */
size_t knell_fail_script_size(const struct knell_fail_program *program);

/* `read` of the world's config, with the script as its driver. */
bool knell_fail_script_read(void *script, uint32_t instance, uint32_t variable, int64_t *value);

/* Prepares the script; `values` has knell_fail_script_size() bytes, zeroed. The world is set afterwards. */
void knell_fail_script_init(struct knell_fail_script *script, const struct knell_fail_program *program,
                            int64_t *values);

/* One line. 0, or KNELL_EINVAL with the reason in script->why. */
int knell_fail_script_line(struct knell_fail_script *script, const char *line);

/* What is ready at the current time; call it once before the first line. */
void knell_fail_script_settle(struct knell_fail_script *script);

/* "1.5ms", "50s": NULL, or what is wrong with it as the end of a sentence. */
const char *knell_fail_parse_time(const char *text, knell_time *time);

#endif
