/* run_verdict_test: which fact about a run decides its class. */
#include "cli/run/verdict.h"
#include "test.h"

#include <string.h>

static struct run_verdict judged(const struct run_facts *facts)
{
    struct run_verdict verdict;
    run_judge(facts, &verdict);
    return verdict;
}

TEST(a_run_of_which_nothing_else_is_known_finished)
{
    struct run_facts facts = {.finished = "all"};
    CHECK(judged(&facts).class == RECORD_FINISHED);
    CHECK_STR(judged(&facts).why, "all");
}

TEST(each_fact_has_its_class)
{
    struct run_facts none = {.finished = "all"}, facts;
    const struct {
        char *why;
        enum record_class class;
    } table[] = {
        {facts.lost, RECORD_INDETERMINATE}, {facts.not_struck, RECORD_NOT_STRUCK},
        {facts.frozen, RECORD_FROZEN},      {facts.no_progress, RECORD_NO_PROGRESS},
        {facts.aborted, RECORD_ABORTED},    {facts.unchecked, RECORD_INDETERMINATE},
        {facts.wrong, RECORD_WRONG_RESULT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        facts = none;
        strcpy(table[i].why, "so");
        CHECK(judged(&facts).class == table[i].class);
        CHECK_STR(judged(&facts).why, "so");
    }
}

TEST(a_fault_that_never_struck_counts_only_in_a_job_that_ended_well)
{
    struct run_facts facts = {.not_struck = "late", .wrong = "no", .finished = "all"};
    CHECK(judged(&facts).class == RECORD_NOT_STRUCK);
    strcpy(facts.aborted, "status 3");
    CHECK(judged(&facts).class == RECORD_ABORTED);
    strcpy(facts.frozen, "still");
    CHECK(judged(&facts).class == RECORD_FROZEN);
    strcpy(facts.lost, "gone");
    CHECK(judged(&facts).class == RECORD_INDETERMINATE);
}
