/* coll_data.h: for coll.c: kinds of elements, and buffers that hold what is expected beside what came. */
#ifndef TEST_MPI_COLL_DATA_H
#define TEST_MPI_COLL_DATA_H

#include "check.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- kinds of elements -------------------------------------------------------------------------------------------------------- */

enum { WORDS = 4 };

/* An element is some words at offsets, `extent` bytes from the next. */
struct kind {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    int words, extent;
    int offset[WORDS];
};
static struct kind kinds[4];
static const char *doing;
static int doing_count;
static bool later, in_place;
static struct kind *now; /* the one a user's operation works on */
static bool bottom;
static MPI_Aint reduced_at; /* where the datatype of a reduction begins: 0 unless it has absolute addresses */

static uint32_t get(const struct kind *kind, const void *buffer, int i, int w)
{
    uint32_t word;
    memcpy(&word, (const char *)buffer + (long)i * kind->extent + kind->offset[w], sizeof word);
    return word;
}

static void put(const struct kind *kind, void *buffer, int i, int w, uint32_t word)
{
    memcpy((char *)buffer + (long)i * kind->extent + kind->offset[w], &word, sizeof word);
}

/* What rank `from` has at index i of what it sends. */
static uint32_t word_of(int from, int i, int w)
{
    uint32_t x = (uint32_t)from * 2654435761u + (uint32_t)i * 40503u + (uint32_t)w * 977u + 12345u;
    x ^= x >> 15;
    return x * 2246822519u;
}

/* Products of 2 x 2 matrices: associative, not commutative. One word: sums. */
static void fold_element(int words, const uint32_t *left, const uint32_t *right, uint32_t *result)
{
    if (words == 1) {
        result[0] = left[0] + right[0];
        return;
    }
    result[0] = left[0] * right[0] + left[1] * right[2];
    result[1] = left[0] * right[1] + left[1] * right[3];
    result[2] = left[2] * right[0] + left[3] * right[2];
    result[3] = left[2] * right[1] + left[3] * right[3];
}

static void user_fold(void *left_at, void *right_at, int *count, MPI_Datatype *type)
{
    void *in = (void *)((intptr_t)left_at + reduced_at), *inout = (void *)((intptr_t)right_at + reduced_at);
    (void)type;
    for (int i = 0; i < *count; i++) {
        uint32_t left[WORDS], right[WORDS], result[WORDS];
        for (int w = 0; w < now->words; w++) {
            left[w] = get(now, in, i, w);
            right[w] = get(now, inout, i, w);
        }
        fold_element(now->words, left, right, result);
        for (int w = 0; w < now->words; w++)
            put(now, inout, i, w, result[w]);
    }
}

static void make_kinds(void)
{
    static int blocks[WORDS] = {1, 1, 1, 1};
    static MPI_Aint places[WORDS] = {4, 8, 16, 20};
    MPI_Datatype bare;
    kinds[0] = (struct kind){.name = "words", .type = MPI_UNSIGNED, .op = MPI_SUM, .words = 1, .extent = 4};
    kinds[1] = (struct kind){.name = "dense", .words = 4, .extent = 16, .offset = {0, 4, 8, 12}};
    OK(MPI_Type_contiguous(4, MPI_UNSIGNED, &kinds[1].type));
    OK(MPI_Op_create(user_fold, 0, &kinds[1].op));
    kinds[2] = (struct kind){.name = "holes", .words = 4, .extent = 32, .offset = {4, 8, 16, 20}};
    OK(MPI_Type_create_hindexed(WORDS, blocks, places, MPI_UNSIGNED, &bare));
    OK(MPI_Type_create_resized(bare, -4, 32, &kinds[2].type));
    OK(MPI_Type_free(&bare));
    OK(MPI_Op_create(user_fold, 0, &kinds[2].op));
    kinds[3] = (struct kind){.name = "user's sum", .type = MPI_UNSIGNED, .words = 1, .extent = 4};
    OK(MPI_Op_create(user_fold, 1, &kinds[3].op));
    OK(MPI_Type_commit(&kinds[1].type));
    OK(MPI_Type_commit(&kinds[2].type));
}

static void free_kinds(void)
{
    for (int i = 1; i < 4; i++)
        OK(MPI_Op_free(&kinds[i].op));
    OK(MPI_Type_free(&kinds[1].type));
    OK(MPI_Type_free(&kinds[2].type));
}

/* ---- buffers: what was expected beside what came ------------------------------------------------------------------------------- */

enum { MARGIN = 64, FILL = 0xa5 };

struct buffer {
    char *real, *wanted;
    size_t bytes;
    MPI_Datatype type; /* how calls are told of it, */
    void *at;          /* and where it is then */
};

/* The present kind, as it lies `distance` bytes from the buffer that is named. */
static MPI_Datatype shifted(MPI_Aint distance)
{
    MPI_Datatype made;
    OK(MPI_Type_create_hindexed(1, &(int){1}, &distance, now->type, &made));
    OK(MPI_Type_commit(&made));
    return made;
}

static MPI_Aint address(const void *location)
{
    MPI_Aint found;
    OK(MPI_Get_address(location, &found));
    return found;
}

static struct buffer make(int elements)
{
    struct buffer buffer = {.bytes = (size_t)elements * (size_t)now->extent + 2 * MARGIN};
    buffer.real = malloc(buffer.bytes);
    buffer.wanted = malloc(buffer.bytes);
    CHECK(buffer.real && buffer.wanted);
    memset(buffer.real, FILL, buffer.bytes);
    memset(buffer.wanted, FILL, buffer.bytes);
    buffer.type = bottom ? shifted(address(buffer.real + MARGIN)) : now->type;
    buffer.at = bottom ? MPI_BOTTOM : buffer.real + MARGIN;
    return buffer;
}

static void *data(const struct buffer *buffer)
{
    return buffer->at;
}

/* In both: what is there before. */
static void set(struct buffer *buffer, int slot, int from, int index)
{
    for (int w = 0; w < now->words; w++) {
        put(now, buffer->real + MARGIN, slot, w, word_of(from, index, w));
        put(now, buffer->wanted + MARGIN, slot, w, word_of(from, index, w));
    }
}

static void want(struct buffer *buffer, int slot, int from, int index)
{
    for (int w = 0; w < now->words; w++)
        put(now, buffer->wanted + MARGIN, slot, w, word_of(from, index, w));
}

/* The fold of ranks first .. last at `index`. */
static void want_fold(struct buffer *buffer, int slot, int first, int last, int index)
{
    uint32_t folded[WORDS], next[WORDS], result[WORDS];
    for (int w = 0; w < now->words; w++)
        folded[w] = word_of(first, index, w);
    for (int rank = first + 1; rank <= last; rank++) {
        for (int w = 0; w < now->words; w++)
            next[w] = word_of(rank, index, w);
        fold_element(now->words, folded, next, result);
        memcpy(folded, result, sizeof folded);
    }
    for (int w = 0; w < now->words; w++)
        put(now, buffer->wanted + MARGIN, slot, w, folded[w]);
}

static void compare(struct buffer *buffer, const char *which)
{
    for (size_t i = 0; i < buffer->bytes; i++)
        if (buffer->real[i] != buffer->wanted[i]) {
            fprintf(stderr, "rank %d of %d: %s%s%s, %d %s: %s differs at byte %zu\n", me, all, doing,
                    later ? ", nonblocking" : "", in_place ? ", in place" : "", doing_count, now->name, which,
                    i - MARGIN);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    if (bottom)
        OK(MPI_Type_free(&buffer->type));
    free(buffer->real);
    free(buffer->wanted);
}

/* A reduction has one datatype for both buffers. Of absolute addresses it fits one of them: the other is so far from it. */
struct operands {
    const void *send;
    void *recv;
    MPI_Datatype type;
};

static struct operands operands(const struct buffer *send, const struct buffer *recv)
{
    static unsigned turn;
    struct operands same = {send->at, recv->at, recv->type};
    intptr_t apart = address(recv->real) - address(send->real);
    if (!bottom)
        return same;
    if (in_place || (turn++ + (unsigned)me) % 2)
        same.send = (void *)-apart;
    else
        same = (struct operands){MPI_BOTTOM, (void *)apart, send->type};
    reduced_at = address((same.type == recv->type ? recv->real : send->real) + MARGIN);
    return same;
}

#define IGNORED ((void *)8) /* for what means nothing to this member */

#endif
