/* The world a schedule happens in: devices, their swarm, and time. A claim that does not hold is its flaw,
 * and ends the schedule; functions that make claims return whether all of them held. */
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
  unsigned keys;              /* of the group's, how many it was told */
  sc_config_hashes to_delete; /* obsolete, and not deleted yet */
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
  unsigned keys;      /* of the group's, how many there are */
  bool only_own;      /* so far nothing was done that could have overwritten own values */
  bool lost, crashed; /* a message of the swarm; a device: with both, something may be forgotten for ever */
  unsigned settled;   /* rounds that settling took, at most */
  uint64_t merged;    /* messages */
  uint64_t in_parts;  /* of the pushes, how many */
  bool loud;          /* says what happens */
  bool planted;       /* a flaw of its own, to prove that flaws are found: see main.c */
  char flaw[flaw_chars];
} world;

#define SAYS_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Notes the flaw. Always false. */
bool world_flaw(world *w, const char *format, ...) SAYS_LIKE(2, 3);
void world_say(const world *w, const char *format, ...) SAYS_LIKE(2, 3);

/* In functions that have a world `w` and return whether all claims held. */
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

/* A device that was never there before. `device_free` forgets everything it has. */
bool device_begin(world *w, device *d, unsigned number, bool admin);
void device_free(device *d);
/* Makes the object anew from what was saved. */
bool device_reload(world *w, device *d);
bool device_save(world *w, device *d);
/* Hands the group's keys, as many as the device was told, to its config. */
bool device_take_keys(world *w, device *d, bool dirty);

static inline bool device_reads_only(const world *w, const device *d) {
  return w->kind->of_group && !d->admin;
}

/* Pushes, and gives what there is to send. The obsolete hashes of former pushes that failed go with it. */
bool device_push(world *w, device *d, request *out);
void request_free(request *r);

/* Stores `parts` of the messages of a request. */
void swarm_store(world *w, const request *r, size_t parts);
/* Deletes hashes, which must be of configs. */
bool swarm_delete(world *w, const sc_config_hashes *hashes);
bool device_confirm(world *w, device *d, const request *r);
/* All of it goes well. */
bool device_push_safely(world *w, device *d);
bool device_tidy(world *w, device *d);
/* Stores again what the config needs and the swarm has not, while the config is clean; whether it was so goes
 * to `*restored`. */
bool device_restore(world *w, device *d, bool *restored);

/* Merges these messages of the swarm, in this order. */
bool device_merge(world *w, device *d, const size_t *indices, size_t count, sc_config_effect *effect);
/* Claims that merging changes nothing. */
bool device_merge_in_vain(world *w, device *d, const size_t *indices, size_t count);
/* The messages that are there, in any order. */
size_t swarm_list(size_t *out, const swarm *swarm, draws *from);

/* Runs a schedule from the beginning to the end, and claims all there is to claim. */
bool world_run(world *w);

/* Everybody polls and pushes until there is nothing to do; then all must be the same. */
bool world_settle(world *w, uint32_t choices);

#endif
