/* A small unit-test harness: TEST(name) { CHECK(...); } registers itself, the runner is test.c.
 *
 * A failed check prints its expression, the values and the place, and the test goes on: one run shows every wrong
 * value. REQUIRE leaves the test when going on would crash. `<binary> WORD` runs only the tests whose name contains
 * WORD. With KNELL_TEST_FIRST in the environment the first test that fails ends the run. */
#ifndef KNELL_TEST_H
#define KNELL_TEST_H

#include <stdbool.h>
#include <stdint.h>

struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

void test_register(struct test_case *t);
bool test_check(bool ok, const char *file, int line, const char *expression);
bool test_check_u64(uint64_t a, uint64_t b, const char *file, int line, const char *expression);
bool test_check_i64(int64_t a, int64_t b, const char *file, int line, const char *expression);
bool test_check_near(double a, double b, double tolerance, const char *file, int line, const char *expression);
bool test_check_str(const char *a, const char *b, const char *file, int line, const char *expression);

/* Says which input a table-driven check is at; shown with every failure until the test ends or it is called again. */
void test_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define TEST(id)                                                      \
    static void test_run_##id(void);                                  \
    __attribute__((constructor)) static void test_register_##id(void) \
    {                                                                 \
        static struct test_case t = {#id, test_run_##id, 0};          \
        test_register(&t);                                            \
    }                                                                 \
    static void test_run_##id(void)

#define CHECK(c) test_check((c), __FILE__, __LINE__, #c)
#define REQUIRE(c)     \
    do {               \
        if (!CHECK(c)) \
            return;    \
    } while (0)
#define CHECK_EQ_U64(a, b) test_check_u64((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_EQ_I64(a, b) test_check_i64((a), (b), __FILE__, __LINE__, #a " == " #b)
/* |a - b| <= tolerance */
#define CHECK_NEAR(a, b, tolerance) test_check_near((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_STR(a, b) test_check_str((a), (b), __FILE__, __LINE__, #a " == " #b)

#endif
