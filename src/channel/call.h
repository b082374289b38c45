/* call.h: who connects to the channel: a supervisor, or the agent of a host. The other side is door.h. */
#ifndef KNELL_CHANNEL_CALL_H
#define KNELL_CHANNEL_CALL_H

#include "channel/hello.h"
#include "runtime/address.h"

/* Connects, and shakes hands under this number: a rank, or channel_agent_number() of an agent. Strangers may take the places at the door:
 * it is tried again, for half a minute. A descriptor that does not block; -1: errno says why, 0 that another program answers there. */
int channel_call(const struct knell__address *address, const struct knell__key *key, int number);

/* Until the descriptor is ready for this, or the time has come. */
bool channel_wait(int fd, short events, int64_t until);

#endif
