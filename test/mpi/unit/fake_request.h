/* fake_request.h: requests of the fake MPI, between fake_message.c and fake_request.c. */
#ifndef KNELL_TEST_MPI_FAKE_REQUEST_H
#define KNELL_TEST_MPI_FAKE_REQUEST_H

#include "fake.h"

enum { FAKE_REQUESTS = 4096, FAKE_COMPLETE = 0x1f000 }; /* that of sends which are complete at once */

enum fake_kind { FAKE_UNUSED, FAKE_SEND, FAKE_POSTED, FAKE_RECEIVED, FAKE_TOKEN };

struct fake_request {
    enum fake_kind kind;
    bool complete, cancelled, cut;
    unsigned order; /* of posting */
    MPI_Comm context;
    int source, tag, room, size;
    void *buffer;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void *state;
};

extern struct fake_request fake_request[FAKE_REQUESTS];

struct fake_request *fake_request_new(enum fake_kind kind, MPI_Request *handle);

#endif
