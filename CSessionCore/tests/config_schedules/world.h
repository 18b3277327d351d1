/* The world of a schedule: devices, their swarm, and time. A false claim is recorded as its flaw and ends the
 * schedule; functions that make claims return true if all of them held. */
#ifndef SC_TESTS_SCHEDULES_WORLD_H
#define SC_TESTS_SCHEDULES_WORLD_H

#include "kind.h"
#include "schedule.h"
#include "support/test_env.h"
#include "swarm.h"

enum { most_under_way = 4, flaw_chars = 400, most_keys = 16 };

/* A push on its way to the swarm. */
typedef struct request {
  int64_t seqno;
  size_t first, parts; /* its messages in the swarm */
  sc_config_hashes obsolete;
} request;

typedef struct device {
  unsigned number;
  bool admin;
  void *object;
  sc_config *config;          /* of the object */
  sc_buffer saved;            /* its last dump; empty when there is none */
  int64_t skew_ms;            /* of its clock */
  unsigned keys;              /* the number of the group's keys it was given */
  sc_config_hashes to_delete; /* obsolete hashes, not deleted yet */
  request under_way[most_under_way];
  size_t under_way_count;
  uint32_t own; /* its own value; 0 when not set */
} device;

typedef struct world {
  const kind *kind;
  const parties *who;
  const schedule *plan;
  sc_test_env memory;
  swarm swarm;
  device devices[most_devices];
  uint64_t now_ms;
  unsigned keys;      /* the number of the group's keys */
  bool only_own;      /* no step so far could have overwritten own values */
  bool lost, crashed; /* a message of the swarm; a device: with both, an edit may be lost for good */
  unsigned settled;   /* the most rounds that settling took */
  uint64_t merged;    /* messages */
  uint64_t in_parts;  /* the number of pushes in parts */
  bool loud;          /* prints each step */
  bool planted;       /* has a deliberate flaw, to prove that flaws are found: see main.c */
  char flaw[flaw_chars];
} world;

#define SAYS_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Records the flaw. Always false. */
bool world_flaw(world *w, const char *format, ...) SAYS_LIKE(2, 3);
void world_say(const world *w, const char *format, ...) SAYS_LIKE(2, 3);

/* For functions that have a world `w` and return true if all claims held. */
#define HOLDS(condition, ...)                                                                                \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      return world_flaw(w, __VA_ARGS__);                                                                     \
  } while (0)
#define WORKS(call)                                                                                          \
  do {                                                                                                       \
    sc_status works_status = (call);                                                                         \
    if (works_status != SC_OK)                                                                               \
      return world_flaw(w, "%s: %s", #call, sc_status_text(works_status));                                   \
  } while (0)

bool world_begin(world *w, const kind *kind, const parties *who, const schedule *plan);
/* Claims that no memory is left. */
bool world_end(world *w);

uint64_t device_wall_ms(const world *w, const device *d);

/* A new device. `device_free` drops its whole state. */
bool device_begin(world *w, device *d, unsigned number, bool admin);
void device_free(device *d);
/* Recreates the object from its dump. */
bool device_reload(world *w, device *d);
bool device_save(world *w, device *d);
/* Gives the keys the device knows to its config. */
bool device_take_keys(world *w, device *d, bool dirty);

static inline bool device_reads_only(const world *w, const device *d) {
  return w->kind->of_group && !d->admin;
}

/* Pushes, and returns the request to send. It includes the obsolete hashes of earlier failed pushes. */
bool device_push(world *w, device *d, request *out);
void request_free(request *r);

/* Stores `parts` of the messages of a request. */
void swarm_store(world *w, const request *r, size_t parts);
/* Deletes hashes, which must be those of configs. */
bool swarm_delete(world *w, const sc_config_hashes *hashes);
bool device_confirm(world *w, device *d, const request *r);
/* A push without any failure. */
bool device_push_safely(world *w, device *d);
bool device_tidy(world *w, device *d);
/* Stores again what the config needs and the swarm has lost, while the config is clean; `*restored` is true
 * if anything was missing. */
bool device_restore(world *w, device *d, bool *restored);

/* Merges these messages of the swarm, in this order. */
bool device_merge(world *w, device *d, const size_t *indices, size_t count, sc_config_effect *effect);
/* Claims that merging changes nothing. */
bool device_merge_in_vain(world *w, device *d, const size_t *indices, size_t count);
/* The stored messages, in any order. */
size_t swarm_list(size_t *out, const swarm *swarm, draws *from);

/* Runs a schedule to its end, and checks all claims. */
bool world_run(world *w);

/* All devices poll and push until nothing is left to do; then they must be equal. */
bool world_settle(world *w, uint32_t choices);

#endif
