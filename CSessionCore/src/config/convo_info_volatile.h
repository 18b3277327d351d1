/* How conversations are stored, for the files that implement their config. */
#ifndef SC_SRC_CONFIG_CONVO_INFO_VOLATILE_H
#define SC_SRC_CONFIG_CONVO_INFO_VOLATILE_H

#include "community_rooms.h"
#include "object.h"
#include "section.h"
#include "session-core/config/convo_info_volatile.h"

/* The age at which clients of 2025 erase a synchronised conversation. */
#define SC_CONVO_DROP_MS ((int64_t)45 * 24 * 60 * 60 * 1000)
/* The treatment of conversations that were read long ago and are not marked as unread. */
typedef enum sc_convo_ageing {
  /* Those read SC_CONVO_ARCHIVE_MS ago are archived, unless the other side's Pro lasted until then: when they
   * are set, before changes are pushed and after each merge. This is the default. */
  SC_CONVO_ARCHIVES = 0,
  /* As clients of 2025 do: so old a time is not stored, unless it replaces a later one; before each push,
   * conversations read SC_CONVO_DROP_MS ago are erased, except for groups. */
  SC_CONVO_DROPS = 1,
} sc_convo_ageing;

/* For tests that compare with clients of 2025. */
void sc_convo_info_set_ageing(sc_convo_info *info, sc_convo_ageing ageing);

/* Lets conversations age, as a push of changes does anyway. */
SC_NODISCARD sc_status sc_convo_info_age(sc_convo_info *info, uint64_t wall_ms);

struct sc_convo_info {
  const sc_env *env;
  sc_config *config;
  sc_convo_ageing ageing;
};

/* A dict with conversations of one form. Sections are in the order of iteration. */
typedef struct sc_convo_section {
  sc_convo_kind kind;
  const char *name;
  sc_id_kind id_kind; /* not for rooms */
} sc_convo_section;

enum { sc_convo_section_count = 6 };
extern const sc_convo_section sc_convo_sections[sc_convo_section_count];

bool sc_convo_is_last_section(const sc_convo_section *section);

/* Returns the first section of a kind; NULL for an unknown kind. */
const sc_convo_section *sc_convo_first_section(sc_convo_kind kind);

/* Finds the section of a conversation and checks its kind and its id or community. SC_ERR_ID_KIND,
 * SC_ERR_ARGUMENT, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_NODISCARD sc_status sc_convo_section_of(const sc_convo_section **out, const sc_convo *convo);

/* Reads the conversation with this kind and id or community from `data`. SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_convo_find(sc_convo *convo, const sc_convo_section *section, const sc_env *env,
                                     const sc_config_node *data);

/* The same, even for a room whose server has no key. */
SC_NODISCARD sc_status sc_convo_find_record(sc_convo *convo, const sc_convo_section *section,
                                            const sc_env *env, const sc_config_node *data);

typedef sc_status (*sc_convo_finder)(sc_convo *convo, const sc_convo_section *section, const sc_env *env,
                                     const sc_config_node *data);

/* A walk through a section. */
typedef struct sc_convo_walk {
  const sc_convo_section *section;
  union {
    sc_config_section ids;
    sc_config_rooms rooms;
  } at;
} sc_convo_walk;

/* Moves before the first conversation of the section, or the first after another one. */
SC_NODISCARD sc_status sc_convo_walk_begin(sc_convo_walk *out, const sc_convo_section *section,
                                           const sc_env *env, const sc_config_node *data,
                                           const sc_convo *after);

/* False at the end. Sets every member of `out` except `archived`. */
bool sc_convo_walk_next(sc_convo *out, sc_convo_walk *walk);

/* The path of a conversation's record, valid as long as `convo`. */
typedef struct sc_convo_path {
  sc_bytes keys[sc_config_room_keys];
} sc_convo_path;

sc_config_path sc_convo_path_of(sc_convo_path *keys, const sc_convo_section *section, const sc_convo *convo);

/* Erases a conversation from `*data`. */
SC_NODISCARD sc_status sc_convo_remove(sc_config_node **data, const sc_env *env,
                                       const sc_convo_section *section, const sc_convo *convo);

/* A change of the config and of its archive: both happen, or neither. */
typedef struct sc_convo_change {
  sc_convo_info *info;
  sc_config_change synced;
  sc_config_node *archive;
} sc_convo_change;

void sc_convo_change_begin(sc_convo_change *out, sc_convo_info *info);
SC_NODISCARD sc_status sc_convo_change_end(sc_convo_change *change);

/* Erases a conversation from the archive. */
void sc_convo_unarchive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo);

/* Moves a conversation from the archive back to the synchronised data, unless it is there already. */
void sc_convo_restore(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo);

/* Moves a conversation that was just written to the archive or back, according to its age. */
void sc_convo_settle(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo,
                     uint64_t wall_ms);

/* True if a time is recent enough to be stored. */
bool sc_convo_is_recent(int64_t time_ms, uint64_t wall_ms);

/* True if a conversation with these values belongs in the archive. */
bool sc_convo_has_aged(const sc_convo *convo, uint64_t wall_ms);

/* The hooks of the config: config/object.h. */
sc_status sc_convo_before_push(void *object, uint64_t wall_ms);
sc_status sc_convo_after_merge(void *object, uint64_t wall_ms);
bool sc_convo_ages_clean(const void *object);

#endif
