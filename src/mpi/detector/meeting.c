/* meeting.c: see meeting.h. Process 0 listens, and the MPI below carries the address to the others. The key comes with the environment when
 * `knell run` made one: then nothing secret goes through the MPI, which sends in clear. */
#include "mpi/detector/meeting.h"
#include "mpi/base/layer.h"
#include "mpi/base/settings.h"
#include "mpi/detector/neighbours.h"
#include "mpi/detector/network.h"
#include "runtime/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

_Static_assert((int)SIDE_ADDRESS == (int)KNELL__ADDRESS_TEXT, "an address fits");

/* Not said: what it is. */
static bool take_key(uint8_t key[SIDE_KEY])
{
    const char *text = settings_get("KNELL_KEY");
    if (!text)
        return false;
    if (strlen(text) != 2 * SIDE_KEY || strspn(text, "0123456789abcdefABCDEF") != 2 * SIDE_KEY)
        layer_die("KNELL_KEY is not %d hexadecimal digits", 2 * SIDE_KEY);
    for (int i = 0; i < SIDE_KEY; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        key[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

int side_invite(struct side_meeting *meeting)
{
    struct knell__address own, bound;
    uint8_t unused[SIDE_KEY];
    char text[KNELL__ADDRESS_TEXT];
    network_find(neighbours_share_network(), NULL, &own);
    int listening = knell__address_listen(&own, &bound);
    if (listening < 0)
        layer_die("cannot listen at %s (%s): KNELL_INTERFACE or KNELL_ADDRESS says where",
                  knell__address_host(&own, text), strerror(errno));
    if (!take_key(unused) && getrandom(meeting->key, sizeof meeting->key, 0) != sizeof meeting->key)
        layer_die("the system gives no random numbers");
    knell__address_text(&bound, meeting->address);
    return listening;
}

void meeting_accept(const struct side_meeting *meeting, struct meeting_own *own)
{
    struct knell__address there, here;
    if (knell__address_parse(meeting->address, &there) != 0)
        layer_die("rank 0 listens nowhere");
    network_find(neighbours_share_network(), self.process == 0 ? NULL : &there, &here);
    knell__address_host(&here, own->address);
    if (!take_key(own->key))
        memcpy(own->key, meeting->key, sizeof own->key);
}
