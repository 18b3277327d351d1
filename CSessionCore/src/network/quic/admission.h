/* Admission of connections under load: counts and rates for each host, and a rate of packets to strangers.
 *
 * A host is an IPv4 address or the first 64 bits of an IPv6 address. A source address proves nothing until
 * the host replies to a retry, so an unproved host is never refused because of packets with its address: it
 * gets a retry. */
#ifndef SC_NETWORK_QUIC_ADMISSION_H
#define SC_NETWORK_QUIC_ADMISSION_H

#include <stdbool.h>

#include "session-core/network/quic.h"

/* A rate limit: at most `burst` events at once, then `a_second` per second. Stores when the next event would
 * be on time. */
typedef struct sc_quic_rate {
  uint64_t on_time;
} sc_quic_rate;

/* True if one more event is within `burst` and `a_second`; counts it then. */
bool sc_quic_rate_allows(sc_quic_rate *rate, uint64_t now, uint32_t burst, uint32_t a_second);

typedef struct sc_quic_host {
  uint8_t prefix[8];
  uint8_t family; /* 0: unused entry */
  uint32_t links;
  sc_quic_rate handshakes;
} sc_quic_host;

typedef struct sc_quic_admission {
  const sc_env *env;
  sc_quic_host *hosts; /* NULL until needed */
  uint32_t capacity;
  uint8_t key[16];
  sc_quic_rate stateless;
} sc_quic_admission;

typedef enum sc_quic_verdict {
  SC_QUIC_ADMIT,
  SC_QUIC_PROVE,  /* send a retry */
  SC_QUIC_REFUSE, /* refuse because a limit is reached */
  SC_QUIC_IGNORE,
} sc_quic_verdict;

/* The load of the endpoint. */
typedef struct sc_quic_load {
  uint32_t links;
  uint32_t handshakes;
} sc_quic_load;

void sc_quic_admission_init(sc_quic_admission *admission, const sc_env *env, uint32_t hosts);
void sc_quic_admission_free(sc_quic_admission *admission);

/* Decides about a first packet from `peer`; `proved` if it has a valid retry token. `host` is set if
 * admitted, to be released with the link; NULL if no more hosts can be counted. */
sc_quic_verdict sc_quic_admission_judge(sc_quic_admission *admission, sc_quic_host **host, uint64_t now,
                                        const sc_address *peer, bool proved, sc_quic_load load,
                                        const sc_quic_limits *limits);
void sc_quic_admission_leave(sc_quic_host *host);

#endif
