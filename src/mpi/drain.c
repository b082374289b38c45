/* drain.c: see drain.h. */
#include "mpi/drain.h"
#include "mpi/anytag.h"
#include "mpi/context.h"
#include "mpi/discard.h"
#include "mpi/layer.h"
#include "mpi/native.h"
#include "mpi/wait.h"

#include <pthread.h>
#include <stdlib.h>

/* What goes over the wire. */
struct word {
    int context; /* by number, see context.h */
    int tag;
    int asks; /* 0: the send is over */
};

/* A word on its way. */
struct sent {
    struct sent *next;
    MPI_Request request;
    int to;
    struct word word;
};

/* What another process wants taken. */
struct wish {
    struct wish *next;
    int source;
    struct word word;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sent *all_sent;
static struct wish *wishes;

/* ---- the sender's end ------------------------------------------------------------------------------------------------------ */

static void obey(int source, const struct word *word);

static void say_word(int to, struct word word)
{
    struct sent *made = malloc(sizeof *made);
    if (!made)
        knell__die("out of memory");
    *made = (struct sent){.to = to, .word = word};
    if (knell__native.isend(&made->word, sizeof made->word, MPI_BYTE, to, knell__words_tag(), knell__wire, &made->request) !=
        MPI_SUCCESS) {
        free(made); /* it is dying, and not waited for for long */
        return;
    }
    made->next = all_sent;
    all_sent = made;
}

static void tell(int process, MPI_Comm context, int tag, int asks)
{
    struct word word = {knell__context_number(context), tag, asks};
    if (!knell__hears(process))
        return;
    pthread_mutex_lock(&lock);
    if (process == knell__self.process)
        obey(process, &word);
    else
        say_word(process, word);
    pthread_mutex_unlock(&lock);
}

void knell__drain_ask(int process, MPI_Comm context, int tag)
{
    tell(process, context, tag, 1);
}

void knell__drain_end(int process, MPI_Comm context, int tag)
{
    tell(process, context, tag, 0);
}

/* A word to a dead process may stay in the MPI's hands for ever, with its memory. */
static void test_sent(void)
{
    for (struct sent **at = &all_sent; *at;) {
        struct sent *one = *at;
        int complete = 0, code = knell__native.test(&one->request, &complete, MPI_STATUS_IGNORE);
        bool ours = complete || code != MPI_SUCCESS;
        if (!ours && !knell__is_dead(one->to)) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        if (ours)
            free(one);
    }
}

/* ---- the receiver's end ---------------------------------------------------------------------------------------------------- */

static bool same(const struct wish *wish, int source, const struct word *word)
{
    return wish->source == source && wish->word.context == word->context && wish->word.tag == word->tag;
}

static void wish_end(struct wish **at)
{
    struct wish *over = *at;
    *at = over->next;
    free(over);
}

static void obey(int source, const struct word *word)
{
    struct wish **at = &wishes;
    if (word->asks) {
        struct wish *made = malloc(sizeof *made);
        if (!made)
            knell__die("out of memory");
        *made = (struct wish){wishes, source, *word};
        wishes = made;
        return;
    }
    while (*at && !same(*at, source, word))
        at = &(*at)->next;
    if (*at)
        wish_end(at);
}

/* One word at a time; it is small, and there when it is found. True: there may be more. */
static bool hear(void)
{
    static struct {
        bool open;
        int from;
        MPI_Request request;
        struct word word;
    } heard;
    MPI_Message message;
    MPI_Status status;
    int found = 0, complete = 0;
    if (!heard.open) {
        knell__native.improbe(MPI_ANY_SOURCE, knell__words_tag(), knell__wire, &found, &message, &status);
        if (!found)
            return false;
        heard.from = status.MPI_SOURCE;
        heard.open = knell__native.imrecv(&heard.word, sizeof heard.word, MPI_BYTE, &message, &heard.request) == MPI_SUCCESS;
    }
    if (heard.open && knell__native.test(&heard.request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && !complete &&
        !knell__is_dead(heard.from))
        return false;
    heard.open = false;
    if (complete)
        obey(heard.from, &heard.word);
    return true;
}

static void take(const struct wish *wish)
{
    MPI_Comm context = knell__context_numbered(wish->word.context);
    MPI_Message message;
    MPI_Status status;
    int found = 1;
    while (found) {
        found = 0;
        knell__native.improbe(wish->source, wish->word.tag, context, &found, &message, &status);
        if (found)
            knell__discard(&message, &status);
    }
    knell__anytag_discard(wish->source, wish->word.tag, context);
    knell__matched_discard(wish->source, wish->word.tag, context);
}

/* Who is dead waits for nothing any more. */
static void take_all(void)
{
    for (struct wish **at = &wishes; *at;) {
        if (knell__is_dead((*at)->source)) {
            wish_end(at);
            continue;
        }
        take(*at);
        at = &(*at)->next;
    }
}

bool knell__drain_turn(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return true;
    while (hear())
        continue;
    take_all();
    test_sent();
    bool more = wishes != NULL || all_sent != NULL;
    pthread_mutex_unlock(&lock);
    return knell__discard_turn() || more;
}
