/* How groups are stored, for the files that implement their config. */
#ifndef SC_SRC_CONFIG_USER_GROUPS_H
#define SC_SRC_CONFIG_USER_GROUPS_H

#include <stddef.h>

#include "field_table.h"
#include "object.h"
#include "section.h"
#include "session-core/config/user_groups.h"

struct sc_user_groups {
  const sc_env *env;
  sc_config *config;
};

/* The rows that the tables of all kinds of group share. Other keys come between the two parts. */
#define SC_MEMBERSHIP_ROWS_FIRST(type)                                                                       \
  {"!", SC_FIELD_SECONDS, .offset = offsetof(type, membership.mute_until_s)},                                \
      {"+", SC_FIELD_NUMBER, .offset = offsetof(type, membership.priority)}, {                               \
    "@", SC_FIELD_CHOICE, .offset = offsetof(type, membership.notify), .limit = SC_CONFIG_NOTIFY_MENTIONS    \
  }
#define SC_MEMBERSHIP_ROWS_THEN(type)                                                                        \
  {"i", SC_FIELD_FLAG, .offset = offsetof(type, membership.invited)}, {                                      \
    "j", SC_FIELD_SECONDS, .offset = offsetof(type, membership.joined_s)                                     \
  }

/* A section whose records have ids. */
typedef struct sc_group_section {
  const char *name;
  sc_id_kind id_kind;
} sc_group_section;

extern const sc_group_section sc_group_current, sc_group_legacy;
extern const char sc_group_communities[]; /* the section of rooms */

/* SC_ERR_ID_KIND unless the id fits the section. */
SC_NODISCARD sc_status sc_group_check_id(const sc_group_section *section, const sc_id *id);

/* Read records. The id may be that of `out`. */
void sc_user_group_read(sc_user_group *out, const sc_id *id, sc_config_fields *record);
void sc_user_community_read(sc_user_community *out, const sc_community *community, sc_config_fields *record);
void sc_legacy_group_read(sc_legacy_group *out, const sc_id *id, sc_config_fields *record);

/* Finds the record of an id. SC_ERR_NOT_FOUND, SC_ERR_ID_KIND. */
SC_NODISCARD sc_status sc_group_find(sc_config_fields *out, const sc_user_groups *groups,
                                     const sc_group_section *section, const sc_id *id);

/* Finds the first record with an id greater than `after`; the first of all if that is NULL. SC_ERR_NOT_FOUND.
 */
SC_NODISCARD sc_status sc_group_find_next(sc_id *id, sc_config_fields *out, const sc_user_groups *groups,
                                          const sc_group_section *section, const sc_id *after);

/* Erases a record; `*erased` is true if there was one. SC_ERR_ID_KIND. */
SC_NODISCARD sc_status sc_group_erase(bool *erased, sc_user_groups *groups, const sc_group_section *section,
                                      const sc_id *id);

/* Edits of legacy groups, which clients no longer make. */
SC_NODISCARD sc_status sc_user_groups_get_or_make_legacy_group(sc_legacy_group *out,
                                                               const sc_user_groups *groups, const sc_id *id);

/* Stores a whole legacy group except for its members. One key without the other is ignored. Name and failures
 * as for groups. */
SC_NODISCARD sc_status sc_user_groups_set_legacy_group(sc_user_groups *groups, const sc_legacy_group *group);

/* Adds a member or changes a member's role. SC_ERR_NOT_FOUND without such a group, SC_ERR_ID_KIND unless both
 * ids begin with 05. */
SC_NODISCARD sc_status sc_user_groups_put_legacy_member(sc_user_groups *groups, const sc_id *group,
                                                        const sc_legacy_member *member);

/* Removes a member, if present. SC_ERR_ID_KIND. */
SC_NODISCARD sc_status sc_user_groups_remove_legacy_member(sc_user_groups *groups, const sc_id *group,
                                                           const sc_id *member);

#endif
