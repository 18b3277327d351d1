/* Reports by swarm members that an account is elsewhere (421).
 *
 * Without a newer list of nodes, the swarm that two members name is a hint: until the next list, for at most
 * ten minutes, every other read of the account goes there. If all members of its swarm in the newest list
 * refuse an account, its requests are held: for a minute at first, then up to fifteen. Nothing here changes
 * the mapping of accounts to swarms. */
#ifndef SC_SRC_NETWORK_ROUTER_MOVED_H
#define SC_SRC_NETWORK_ROUTER_MOVED_H

#include "../paths/swarm_key.h"
#include "session-core/network/storage_nodes.h"

enum { sc_moved_most = 32, /* accounts; the least recently reported is dropped */ };

typedef struct sc_moved_account {
  bool is_used;
  sc_swarm_key key;
  uint64_t told_at;
  uint8_t refusals[SC_STORAGE_MAX_SWARM / 8]; /* one bit per member, since the last list */
  size_t refusal_count;
  bool was_refreshed; /* true if the list was refreshed since the first refusal */
  uint64_t hint;
  uint64_t hint_until; /* 0: none */
  bool was_followed;   /* true if the last read followed the hint */
  uint64_t hold;       /* how long its requests are held; 0: they are not */
  uint64_t held_until;
} sc_moved_account;

/* Empty if zeroed. */
typedef struct sc_moved {
  sc_moved_account list[sc_moved_most];
} sc_moved;

/* Handles a newer list: hints and refusals are dropped. */
void sc_moved_take_list(sc_moved *moved);

/* Records a 421 of the member at this place of a swarm of `members` in the list. */
void sc_moved_note_refusal(sc_moved *moved, const sc_swarm_key *key, size_t place, size_t members,
                           uint64_t now);

/* Records that the list was refreshed because of it. */
void sc_moved_note_refreshed(sc_moved *moved, const sc_swarm_key *key);

/* Records that a request ended with 421. */
void sc_moved_note_end(sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* Records that a member keeps the account, which is therefore not elsewhere. */
void sc_moved_note_kept(sc_moved *moved, const sc_swarm_key *key);

/* True while requests about the account are not sent. */
bool sc_moved_is_held(const sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* Stores the swarm that two members named. */
void sc_moved_keep_hint(sc_moved *moved, const sc_swarm_key *key, uint64_t hint, uint64_t now);

/* Returns the hint for the account. False if there is none. */
bool sc_moved_hint(uint64_t *out, const sc_moved *moved, const sc_swarm_key *key, uint64_t now);

/* True if the next read should follow the hint. */
bool sc_moved_is_turn(const sc_moved *moved, const sc_swarm_key *key);
void sc_moved_note_read(sc_moved *moved, const sc_swarm_key *key, bool followed);

#endif
