/* notes.c: notes of the children of `knell live`, in memory that they share with the parent. Each child has its own
 * page and appends to it; the parent reads after it. A child that is killed in the middle of a note leaves one that
 * never becomes ready. */
#include "cli/live/live.h"
#include "os/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* A child notes the death of every other rank at most once, its view in disjoint ranges, and these notes once. */
enum { ONCE = 8 };

struct slot {
    _Atomic bool ready;
    struct live_note note;
};

struct page {
    _Atomic uint32_t taken; /* slots given to writers */
    uint32_t read;          /* by the parent */
    char why[KNELL_RUNTIME_WHY];
};

struct live_notes {
    uint32_t children, room; /* slots of each */
    size_t size;
    struct page page[]; /* then the slots of all */
};

static struct slot *slots_of(struct live_notes *notes, knell_rank child)
{
    return (struct slot *)(notes->page + notes->children) + (size_t)child * notes->room;
}

struct live_notes *live_notes_new(uint32_t children)
{
    uint32_t room = children + children / 2 + ONCE;
    size_t size = sizeof(struct live_notes) + children * (sizeof(struct page) + room * sizeof(struct slot));
    /* MAP_NORESERVE, since most of it is never touched. */
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct live_notes *notes = memory;
    notes->children = children;
    notes->room = room;
    notes->size = size;
    return notes;
}

void live_notes_free(struct live_notes *notes)
{
    if (notes)
        munmap(notes, notes->size);
}

char *live_notes_why(struct live_notes *notes, knell_rank child)
{
    return notes->page[child].why;
}

void live_notes_write(struct live_notes *notes, knell_rank child, struct live_note *note)
{
    uint32_t place = atomic_fetch_add(&notes->page[child].taken, 1);
    assert(place < notes->room);
    struct slot *slot = slots_of(notes, child) + place;
    note->rank = child;
    note->when = knell__clock_now();
    slot->note = *note;
    atomic_store_explicit(&slot->ready, true, memory_order_release);
}

bool live_notes_take(struct live_notes *notes, knell_rank child, struct live_note *note)
{
    struct page *page = &notes->page[child];
    if (page->read == notes->room)
        return false;
    struct slot *slot = slots_of(notes, child) + page->read;
    if (!atomic_load_explicit(&slot->ready, memory_order_acquire))
        return false;
    *note = slot->note;
    page->read++;
    return true;
}
