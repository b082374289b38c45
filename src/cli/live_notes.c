/* live_notes: what the children of `knell live` have to say, in memory they share with the parent. Each child has its own
 * page and appends to it; the parent reads behind. A child killed in the middle of a note leaves one that is never ready. */
#include "cli/live.h"
#include "os/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* A child tells of every other's death at most once, of its view in ranges that do not touch; and what is told once. */
enum { ONCE = 8 };

struct slot {
    _Atomic bool ready;
    struct knell__live_note note;
};

struct page {
    _Atomic uint32_t taken; /* slots given to writers */
    uint32_t read;          /* the parent's */
    char why[KNELL_RUNTIME_WHY];
};

struct knell__live_notes {
    uint32_t children, room; /* slots of each */
    size_t size;
    struct page page[]; /* then the slots of all */
};

static struct slot *slots_of(struct knell__live_notes *notes, knell_rank child)
{
    return (struct slot *)(notes->page + notes->children) + (size_t)child * notes->room;
}

struct knell__live_notes *knell__live_notes_new(uint32_t children)
{
    uint32_t room = children + children / 2 + ONCE;
    size_t size = sizeof(struct knell__live_notes) + children * (sizeof(struct page) + room * sizeof(struct slot));
    /* Not reserved: most of it is never touched. */
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct knell__live_notes *notes = memory;
    notes->children = children;
    notes->room = room;
    notes->size = size;
    return notes;
}

void knell__live_notes_free(struct knell__live_notes *notes)
{
    if (notes)
        munmap(notes, notes->size);
}

char *knell__live_notes_why(struct knell__live_notes *notes, knell_rank child)
{
    return notes->page[child].why;
}

void knell__live_notes_write(struct knell__live_notes *notes, knell_rank child, struct knell__live_note *note)
{
    uint32_t place = atomic_fetch_add(&notes->page[child].taken, 1);
    assert(place < notes->room);
    struct slot *slot = slots_of(notes, child) + place;
    note->rank = child;
    note->when = knell__clock_now();
    slot->note = *note;
    atomic_store_explicit(&slot->ready, true, memory_order_release);
}

bool knell__live_notes_take(struct knell__live_notes *notes, knell_rank child, struct knell__live_note *note)
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
