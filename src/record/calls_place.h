/* calls_place.h: the places of a record's stacks, looked up once when it is opened. */
#ifndef KNELL_RECORD_CALLS_PLACE_H
#define KNELL_RECORD_CALLS_PLACE_H

#include "record/calls.h"

struct record_calls_places {
    uint64_t stack_key[JOB_RECORD_STACKS], site_key[JOB_RECORD_STACKS];
    uint32_t site[JOB_RECORD_STACKS];
};

/* `head` has been checked; zeroed `places`. */
void record_calls_find_places(const struct job_record_head *head, uint32_t modules, uint32_t stacks,
                              struct record_calls_places *places);

#endif
