/* desk.c: the desks of the ranks. `knell run` writes on an image of each; what has changed of it is sent. */
#include "cli/run/run.h"

#include <string.h>

static struct run_link *link_of(struct run_job *job, int rank)
{
    return &job->links.link[rank];
}

struct job_desk_orders *run_desk(struct run_job *job, int rank)
{
    link_of(job, rank)->is_changed = true;
    return &link_of(job, rank)->orders;
}

const struct job_desk_seen *run_seen(const struct run_job *job, int rank)
{
    return &job->links.link[rank].seen.desk;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

enum { WORDS = sizeof(struct job_desk_orders) / 8, NEAR = 8 };

static bool is_same(const struct run_link *link, size_t word)
{
    return memcmp((const char *)&link->orders + 8 * word, (const char *)&link->sent + 8 * word, 8) == 0;
}

/* Pieces that are near each other go together. The last word, for which the rank waits, goes last. */
static size_t end_of_piece(const struct run_link *link, size_t begin)
{
    size_t end = begin + 1;
    for (size_t word = end; word < WORDS && word < end + NEAR; word++)
        if (!is_same(link, word))
            end = word + 1;
    return end;
}

void run_desk_send(struct run_job *job, int rank)
{
    struct run_link *link = link_of(job, rank);
    if (!link->is_open || !link->is_changed)
        return;
    for (size_t word = 0; word < WORDS; word++) {
        if (is_same(link, word))
            continue;
        size_t end = end_of_piece(link, word);
        channel_put(&link->stream, CHANNEL_WRITE, &(struct channel_at){8 * word}, sizeof(struct channel_at),
                    (const char *)&link->orders + 8 * word, 8 * (end - word));
        word = end;
    }
    memcpy(&link->sent, &link->orders, sizeof link->sent);
    link->is_changed = false;
}

void run_desks_send(struct run_job *job)
{
    for (int i = 0; i < job->links.ranks; i++)
        run_desk_send(job, i);
}

/* ---- calls that may pass ----------------------------------------------------------------------------------------- */

void run_desk_let_pass(struct run_job *job, int rank, uint32_t calls)
{
    run_desk_send(job, rank);
    link_of(job, rank)->seen.left = calls;
    channel_put(&link_of(job, rank)->stream, CHANNEL_LEFT, &(struct channel_number){calls},
                sizeof(struct channel_number), NULL, 0);
}

uint32_t run_desk_take_passing(struct run_job *job, int rank, uint32_t let)
{
    struct run_link *link = link_of(job, rank);
    struct channel_look look = {.number = run_link_number(link), .takes_left = 1};
    run_link_ask(job, rank, CHANNEL_LOOK, &look, sizeof look);
    uint32_t left = link->seen.left < let ? link->seen.left : let;
    link->seen.left = 0;
    return left;
}

/* ---- what ranks wrote -------------------------------------------------------------------------------------------- */

/* All answers together take as long as one may: a lost host has many ranks. Who is known to be lost is not waited for. */
static void wait_for_all(struct run_job *job)
{
    int64_t until = run_link_patience();
    for (int i = 0; i < job->links.ranks; i++)
        if (!link_of(job, i)->is_host_lost)
            run_link_wait(job, i, until);
}

static void ask_all(struct run_job *job, enum channel_kind kind, const struct channel_signal *signal, bool waits)
{
    for (int i = 0; i < job->links.ranks; i++) {
        struct run_link *link = link_of(job, i);
        if (!link->is_open || (!waits && link->answered < link->asked && link->asked > link->answered + 8))
            continue;
        uint64_t number = run_link_number(link);
        if (signal)
            channel_put(&link->stream, kind, &(struct channel_signal){signal->signal, 0, number}, sizeof *signal, NULL,
                        0);
        else
            channel_put(&link->stream, kind, &(struct channel_look){number, 0}, sizeof(struct channel_look), NULL, 0);
    }
    if (waits)
        wait_for_all(job);
}

void run_desks_look(struct run_job *job, bool waits)
{
    ask_all(job, CHANNEL_LOOK, NULL, waits);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

bool run_desk_strike(struct run_job *job, int rank, int64_t *when)
{
    struct run_link *link = link_of(job, rank);
    run_desk_send(job, rank);
    run_link_ask(job, rank, CHANNEL_STRIKE, &(struct channel_number){run_link_number(link)},
                 sizeof(struct channel_number));
    *when = link->seen.struck;
    return link->seen.struck != 0;
}

static void send_signal(struct run_job *job, int rank, int signal, bool minds_shield)
{
    struct channel_signal order = {.signal = signal, .minds_shield = minds_shield};
    run_desk_send(job, rank);
    channel_put(&link_of(job, rank)->stream, CHANNEL_SIGNAL, &order, sizeof order, NULL, 0);
}

void run_kill(struct run_job *job, int rank, int signal)
{
    send_signal(job, rank, signal, false);
}

void run_kill_mind_shield(struct run_job *job, int rank, int signal)
{
    send_signal(job, rank, signal, true);
}

void run_kill_all(struct run_job *job, int signal)
{
    run_desks_send(job);
    ask_all(job, CHANNEL_SIGNAL, &(struct channel_signal){.signal = signal}, true);
}
