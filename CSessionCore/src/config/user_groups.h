/* How groups are stored, for the files that implement their config. */
#ifndef SC_SRC_CONFIG_USER_GROUPS_H
#define SC_SRC_CONFIG_USER_GROUPS_H

#include "object.h"
#include "record.h"
#include "section.h"
#include "session-core/config/user_groups.h"

struct sc_user_groups {
  const sc_env *env;
  sc_config *config;
};

/* The fields of a group of any kind, as they are stored. */
typedef struct sc_group_fields {
  sc_membership membership;
  int32_t expiry_s; /* E */
  sc_bytes upper_k; /* K */
  sc_bytes lower_k; /* k */
  sc_bytes name;    /* n */
  int32_t standing; /* r */
  sc_bytes access;  /* s */
} sc_group_fields;

void sc_group_read(sc_group_fields *out, sc_config_fields *fields);

/* SC_ERR_ARGUMENT for what is not among the choices. */
SC_NODISCARD sc_status sc_membership_check(const sc_membership *membership);
void sc_membership_write(sc_config_record *record, const sc_membership *membership);

/* A name as it is stored: as much of it as fits. SC_ERR_UTF8, unless the record has that very name. */
SC_NODISCARD sc_status sc_group_name(sc_bytes *out, const sc_config_record *record, sc_bytes name);

/* A section whose records have ids. */
typedef struct sc_group_section {
  const char *name;
  sc_id_kind id_kind;
} sc_group_section;

extern const sc_group_section sc_group_current, sc_group_legacy;
extern const char sc_group_communities[]; /* the section of rooms */

/* SC_ERR_ID_KIND for what is no id of the section. */
SC_NODISCARD sc_status sc_group_check_id(const sc_group_section *section, const sc_id *id);

/* What records say. The id may be that of `out` itself. */
void sc_user_group_fill(sc_user_group *out, const sc_id *id, const sc_group_fields *fields);
void sc_user_community_fill(sc_user_community *out, const sc_community *community, sc_config_fields *record);
void sc_legacy_group_fill(sc_legacy_group *out, const sc_id *id, const sc_group_fields *fields);

/* The record of an id. SC_ERR_NOT_FOUND, SC_ERR_ID_KIND. */
SC_NODISCARD sc_status sc_group_find(sc_group_fields *out, const sc_user_groups *groups,
                                     const sc_group_section *section, const sc_id *id);

/* The first record, or the first whose id is greater than `after`. SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_group_find_next(sc_id *id, sc_group_fields *out, const sc_user_groups *groups,
                                          const sc_group_section *section, const sc_id *after);

/* Whether there was a record of the id goes to `*erased`. SC_ERR_ID_KIND. */
SC_NODISCARD sc_status sc_group_erase(bool *erased, sc_user_groups *groups, const sc_group_section *section,
                                      const sc_id *id);

#endif
