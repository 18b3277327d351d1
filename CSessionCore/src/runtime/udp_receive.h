/* Incoming datagrams: memory for a batch, filled by one system call. */
#ifndef SC_RUNTIME_UDP_RECEIVE_H
#define SC_RUNTIME_UDP_RECEIVE_H

#include "session-core/network/driven.h"
#include "tally.h"
#include "udp_socket.h"

/* The longest expected datagram, if the system delivers them one by one. */
#define SC_DATAGRAM_MAX_BYTES 2048

typedef struct sc_inbox sc_inbox;

/* `coalescing`: a socket may receive up to 64 KiB of datagrams in one message. */
SC_NODISCARD sc_status sc_inbox_new(sc_inbox **out, const sc_env *env, bool coalescing);
void sc_inbox_free(sc_inbox *inbox, const sc_env *env);

/* Reads the datagrams waiting at the socket, at most SC_RUNTIME_MESSAGES_PER_TURN messages. The runs are
 * valid until the next call. Reports of earlier failures are counted and skipped. */
size_t sc_udp_receive(const sc_datagrams **out, sc_inbox *inbox, const sc_udp_socket *socket,
                      sc_tally *tally);

#endif
