/* A kind of config as schedules see it: how a device makes it, edits it at random, and reads all of it out.
 *
 * Edits choose among few values of few records, so that devices often want the same, and often not. */
#ifndef SC_TESTS_SCHEDULES_KIND_H
#define SC_TESTS_SCHEDULES_KIND_H

#include "session-core/session-core.h"
#include "support/draws.h"

/* Whose configs they are. */
typedef struct parties {
  sc_keypair account;
  sc_keypair group;
  sc_id group_id;
} parties;

typedef struct kind {
  const char *name;
  bool administration; /* not a config: see group_world.h; the rest is not filled in */
  bool of_group;       /* signed by admins, read by others; encrypted with keys that change */
  /* `admin` means nothing to an account's config. */
  sc_status (*make)(void **out, const sc_env *env, const parties *who, bool admin, sc_bytes dump);
  void (*free)(void *object);
  sc_config *(*config)(void *object);
  sc_status (*edit)(void *object, draws *from, uint64_t wall_ms);
  /* A value that only device `owner` ever writes, in a place that no random edit touches. */
  sc_status (*set_own)(void *object, unsigned owner, uint32_t value, uint64_t wall_ms);
  bool (*has_own)(const void *object, unsigned owner, uint32_t value);
  /* Appends everything that can be read. */
  sc_status (*describe)(sc_buffer *out, const void *object);
  /* What time does to it. NULL when that is nothing. */
  sc_status (*age)(void *object, uint64_t wall_ms);
  /* Makes it too large to be stored whole. NULL for what never is. */
  sc_status (*grow)(void *object, draws *from, uint64_t wall_ms);
} kind;

/* What is alike in the files of all kinds: the functions around the object, and the kind with the functions
 * that such a file has, under these names. */
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
