/* Shared by the fuzz targets that decode messages: two people, the places where they write to each other, and
 * contents. */
#ifndef SC_FUZZ_LETTERS_H
#define SC_FUZZ_LETTERS_H

#include "message/fields.h"
#include "sealed.h"

#define FUZZ_SENT_MS 1750000000123
#define FUZZ_POSTED_S (FUZZ_SENT_MS / 1000)

typedef struct fuzz_person {
  sc_keypair keys;
  sc_id id;
  sc_id blinded; /* by the server */
} fuzz_person;

typedef struct fuzz_world {
  fuzz_person alice, bob;
  sc_id group;
  uint8_t group_key[32];
  uint8_t server[32];
  sc_keypair backend;  /* that issues Pro proofs */
  sc_keypair rotating; /* whose proof everybody uses */
} fuzz_world;

static inline void fuzz_meet(fuzz_person *out, uint8_t number, const uint8_t *server) {
  sc_blinded_pair blinded;
  fuzz_pair(&out->keys, number);
  sc_id_make(&out->id, SC_ID_STANDARD, out->keys.x.public_key);
  REQUIRE(sc_blind15_pair(&blinded, &out->keys, server) == SC_OK);
  out->blinded = blinded.id;
}

static inline const fuzz_world *fuzz_the_world(void) {
  static fuzz_world world;
  static bool ready;
  if (ready)
    return &world;
  REQUIRE(sc_init() == SC_OK);
  sc_keypair group;
  memset(world.group_key, 9, sizeof world.group_key);
  memset(world.server, 8, sizeof world.server);
  fuzz_meet(&world.alice, 1, world.server);
  fuzz_meet(&world.bob, 2, world.server);
  fuzz_pair(&group, 3);
  sc_id_make(&world.group, SC_ID_GROUP, group.ed.public_key);
  fuzz_pair(&world.backend, 4);
  fuzz_pair(&world.rotating, 5);
  ready = true;
  return &world;
}

static inline ProtobufCBinaryData fuzz_binary(uint8_t *ptr, size_t len) {
  return (ProtobufCBinaryData){.len = len, .data = ptr};
}

/* Replaces `out` with a content that carries `payload` and, when asked for, a proof of Pro that is good. */
static inline void fuzz_write_content(sc_buffer *out, sc_bytes payload, bool with_pro) {
  const fuzz_world *world = fuzz_the_world();
  Sc__Content content = SC__CONTENT__INIT;
  Sc__DataMessage data = SC__DATA_MESSAGE__INIT;
  Sc__ProMessage pro = SC__PRO_MESSAGE__INIT;
  Sc__ProProof proof = SC__PRO_PROOF__INIT;
  sc_pro_proof issued = {.generation = SC_PRO_GENERATION_B, .expiry = INT64_MAX};
  memcpy(issued.rotating_key, world->rotating.ed.public_key, sizeof issued.rotating_key);
  sc_pro_issue(&issued, &world->backend.ed);
  proof.has_revocation_tag = proof.has_rotating_public_key = proof.has_expiry_unix_ts = proof.has_sig = true;
  proof.revocation_tag = fuzz_binary(issued.tag, sizeof issued.tag);
  proof.rotating_public_key = fuzz_binary(issued.rotating_key, sizeof issued.rotating_key);
  proof.expiry_unix_ts = issued.expiry;
  proof.sig = fuzz_binary(issued.signature, sizeof issued.signature);
  pro.proof = &proof;
  data.has_profile_key = true;
  data.profile_key = fuzz_binary((uint8_t *)(uintptr_t)payload.ptr, payload.len);
  content.data_message = &data;
  content.has_sig_timestamp = true;
  content.sig_timestamp = FUZZ_SENT_MS;
  content.pro_message = with_pro ? &pro : NULL;
  REQUIRE(sc_content_write(out, &content) == SC_OK);
}

/* The fields in ascending order, without the signature a content carries itself. */
static inline void fuzz_write_unsigned(sc_buffer *out, const Sc__Content *fields) {
  Sc__Content rest = *fields;
  rest.has_pro_sig_for_community_message_only = false;
  REQUIRE(sc_content_write(out, &rest) == SC_OK);
}

/* A decoded message is whole, and what failed left nothing. */
static inline void fuzz_require_whole(sc_status status, const sc_message *message) {
  REQUIRE((status == SC_OK) == (message != NULL));
  if (message == NULL)
    return;
  sc_content *again;
  REQUIRE(sc_content_parse(&again, fuzz_env(), sc_message_content(message)) == SC_OK);
  sc_content_free(again);
  const sc_message_pro *pro = sc_message_pro_data(message);
  REQUIRE(pro->status == SC_PRO_NONE || sc_message_fields(message)->pro_message != NULL);
  REQUIRE(!(pro->status >= SC_PRO_FORGED && pro->status <= SC_PRO_EXPIRED) || pro->has_proof);
}

#endif
