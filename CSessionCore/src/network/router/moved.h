/* What members of swarms say of accounts that they do not keep (421).
 *
 * Without a newer list of nodes, the swarm that two members name is a hint: until the next list, and ten
 * minutes at most, every other read of the account goes there. An account that no member of its swarm keeps,
 * by the newest list, is elsewhere: its requests rest, a minute at first and then up to fifteen. Nothing here
 * changes the map. */
#ifndef SC_SRC_NETWORK_ROUTER_MOVED_H
#define SC_SRC_NETWORK_ROUTER_MOVED_H

#include "../paths/swarm_key.h"
#include "session-core/network/storage_nodes.h"

enum { sc_moved_most = 32, /* accounts; the one that was told of least recently goes */ };

typedef struct sc_moved_account {
  bool is_used;
  sc_swarm_key key;
  uint64_t told_at;
  uint8_t refusals[SC_STORAGE_MAX_SWARM / 8]; /* a bit for each member, since the last list */
  size_t refusal_count;
  bool was_refreshed; /* the list, since the first refusal */
  uint64_t hint;
  uint64_t hint_until; /* 0: none */
  bool was_followed;   /* by the last read */
  uint64_t rest;       /* how long it rests; 0: it is not elsewhere */
  uint64_t rests_until;
} sc_moved_account;

/* Zeroed, there are none. */
typedef struct sc_moved {
  sc_moved_account list[sc_moved_most];
} sc_moved;

/* There is a newer list: no hint counts any more, and members have said nothing yet. */
void sc_moved_take_list(sc_moved *moved);

/* A member says 421: the one at this place of a swarm of `members`, by the list. */
void sc_moved_note_refusal(sc_moved *moved, const sc_swarm_key *key, size_t place, size_t members,
                           uint64_t now);

/* The list was fetched because of it, and is as before or newer. */
void sc_moved_note_refreshed(sc_moved *moved, const sc_swarm_key *key);

/* A request ended with 421. */
void sc_moved_note_end(sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* A member keeps the account: it is not elsewhere. */
void sc_moved_note_kept(sc_moved *moved, const sc_swarm_key *key);

/* True while requests about the account are not sent. */
bool sc_moved_rests(const sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* Keeps the swarm that two members named. */
void sc_moved_keep_hint(sc_moved *moved, const sc_swarm_key *key, uint64_t hint, uint64_t now);

/* The hint that is kept for the account. False if there is none. */
bool sc_moved_hint(uint64_t *out, const sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* True if the next read is to follow it. */
bool sc_moved_is_turn(const sc_moved *moved, const sc_swarm_key *key);
void sc_moved_note_read(sc_moved *moved, const sc_swarm_key *key, bool followed);

#endif
