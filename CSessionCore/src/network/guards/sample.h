/* The sample of guards: the few nodes that may learn this client's address; and the middles, the few nodes
 * that may learn its guards.
 *
 * A plain value. It changes by proof only: the lists of nodes, the calendar, and replies of destinations. No
 * failure, text or timeout changes it. Times are days, so that the file does not tell when somebody was
 * online. */
#ifndef SC_SRC_NETWORK_GUARDS_SAMPLE_H
#define SC_SRC_NETWORK_GUARDS_SAMPLE_H

#include "../nodes/change.h"

enum {
  sc_sample_most = 9,      /* guards, those that no list has included */
  sc_sample_full = 6,      /* guards that are drawn at first */
  sc_sample_primaries = 3, /* the first guards, which are tried before all others */
  sc_sample_in_use = 2,    /* guards that carry requests at a time */
  sc_sample_growths = 3,   /* guards that may be added in … */
  sc_sample_growth_days = 30,
  sc_sample_unlisted_days = 7, /* a guard that no list has for so long leaves */
  sc_sample_setback_days = 7,  /* a guard that drops paths stands behind the others; one in so many days */
  sc_sample_few_nodes = 12,    /* in a network with fewer nodes, guards may have other roles too */
  sc_sample_most_middles = 8,
};

typedef struct sc_guard {
  uint8_t key[SC_KEY_BYTES];
  sc_day sampled;
  sc_day confirmed; /* when the first reply of a destination came over it; 0: none did */
  uint32_t number;  /* confirmed ones are used in the order of their numbers; 0: not confirmed */
  sc_day ends;
  sc_day unlisted;   /* since when no list has it; 0: the last one has */
  sc_day back_until; /* it stands behind the others until then; 0: it does not */
} sc_guard;

/* A second hop of paths. */
typedef struct sc_middle {
  uint8_t key[SC_KEY_BYTES];
  sc_day ends;
} sc_middle;

/* Zeroed, it is empty. */
typedef struct sc_sample {
  sc_guard guards[sc_sample_most]; /* in the order in which they were drawn */
  size_t count;
  uint64_t walked;                   /* seconds of trying without a primary guard */
  sc_day growths[sc_sample_growths]; /* the last ones, newest first */
  sc_day setback;                    /* the last one */
  sc_middle middles[sc_sample_most_middles];
  size_t middle_count;
} sc_sample;

sc_guard *sc_sample_find(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);
bool sc_sample_has(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);

/* Fills in the guards that the last list has, in the order in which they are used, and returns their number.
 */
size_t sc_sample_order(const sc_guard *out[static sc_sample_most], const sc_sample *sample, sc_day today);

/* The size of the sample in a network of so many nodes, and how many of it are used at a time. */
size_t sc_sample_size(size_t nodes);

/* A destination replied over the guard. False if nothing changed. */
bool sc_sample_confirm(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today,
                       const sc_env *env);

/* Puts the guard behind the others for some days. False if that happened to one lately. */
bool sc_sample_set_back(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today);

/* The conditions that govern changes of the sample. */
typedef struct sc_sample_rules {
  bool is_private; /* it grows without limits, by new nodes too: the operator knows all clients anyway */
  bool is_diverse; /* guards are drawn from different networks of 65536 addresses */
  bool is_proved;  /* a seed made the list */
  bool may_grow;   /* though all guards are listed: none could be reached for a day */
  bool has_grown;  /* less than 24 hours ago */
} sc_sample_rules;

/* Takes the list of nodes and the calendar into account: guards leave at their end, and others are drawn.
 * False if nothing changed. */
bool sc_sample_review(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                      const sc_env *env);

/* ---- middles (middles.c) ---- */

/* How many middles there are in a network of so many nodes; in a small one there are none. */
size_t sc_middles_size(size_t nodes);

bool sc_sample_has_middle(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);

/* Replaces the middles whose end has come, that no list has, or that became guards. False if nothing changed.
 */
bool sc_sample_review_middles(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules,
                              sc_day today, const sc_env *env);

/* The middle is to be replaced at the next review. */
void sc_sample_end_middle(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today);

/* Adds a guard that was used before there was a sample, and confirms it. Does nothing if it is there, or if
 * there is no room. */
void sc_sample_inherit(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day since,
                       const sc_env *env);

#endif
