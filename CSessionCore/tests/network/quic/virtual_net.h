/* A network in virtual time: endpoints to drive, and datagrams that are delayed, lost, reordered, duplicated
 * and corrupted as configured. Everything follows from one seed.
 *
 * Its own memory does not count as the test's. */
#ifndef SC_TESTS_VIRTUAL_NET_H
#define SC_TESTS_VIRTUAL_NET_H

#include <stdbool.h>

#include "session-core/network/driven.h"

enum { net_most_parties = 8 };

static const uint64_t millisecond = 1000000;
static const uint64_t second = 1000000000;

typedef struct net_conditions {
  uint64_t delay;   /* from one side to the other */
  uint64_t jitter;  /* maximum extra latency, which lets datagrams overtake each other */
  uint32_t lost;    /* of 1000 datagrams, in each direction */
  uint32_t doubled; /* of 1000 */
  uint32_t damaged; /* of 1000; one bit */
  size_t largest;   /* maximum datagram size; 0: any */
} net_conditions;

typedef struct net_party {
  sc_driven driven;
  sc_address address; /* its public address; changing it simulates a new NAT mapping */
  bool dead;          /* neither driven nor reachable */
} net_party;

typedef struct net_datagram {
  uint64_t at;
  uint64_t order;
  sc_address from;
  sc_address to;
  uint8_t ecn;
  size_t len;
  uint8_t *bytes;
} net_datagram;

typedef struct net {
  uint64_t now;
  uint64_t seed;
  net_conditions conditions;
  net_party parties[net_most_parties];
  size_t party_count;
  net_datagram *under_way; /* a heap */
  size_t count;
  size_t capacity;
  uint64_t order;
  uint64_t sent; /* datagrams */
  uint64_t sent_bytes;
  uint64_t digest; /* a hash of everything sent: time, source, destination, content */
  uint64_t largest_sent;
  uint8_t *room;
  uint64_t steps;
  bool tells_local; /* to each party, the address that a datagram was sent to */
  /* If set, sees each datagram before it is sent, and may drop it. */
  bool (*watch)(void *user, size_t from, sc_bytes datagram);
  void *user;
} net;

void net_init(net *n, uint64_t seed);
void net_free(net *n);

/* Adds a party with the address 10.0.0.(1 + index):4433, and gives its index. */
size_t net_add(net *n, sc_driven driven);
sc_address net_address(uint8_t last_byte, uint16_t port);

/* Sends a datagram in the name of `from`. */
void net_inject(net *n, const sc_address *from, const sc_address *to, sc_bytes bytes);

/* Continues until the condition holds (true) or the time has come (false); NULL never holds. */
bool net_run(net *n, uint64_t until, bool (*condition)(void *user), void *user);

/* A random number below `bound`, from the seed. */
uint64_t net_random(net *n, uint64_t bound);

#endif
