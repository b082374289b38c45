/* members.c: see members.h. */
#include "members.h"
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum what { OFFER, WITHDRAW, TAKE, FREE, EXPECTS, FIXED, NUMBER, NUMBERED };

/* A question, and its answer. */
struct word {
    enum what what;
    bool flag;
    int number;
    MPI_Comm context;
    struct offer_try try;
    struct place place;
    struct offer mine, agreed;
};

static void answer(struct word *word)
{
    switch (word->what) {
    case OFFER:
        offer_make(&word->mine, &word->try);
        break;
    case WITHDRAW:
        offer_withdraw(&word->mine);
        break;
    case TAKE:
        word->flag = offer_take(&word->mine, &word->agreed, &word->place);
        break;
    case FREE:
        place_free(&word->place, word->flag);
        break;
    case EXPECTS:
        word->flag = place_expected(word->context, word->number);
        break;
    case FIXED:
        word->place = place_fixed(word->number);
        break;
    case NUMBER:
        word->number = context_number(word->context);
        break;
    case NUMBERED:
        word->context = context_numbered(word->number);
        break;
    }
}

static void serve(int fd, int process, int processes)
{
    struct word word;
    fake_begin(process, processes);
    while (read(fd, &word, sizeof word) == (ssize_t)sizeof word) {
        answer(&word);
        if (write(fd, &word, sizeof word) != (ssize_t)sizeof word)
            break;
    }
    _exit(0);
}

void member_begin(struct member *member, int process, int processes)
{
    int ends[2];
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 || (member->pid = fork()) < 0)
        abort();
    if (member->pid == 0) {
        close(ends[0]);
        serve(ends[1], process, processes);
    }
    close(ends[1]);
    member->fd = ends[0];
}

void member_end(struct member *member)
{
    shutdown(member->fd, SHUT_RDWR); /* members that began later have this end too */
    close(member->fd);
    waitpid(member->pid, NULL, 0);
}

static void ask(struct member *member, struct word *word)
{
    if (write(member->fd, word, sizeof *word) != (ssize_t)sizeof *word ||
        read(member->fd, word, sizeof *word) != (ssize_t)sizeof *word) {
        fputs("a member has ended: see above\n", stderr);
        abort();
    }
}

void member_offer(struct member *member, const struct offer_try *try, struct offer *offer)
{
    struct word word = {.what = OFFER, .try = *try};
    ask(member, &word);
    *offer = word.mine;
}

void member_withdraw(struct member *member, const struct offer *mine)
{
    struct word word = {.what = WITHDRAW, .mine = *mine};
    ask(member, &word);
}

bool member_take(struct member *member, const struct offer *mine, const struct offer *agreed, struct place *place)
{
    struct word word = {.what = TAKE, .mine = *mine, .agreed = *agreed};
    ask(member, &word);
    *place = word.place;
    return word.flag;
}

void member_free(struct member *member, const struct place *place, bool dirty)
{
    struct word word = {.what = FREE, .place = *place, .flag = dirty};
    ask(member, &word);
}

bool member_expects(struct member *member, MPI_Comm context, int tag)
{
    struct word word = {.what = EXPECTS, .context = context, .number = tag};
    ask(member, &word);
    return word.flag;
}

struct place member_fixed(struct member *member, int slot)
{
    struct word word = {.what = FIXED, .number = slot};
    ask(member, &word);
    return word.place;
}

int member_number(struct member *member, MPI_Comm context)
{
    struct word word = {.what = NUMBER, .context = context};
    ask(member, &word);
    return word.number;
}

MPI_Comm member_numbered(struct member *member, int number)
{
    struct word word = {.what = NUMBERED, .number = number};
    ask(member, &word);
    return word.context;
}
