/* rankset against a bitmap: random sets on a small line, every question asked after every change. */
#include "util/rankset.h"

#include "test.h"
#include "util/prng.h"

#include <string.h>

#define LINE 70

struct model {
    bool member[LINE];
    struct knell_range range[LINE];
    uint32_t count;
};

/* Sorted, disjoint, non-adjacent, with `before` right: the promise of knell/types.h. */
static bool well_formed(const struct model *m)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->range[i].first > m->range[i].last || m->range[i].before != sum ||
            (i > 0 && m->range[i - 1].last + 1 >= m->range[i].first))
            return false;
        sum += m->range[i].last - m->range[i].first + 1;
    }
    return true;
}

static void check_questions(const struct model *m)
{
    uint32_t below = 0, absent = 0;
    bool same = true;

    CHECK(well_formed(m));
    for (knell_rank r = 0; r < LINE; r++) {
        uint32_t at = knell__ranges_find(m->range, m->count, r);
        same &= knell__ranges_contain(m->range, m->count, r) == m->member[r];
        same &= knell__ranges_below(m->range, m->count, r) == below;
        same &= (at == m->count || m->range[at].last >= r) && (at == 0 || m->range[at - 1].last < r);
        if (!m->member[r])
            same &= knell__ranges_absent(m->range, m->count, absent++) == r;
        below += m->member[r];
    }
    CHECK(same);
    CHECK_EQ_U64(knell__ranges_size(m->range, m->count), below);
    CHECK_EQ_U64(knell__ranges_absent(m->range, m->count, absent), LINE); /* the line goes on */
}

static void check_gap(const struct model *m, knell_rank first, knell_rank last)
{
    knell_rank a = first, b, begin = first, end = last;
    while (a <= last && m->member[a])
        a++;
    for (b = a; b < last && !m->member[b + 1];)
        b++;
    bool found = knell__ranges_gap(m->range, m->count, &begin, &end);
    CHECK(found == (a <= last));
    CHECK(!found || (begin == a && end == b));
}

static void add_random_stretch(struct model *m, struct knell_prng *random)
{
    knell_rank first = (knell_rank)knell_prng_below(random, LINE), last = first;
    uint32_t most = (uint32_t)knell_prng_below(random, 5), before = m->count;

    if (m->member[first])
        return;
    while (last + 1 < LINE && !m->member[last + 1] && last - first < most)
        last++;
    m->count = knell__ranges_insert(m->range, m->count, first, last);
    CHECK(m->count <= before + 1);
    memset(&m->member[first], true, last - first + 1);
}

TEST(random_sets)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct model m = {.count = 0};
        struct knell_prng random;
        knell_prng_seed(&random, seed);
        test_context("seed %u", (unsigned)seed);
        for (unsigned i = 0; i < 60; i++) {
            knell_rank a = (knell_rank)knell_prng_below(&random, LINE), b = (knell_rank)knell_prng_below(&random, LINE);
            add_random_stretch(&m, &random);
            check_questions(&m);
            check_gap(&m, a < b ? a : b, a < b ? b : a);
        }
    }
}

TEST(every_gap_of_every_small_set)
{
    for (uint32_t set = 0; set < 256; set++) {
        struct model m = {.count = 0};
        for (knell_rank r = 0; r < 8; r++)
            if (set >> r & 1) {
                m.member[r] = true;
                m.count = knell__ranges_insert(m.range, m.count, r, r);
            }
        test_context("set %u", (unsigned)set);
        check_questions(&m);
        for (knell_rank a = 0; a < 8; a++)
            for (knell_rank b = a; b < 8; b++)
                check_gap(&m, a, b);
    }
}

TEST(the_ends_of_the_line)
{
    const knell_rank top = KNELL_RANKS_MAX - 1;
    struct knell_range range[4];
    uint32_t count = knell__ranges_insert(range, 0, 1, top - 1);
    CHECK_EQ_U64(knell__ranges_size(range, count), top - 1);
    CHECK_EQ_U64(knell__ranges_absent(range, count, 0), 0);
    CHECK_EQ_U64(knell__ranges_absent(range, count, 1), top);
    count = knell__ranges_insert(range, count, top, top);
    count = knell__ranges_insert(range, count, 0, 0);
    CHECK_EQ_U64(count, 1);
    CHECK_EQ_U64(knell__ranges_size(range, count), KNELL_RANKS_MAX);
    CHECK_EQ_U64(knell__ranges_below(range, count, top), top);
}
