/* A group of the specification's worked example: its admin A, its member M, and N who joins later, each with
 * keys from a seed of 32 equal bytes. */
#ifndef SC_TESTS_CONFIG_GROUP_SCENE_H
#define SC_TESTS_CONFIG_GROUP_SCENE_H

#include <stdio.h>

#include "support/known_bytes.h"

#define HOUR_MS ((uint64_t)60 * 60 * 1000)
#define DAY_MS (24 * HOUR_MS)
#define LOADED_MS ((uint64_t)1700000000000)

enum { person_a = 0, person_m = 1, person_n = 2, person_count = 3 };

typedef struct group_person {
  sc_keypair keys;
  sc_id id;
  sc_group_keys *group;
} group_person;

typedef struct group_scene {
  const sc_env *env;
  sc_keypair group;
  sc_id group_id;
  group_person people[person_count];
  sc_id members[person_count]; /* in ascending order: M, N, A */
  sc_buffer message;
  sc_buffer other;
  bool found;
} group_scene;

static inline void group_keypair(sc_keypair *out, int seed_byte) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  memset(seed, seed_byte, sizeof seed);
  sc_keypair_from_seed(out, seed);
}

SC_NODISCARD static inline sc_status group_set_scene(group_scene *out, const sc_env *env) {
  static const int seed_bytes[person_count] = {0x22, 0x33, 0x44};
  static const int ascending[person_count] = {person_m, person_n, person_a};
  *out = (group_scene){.env = env};
  sc_buffer_init(&out->message, env);
  sc_buffer_init(&out->other, env);
  group_keypair(&out->group, 0x11);
  sc_id_make(&out->group_id, SC_ID_GROUP, out->group.ed.public_key);
  sc_status status = SC_OK;
  for (int i = 0; i < person_count && status == SC_OK; i++) {
    group_person *person = &out->people[i];
    group_keypair(&person->keys, seed_bytes[i]);
    sc_id_make(&person->id, SC_ID_STANDARD, person->keys.x.public_key);
    status = sc_group_keys_new(&person->group, env, &person->keys, &out->group_id,
                               i == person_a ? &out->group.ed : NULL, sc_bytes_make(NULL, 0));
  }
  for (int i = 0; i < person_count; i++)
    out->members[i] = out->people[ascending[i]].id;
  return status;
}

static inline void group_leave_scene(group_scene *scene) {
  for (int i = 0; i < person_count; i++)
    sc_group_keys_free(scene->people[i].group);
  sc_buffer_free(&scene->message);
  sc_buffer_free(&scene->other);
}

/* The members of the worked example, without N. */
static inline sc_status group_rekey(group_scene *s) {
  const sc_id members[] = {s->people[person_m].id, s->people[person_a].id};
  return sc_group_keys_rekey(s->people[person_a].group, members, 2);
}

SC_NODISCARD static inline sc_status group_load(group_scene *s, int person, const char *hash,
                                                sc_bytes message, uint64_t timestamp_ms) {
  return sc_group_keys_load(&s->found, s->people[person].group, sc_bytes_text(hash), message, timestamp_ms,
                            UINT64_MAX);
}

/* A makes a key for M and A, and both load it. */
SC_NODISCARD static inline sc_status group_rekey_and_load(group_scene *s, const char *hash,
                                                          uint64_t timestamp_ms) {
  sc_status status = group_rekey(s);
  sc_buffer_clear(&s->message);
  if (status == SC_OK)
    status = sc_buffer_append(&s->message, sc_group_keys_pending(s->people[person_a].group));
  if (status == SC_OK)
    status = group_load(s, person_m, hash, sc_buffer_bytes(&s->message), timestamp_ms);
  if (status == SC_OK)
    status = group_load(s, person_a, hash, sc_buffer_bytes(&s->message), timestamp_ms);
  return status;
}

/* A field of a hand-made message: its key and its encoded value. */
typedef struct group_field {
  const char *key;
  sc_bytes value;
} group_field;

SC_NODISCARD static inline sc_status group_append_text(sc_buffer *out, const char *text) {
  return sc_buffer_append(out, sc_bytes_text(text));
}

/* Replaces `out` with a message that has these fields in this order, and the signature. */
SC_NODISCARD static inline sc_status group_forge(sc_buffer *out, const sc_ed25519_pair *signer,
                                                 const group_field *fields, size_t count) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  char head[24];
  sc_buffer_clear(out);
  sc_status status = group_append_text(out, "d");
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    snprintf(head, sizeof head, "%zu:", strlen(fields[i].key));
    status = group_append_text(out, head);
    if (status == SC_OK)
      status = group_append_text(out, fields[i].key);
    if (status == SC_OK)
      status = sc_buffer_append(out, fields[i].value);
  }
  if (status != SC_OK)
    return status;
  sc_ed25519_sign(signature, signer, sc_buffer_bytes(out));
  status = group_append_text(out, "1:~64:");
  if (status == SC_OK)
    status = sc_buffer_append(out, SC_BYTES(signature));
  return status == SC_OK ? group_append_text(out, "e") : status;
}

/* Appends a bt list of `count` strings of `len` zeros. */
SC_NODISCARD static inline sc_status group_append_zeros(sc_buffer *out, size_t count, size_t len) {
  static const uint8_t zeros[128];
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_list(&writer);
  for (size_t i = 0; i < count; i++)
    sc_bt_write_string(&writer, sc_bytes_make(zeros, len));
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

#endif
