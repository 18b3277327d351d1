/* The known topics of sc-vectors, each with its kinds of case and their functions. */
#ifndef SC_TESTS_VECTORS_TOPICS_H
#define SC_TESTS_VECTORS_TOPICS_H

#include "support/known_case.h"

typedef struct vector_kind {
  const char *name;
  /* Runs one case through the library. Returns how the operation ended. */
  sc_status (*run)(known_case *c);
} vector_kind;

typedef struct vector_topic {
  const char *name;
  const vector_kind *kinds;
  size_t kind_count;
} vector_topic;

/* At the end of a topic's file: TOPIC(bt, {"encode", encode}, …) */
#define TOPIC(identifier, ...)                                                                               \
  static const vector_kind identifier##_kinds[] = {__VA_ARGS__};                                             \
  const vector_topic identifier##_topic = {#identifier, identifier##_kinds,                                  \
                                           sizeof identifier##_kinds / sizeof identifier##_kinds[0]}

extern const vector_topic archive_topic;
extern const vector_topic blinding_topic;
extern const vector_topic bt_topic;
extern const vector_topic community_url_topic;
extern const vector_topic config_contacts_topic;
extern const vector_topic config_convo_info_volatile_topic;
extern const vector_topic config_encrypt_topic;
extern const vector_topic config_group_info_topic;
extern const vector_topic config_group_keys_topic;
extern const vector_topic config_group_members_topic;
extern const vector_topic config_message_topic;
extern const vector_topic config_user_groups_topic;
extern const vector_topic config_user_profile_topic;
extern const vector_topic keys_topic;
extern const vector_topic message_rules_topic;
extern const vector_topic multi_encrypt_topic;
extern const vector_topic onionreq_topic;
extern const vector_topic relay_topic;
extern const vector_topic session_encrypt_topic;

#endif
