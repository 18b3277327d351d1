/* A history: devices of two accounts that write to each other over a network that loses, doubles and
 * shuffles, start new sessions, restart, and are copied by a thief. Everything follows from one seed. */
#ifndef SC_TESTS_RATCHET_HISTORIES_HISTORY_H
#define SC_TESTS_RATCHET_HISTORIES_HISTORY_H

#include <stdbool.h>

#include "session-core/session-core.h"
#include "support/test_env.h"

enum {
  most_devices = 8, /* of both accounts */
  most_sessions = 96,
  most_messages = 400,
  most_under_way = 1024,
  flaw_chars = 200,
};

/* A session as one of its devices holds it. */
typedef struct held_session {
  size_t peer;
  sc_ratchet_session *session;
  bool confirmed;
  unsigned half_trips; /* since the theft, or its start */
} held_session;

typedef struct device {
  size_t account;
  sc_ratchet_device keys;
  sc_ratchet_prekeys prekeys;
  sc_buffer published;
  held_session sessions[most_sessions];
  size_t session_count;
  uint32_t last_start_s;
  bool was_opened[most_messages];
} device;

/* A message on its way to one device. */
typedef struct delivery {
  size_t from, to;
  unsigned number;
  unsigned half_trips; /* of its session, when it was sealed */
  sc_bytes message;    /* owned by the history */
} delivery;

/* What a history did, in numbers. */
typedef struct history_sums {
  uint64_t sealed, opened, started, lost, doubled;
  uint64_t stolen; /* messages that the thief could read after the theft */
  uint64_t closed; /* and those it could not */
  uint64_t keys;   /* pairs of a key and a nonce */
} history_sums;

typedef struct history {
  uint64_t state; /* of the generator */
  sc_test_env env;
  sc_account accounts[2];
  device devices[most_devices];
  size_t device_count;
  sc_buffer messages[most_messages];
  unsigned sent;
  delivery under_way[most_under_way];
  size_t count;
  bool settles; /* nothing is lost any more */
  uint32_t now_s;
  device thief;  /* a copy of the device `victim` */
  size_t victim; /* device_count: nothing was stolen yet */
  bool planted;  /* a flaw for the self-test: a device forgets to keep what it opened */
  history_sums sums;
  char flaw[flaw_chars]; /* the first; empty when there is none */
} history;

/* Runs a history to its end. True if every claim held. */
bool history_run(history *h, uint64_t seed, unsigned steps, history_sums *sums);

/* Records a flaw, if it is the first. */
void history_fail(history *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Theft, in theft.c. The copy sees what comes to its device; what it opens from the third round trip of a
 * session on is a flaw. */
void theft_begin(history *h, size_t victim);
void theft_see(history *h, const delivery *d, const sc_ratchet_envelope *envelope);
void theft_end(history *h);

/* Keys and nonces, in uses.c: counts those of every encryption since `uses_begin`. */
void uses_begin(void);
uint64_t uses_count(void);
/* True if a key was used twice with one nonce. */
bool uses_repeat(void);

#endif
