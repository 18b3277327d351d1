/* Control data of a datagram: ECN bits, the local address, and the segment size. */
#ifndef SC_RUNTIME_CONTROL_H
#define SC_RUNTIME_CONTROL_H

#include <stdalign.h>
#include <sys/socket.h>

#include "session-core/network/driven.h"
#include "udp_socket.h"

/* The size of control data in either direction, in the larger (IPv6) form; a dual socket reports addresses
 * twice. */
#define SC_CONTROL_BYTES 192

typedef struct sc_control {
  alignas(struct cmsghdr) uint8_t bytes[SC_CONTROL_BYTES];
} sc_control;

/* Attaches the control data of `run` to `message`; `segment` is 0 for a single datagram. */
void sc_control_write(struct msghdr *message, sc_control *room, const sc_udp_socket *from,
                      const sc_datagrams *run, size_t segment);

/* Fills in `local`, `ecn` and `segment` of a run from its control data. */
void sc_control_read(sc_datagrams *run, const struct msghdr *message, const sc_udp_socket *to);

#endif
