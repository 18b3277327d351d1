/* A kind of config in schedules: how a device makes it, edits it at random, and reads it completely.
 *
 * Edits choose among few values of few records, so that devices often make equal edits and often conflicting
 * ones. */
#ifndef SC_TESTS_SCHEDULES_KIND_H
#define SC_TESTS_SCHEDULES_KIND_H

#include "session-core/session-core.h"
#include "support/draws.h"

/* The owner of the configs. */
typedef struct parties {
  sc_keypair account;
  sc_keypair group;
  sc_id group_id;
} parties;

typedef struct kind {
  const char *name;
  bool administration; /* not a config: see group_world.h; the rest is unset */
  bool of_group;       /* signed by admins, read by others; encrypted with keys that change */
  /* For an account's config `admin` is ignored. */
  sc_status (*make)(void **out, const sc_env *env, const parties *who, bool admin, sc_bytes dump);
  void (*free)(void *object);
  sc_config *(*config)(void *object);
  sc_status (*edit)(void *object, draws *from, uint64_t wall_ms);
  /* A value only device `owner` writes, in a place that random edits do not touch. */
  sc_status (*set_own)(void *object, unsigned owner, uint32_t value, uint64_t wall_ms);
  bool (*has_own)(const void *object, unsigned owner, uint32_t value);
  /* Appends everything that can be read. */
  sc_status (*describe)(sc_buffer *out, const void *object);
  /* The effect of time on it. NULL if there is none. */
  sc_status (*age)(void *object, uint64_t wall_ms);
  /* Makes it too large to be stored whole. NULL if it cannot be. */
  sc_status (*grow)(void *object, draws *from, uint64_t wall_ms);
} kind;

/* Shared by the files of all kinds: the functions around the object, and the kind with the functions that
 * such a file defines under these names. */
#define KIND_OF_ACCOUNT(object) KIND_OBJECT(object, &who->account)
#define KIND_OF_GROUP(object) KIND_OBJECT(object, &who->group_id, admin ? &who->group.ed : NULL)
#define KIND_OBJECT(object, ...)                                                                             \
  static sc_status make(void **out, const sc_env *env, const parties *who, bool admin, sc_bytes dump) {      \
    (void)admin;                                                                                             \
    object *made;                                                                                            \
    sc_status status = object##_new(&made, env, __VA_ARGS__, dump);                                          \
    *out = made;                                                                                             \
    return status;                                                                                           \
  }                                                                                                          \
  static void free_object(void *made) {                                                                      \
    object##_free(made);                                                                                     \
  }                                                                                                          \
  static sc_config *config(void *made) {                                                                     \
    return object##_config(made);                                                                            \
  }
#define KIND_PARTS                                                                                           \
  .make = make, .free = free_object, .config = config, .edit = edit, .set_own = set_own, .has_own = has_own, \
  .describe = describe

extern const kind user_profile_kind;
extern const kind contacts_kind;
extern const kind convo_info_volatile_kind;
extern const kind user_groups_kind;
extern const kind group_info_kind;
extern const kind group_members_kind;
extern const kind group_keys_kind;

#endif
