/* Shared by the fuzz targets of group keys: a group, and an admin, a member and a stranger to it. */
#ifndef SC_FUZZ_GROUP_KEYS_H
#define SC_FUZZ_GROUP_KEYS_H

#include "sealed.h"

enum { fuzz_admin = 0, fuzz_member = 1, fuzz_stranger = 2, fuzz_people = 3 };

typedef struct fuzz_group {
  sc_keypair keys;
  sc_id id;
  sc_keypair people[fuzz_people];
  sc_id people_ids[fuzz_people];
  sc_id members[fuzz_people]; /* all of them, in ascending order */
} fuzz_group;

static inline const fuzz_group *fuzz_the_group(void) {
  static fuzz_group group;
  static bool ready;
  if (ready)
    return &group;
  fuzz_pair(&group.keys, 1);
  sc_id_make(&group.id, SC_ID_GROUP, group.keys.ed.public_key);
  for (uint8_t i = 0; i < fuzz_people; i++) {
    fuzz_pair(&group.people[i], (uint8_t)(i + 2));
    sc_id_make(&group.people_ids[i], SC_ID_STANDARD, group.people[i].x.public_key);
    size_t at = i;
    for (; at > 0 && memcmp(group.members[at - 1].bytes, group.people_ids[i].bytes, SC_ID_BYTES) > 0; at--)
      group.members[at] = group.members[at - 1];
    group.members[at] = group.people_ids[i];
  }
  ready = true;
  return &group;
}

/* One of the people, from a dump or with no keys. */
static inline sc_status fuzz_join(sc_group_keys **out, int person, sc_bytes dump) {
  const fuzz_group *group = fuzz_the_group();
  sc_status status = sc_group_keys_new(out, fuzz_env(), &group->people[person], &group->id,
                                       person == fuzz_admin ? &group->keys.ed : NULL, dump);
  REQUIRE((status == SC_OK) == (*out != NULL));
  return status;
}

/* Checks the rules that hold for any group keys. */
static inline void fuzz_check_keys(const sc_group_keys *keys) {
  sc_group_key_list list = sc_group_keys_list(keys);
  int64_t generation;
  bool any = sc_group_keys_generation(&generation, keys);
  REQUIRE(list.count <= SC_CONFIG_MAX_KEYS && (!any || list.count > 0));
  REQUIRE(!any || generation <= SC_GROUP_MAX_GENERATION);
  for (size_t i = 0; i < list.count; i++)
    REQUIRE(list.keys[i].len == SC_KEY_BYTES);
  REQUIRE(sc_group_keys_admin(keys) != NULL || !sc_group_keys_needs_rekey(keys));
  for (size_t i = 0; i < sc_group_keys_active_count(keys); i++) {
    sc_bytes hash = sc_group_keys_active(keys, i).hash;
    REQUIRE(hash.len > 0 && hash.len <= SC_CONFIG_MAX_HASH_BYTES);
  }
}

static inline void fuzz_same_list(sc_group_key_list a, sc_group_key_list b) {
  REQUIRE(a.count == b.count);
  for (size_t i = 0; i < a.count; i++)
    REQUIRE(sc_bytes_same(a.keys[i], b.keys[i]));
}

/* Saving, making it again from that and saving once more changes nothing. Takes the keys and gives others. */
static inline sc_group_keys *fuzz_save_and_load(sc_group_keys *keys, int person) {
  sc_buffer saved, again;
  sc_group_keys *loaded;
  sc_buffer_init(&saved, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  REQUIRE(sc_group_keys_dump(&saved, keys, SC_GROUP_DUMP_MESSAGES) == SC_OK);
  REQUIRE(!sc_group_keys_needs_dump(keys));
  REQUIRE(fuzz_join(&loaded, person, sc_buffer_bytes(&saved)) == SC_OK);
  fuzz_same_list(sc_group_keys_list(keys), sc_group_keys_list(loaded));
  REQUIRE(sc_bytes_same(sc_group_keys_pending(keys), sc_group_keys_pending(loaded)));
  REQUIRE(sc_group_keys_active_count(keys) == sc_group_keys_active_count(loaded));
  REQUIRE(sc_group_keys_dump(&again, loaded, SC_GROUP_DUMP_MESSAGES) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&saved), sc_buffer_bytes(&again)));
  sc_buffer_free(&saved);
  sc_buffer_free(&again);
  sc_group_keys_free(keys);
  return loaded;
}

#endif
