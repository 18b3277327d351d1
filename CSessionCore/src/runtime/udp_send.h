/* Outgoing datagrams: a run is passed to the system in one call if segmentation works, otherwise datagram by
 * datagram. */
#ifndef SC_RUNTIME_UDP_SEND_H
#define SC_RUNTIME_UDP_SEND_H

#include "session-core/network/driven.h"
#include "tally.h"
#include "udp_socket.h"

/* Sends the runs in order and returns the number of finished ones: sent, or lost. Fewer than `count` means
 * that the socket is full; the next run then begins with its unsent part. If segmentation turns out not to
 * work, the socket's flag is cleared. */
size_t sc_udp_send(sc_udp_socket *socket, sc_datagrams *runs, size_t count, sc_tally *tally);

#endif
