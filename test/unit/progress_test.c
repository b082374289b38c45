#include "cli/progress.h"
#include "test.h"

TEST(the_bar_as_text)
{
    char text[160];

    knell__progress_format("ring", 50, 100, 2, text, sizeof text);
    CHECK_STR(text, "ring  [###############...............]   50%  25/s  2 s left");
    knell__progress_format("ring", 0, 100, 0, text, sizeof text);
    CHECK_STR(text, "ring  [..............................]    0%  0/s  ? left");
    knell__progress_format("ring", 100, 100, 4, text, sizeof text);
    CHECK_STR(text, "ring  [##############################]  100%  25/s  0 s left");
}

/* Standard error is no terminal under ctest: nothing is drawn, nothing breaks. */
TEST(silent_without_a_terminal)
{
    struct knell_progress p;

    knell_progress_begin(&p, "ring", 10);
    for (uint64_t i = 1; i <= 10; i++)
        knell_progress_report(&p, i);
    knell_progress_end(&p);
}
