/* The sample of guards: the few nodes that may learn this client's address; and the middles, the few nodes
 * that may learn its guards.
 *
 * A plain value. Only proof changes it: lists of nodes, the calendar, and replies of destinations. No
 * failure, text or timeout does. Times are days, so that the file does not reveal when a user was online. */
#ifndef SC_SRC_NETWORK_GUARDS_SAMPLE_H
#define SC_SRC_NETWORK_GUARDS_SAMPLE_H

#include "../nodes/change.h"

enum {
  sc_sample_most = 9,      /* guards, including unlisted ones */
  sc_sample_full = 6,      /* guards drawn at first */
  sc_sample_primaries = 3, /* the first guards, which are tried before all others */
  sc_sample_in_use = 2,    /* guards that carry requests at the same time */
  sc_sample_growths = 3,   /* guards that may be added within … */
  sc_sample_growth_days = 30,
  sc_sample_unlisted_days = 7, /* a guard that is unlisted for this long is removed */
  sc_sample_setback_days =
      7, /* a guard that drops requests is used last for this long; at most one guard in this time */
  sc_sample_few_nodes = 12, /* in a network with fewer nodes, guards may have other roles too */
  sc_sample_most_middles = 8,
};

typedef struct sc_guard {
  uint8_t key[SC_KEY_BYTES];
  sc_day sampled;
  sc_day confirmed; /* when a destination first replied over it; 0: none did */
  uint32_t number;  /* confirmed guards are used in this order; 0: not confirmed */
  sc_day ends;
  sc_day unlisted;   /* since when it is unlisted; 0: it is listed */
  sc_day back_until; /* it is used last until then; 0: it is not */
} sc_guard;

/* A second hop of paths. */
typedef struct sc_middle {
  uint8_t key[SC_KEY_BYTES];
  sc_day ends;
} sc_middle;

/* Empty if zeroed. */
typedef struct sc_sample {
  sc_guard guards[sc_sample_most]; /* in the order of drawing */
  size_t count;
  uint64_t walked;                   /* seconds of trying without a primary guard */
  sc_day growths[sc_sample_growths]; /* the last growths, newest first */
  sc_day setback;                    /* day of the last setback */
  sc_middle middles[sc_sample_most_middles];
  size_t middle_count;
} sc_sample;

sc_guard *sc_sample_find(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);
bool sc_sample_has(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);

/* Fills in the listed guards in order of use, and returns their number. */
size_t sc_sample_order(const sc_guard *out[static sc_sample_most], const sc_sample *sample, sc_day today);

/* Returns the size of the sample in a network of this many nodes. */
size_t sc_sample_size(size_t nodes);

/* Records that a destination replied over the guard. False if nothing changed. */
bool sc_sample_confirm(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today,
                       const sc_env *env);

/* Makes the guard the last to be used for some days. False if that happened to a guard recently. */
bool sc_sample_set_back(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today);

/* The conditions that govern changes of the sample. */
typedef struct sc_sample_rules {
  bool is_private; /* it grows without limits, even by new nodes, because the operator knows all clients
                      anyway */
  bool is_diverse; /* guards are drawn from different /16 networks */
  bool is_proved;  /* a seed made the list */
  bool may_grow;   /* although all guards are listed, none could be reached for a day */
  bool has_grown;  /* it grew less than 24 hours ago */
} sc_sample_rules;

/* Updates the sample for the list of nodes and the calendar: expired guards are removed and others drawn.
 * False if nothing changed. */
bool sc_sample_review(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules, sc_day today,
                      const sc_env *env);

/* ---- middles (middles.c) ---- */

/* Returns the number of middles in a network of this many nodes; 0 in a small one. */
size_t sc_middles_size(size_t nodes);

bool sc_sample_has_middle(const sc_sample *sample, const uint8_t key[static SC_KEY_BYTES]);

/* Replaces middles that expired, are unlisted or became guards. False if nothing changed. */
bool sc_sample_review_middles(sc_sample *sample, const sc_node_pool *pool, const sc_sample_rules *rules,
                              sc_day today, const sc_env *env);

/* Marks the middle for replacement at the next review. */
void sc_sample_end_middle(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day today);

/* Adds a guard from before there was a sample, and confirms it. Does nothing if it is present or there is no
 * room. */
void sc_sample_inherit(sc_sample *sample, const uint8_t key[static SC_KEY_BYTES], sc_day since,
                       const sc_env *env);

#endif
