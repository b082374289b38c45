/* The runner of test.h: runs the registered tests in the order of the file, one line per failed check, status 1 if
 * any. */
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct test_case *first, **last = &first;
static unsigned failed_checks;
static char context[256];

void test_register(struct test_case *t)
{
    *last = t;
    last = &t->next;
}

void test_context(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
}

static void complain(const char *file, int line, const char *expression)
{
    failed_checks++;
    fprintf(stderr, "%s:%d: failed: %s", file, line, expression);
    if (context[0])
        fprintf(stderr, " [%s]", context);
}

bool test_check(bool ok, const char *file, int line, const char *expression)
{
    if (!ok) {
        complain(file, line, expression);
        fputc('\n', stderr);
    }
    return ok;
}

bool test_check_u64(uint64_t a, uint64_t b, const char *file, int line, const char *expression)
{
    if (a != b) {
        complain(file, line, expression);
        fprintf(stderr, "\n    left  %" PRIu64 "\n    right %" PRIu64 "\n", a, b);
    }
    return a == b;
}

bool test_check_i64(int64_t a, int64_t b, const char *file, int line, const char *expression)
{
    if (a != b) {
        complain(file, line, expression);
        fprintf(stderr, "\n    left  %" PRId64 "\n    right %" PRId64 "\n", a, b);
    }
    return a == b;
}

bool test_check_near(double a, double b, double tolerance, const char *file, int line, const char *expression)
{
    bool ok = fabs(a - b) <= tolerance; /* false for a NaN on either side */

    if (!ok) {
        complain(file, line, expression);
        fprintf(stderr, "\n    left  %.17g\n    right %.17g\n    tolerance %g\n", a, b, tolerance);
    }
    return ok;
}

bool test_check_str(const char *a, const char *b, const char *file, int line, const char *expression)
{
    bool ok = a && b ? strcmp(a, b) == 0 : a == b;

    if (!ok) {
        complain(file, line, expression);
        fprintf(stderr, "\n    left  \"%s\"\n    right \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
    }
    return ok;
}

static bool run(const struct test_case *t)
{
    unsigned before = failed_checks;

    context[0] = '\0';
    t->run();
    if (failed_checks != before)
        fprintf(stderr, "FAILED %s (%u checks)\n", t->name, failed_checks - before);
    return failed_checks == before;
}

int main(int argc, char **argv)
{
    unsigned ran = 0, failed = 0;

    for (const struct test_case *t = first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]))
            continue;
        ran++;
        failed += !run(t);
        if (failed && getenv("KNELL_TEST_FIRST"))
            break; /* whoever asks wants to know only whether */
    }
    printf("%u tests, %u failed\n", ran, failed);
    return failed > 0 || ran == 0;
}
