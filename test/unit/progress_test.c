#include "cli/common/progress.h"
#include "test.h"

TEST(the_bar_as_text)
{
    char text[160];

    progress_format("ring", 50, 100, 2, 80, text, sizeof text);
    CHECK_STR(text, "ring  [###############...............]   50%  25/s  2 s left");
    progress_format("ring", 0, 100, 0, 80, text, sizeof text);
    CHECK_STR(text, "ring  [..............................]    0%  0/s  ? left");
    progress_format("ring", 100, 100, 4, 80, text, sizeof text);
    CHECK_STR(text, "ring  [##############################]  100%  25/s  0 s left");
}

TEST(the_bar_fits_the_terminal)
{
    static const struct {
        int width;
        const char *text;
    } at[] = {
        {60, "ring  [###############...............]   50%  25/s  2 s left"},
        {59, "ring  [##############...............]   50%  25/s  2 s left"},
        {40, "ring  [#####.....]   50%  25/s  2 s left"},
        {39, "ring  [#######........]   50%  2 s left"},
        {34, "ring  [#####.....]   50%  2 s left"},
        {33, "ring   50%  2 s left"},
        {20, "ring   50%  2 s left"},
        {19, "ring   50%"},
        {6, "ring  "},
        {0, ""},
    };
    char text[160];

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        progress_format("ring", 50, 100, 2, at[i].width, text, sizeof text);
        CHECK_STR(text, at[i].text);
    }
}

/* Standard error is no terminal under ctest: nothing is drawn, nothing breaks. */
TEST(silent_without_a_terminal)
{
    struct progress p;

    progress_begin(&p, "ring", 10);
    for (uint64_t i = 1; i <= 10; i++)
        progress_report(&p, i);
    progress_end(&p);
}
