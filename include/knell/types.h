/* knell/types.h: the words every layer shares: time, rank, range of ranks, error codes. */
#ifndef KNELL_TYPES_H
#define KNELL_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds on the driver's clock: monotonic in life, simulated in the simulator. */
typedef int64_t knell_time;
#define KNELL_NEVER INT64_MAX

/* A process, 0 .. ranks - 1, the same number all its life. */
typedef uint32_t knell_rank;
#define KNELL_NOBODY UINT32_MAX
#define KNELL_RANKS_MAX (UINT32_C(1) << 31)

/* One stretch first..last (inclusive) of a sorted, disjoint, non-adjacent list: how sets of ranks are held.
 * `before` counts the members of the set in earlier stretches, so that "how many below r" and "the k-th absent" are
 * binary searches. Whoever builds a list keeps it so. */
struct knell_range {
    knell_rank first;
    knell_rank last;
    uint32_t before;
};

/* Functions return 0 or one of these, negative; outputs are set only on success. */
#define KNELL_ERRORS(X)                                                                 \
    X(EINVAL, 1, "an argument is out of its range")                                     \
    X(EFULL, 2, "the node's memory is full: move it into larger memory and step again") \
    X(EBUSY, 3, "the previous instance of this kind is not decided yet")                \
    X(EGROUP, 4, "no such group is registered here")                                    \
    X(ESTOPPED, 5, "the node has left, was fenced or was not started")                  \
    X(EWIRE, 6, "the bytes are not a message of this version")                          \
    X(ESPACE, 7, "the buffer given is too small")                                       \
    X(ESYSTEM, 8, "the operating system refused")                                       \
    X(ETIME, 9, "it did not happen in time")                                            \
    X(EPEER, 10, "the other processes do not agree to it")                              \
    X(EAUTH, 11, "the bytes were not made with this key")

enum knell_error {
#define KNELL_ERROR_ENUM(name, code, text) KNELL_##name = -(code),
    KNELL_ERRORS(KNELL_ERROR_ENUM)
#undef KNELL_ERROR_ENUM
};

/* The text of an error code; "success" for 0. */
const char *knell_error_text(int code);

#ifdef __cplusplus
}
#endif
#endif
