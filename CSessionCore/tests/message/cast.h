/* The people of the message tests, and content for them to send. */
#ifndef SC_TESTS_MESSAGE_CAST_H
#define SC_TESTS_MESSAGE_CAST_H

#include "message/fields.h"
#include "session-core/session-core.h"

#define CAST_SENT_MS 1750000000123
enum { cast_sent_s = CAST_SENT_MS / 1000 };

typedef struct cast {
  sc_keypair alice, bob, eve;
  sc_id alice_id, bob_id;
  sc_ed25519_pair group_pair;
  sc_id group;
  uint8_t group_key[32];
  uint8_t server[32];
  sc_id alice_blinded, bob_blinded; /* by the server, kind 15 */
  sc_ed25519_pair backend;          /* that issues Pro proofs */
  sc_ed25519_pair rotating;         /* Alice's, for Pro */
} cast;

static inline void cast_keypair(sc_keypair *out, uint8_t seed_byte) {
  uint8_t seed[32] = {0};
  memset(seed, seed_byte, 16);
  sc_keypair_from_seed(out, seed);
}

static inline void cast_ed25519(sc_ed25519_pair *out, uint8_t seed_byte) {
  uint8_t seed[32];
  memset(seed, seed_byte, sizeof seed);
  sc_ed25519_pair_from_seed(out, seed);
}

SC_NODISCARD static inline sc_status cast_init(cast *out) {
  cast_keypair(&out->alice, 1);
  cast_keypair(&out->bob, 2);
  cast_keypair(&out->eve, 3);
  sc_id_make(&out->alice_id, SC_ID_STANDARD, out->alice.x.public_key);
  sc_id_make(&out->bob_id, SC_ID_STANDARD, out->bob.x.public_key);
  cast_ed25519(&out->group_pair, 7);
  sc_id_make(&out->group, SC_ID_GROUP, out->group_pair.public_key);
  memset(out->group_key, 9, sizeof out->group_key);
  memset(out->server, 4, sizeof out->server);
  cast_ed25519(&out->backend, 5);
  cast_ed25519(&out->rotating, 6);
  sc_blinded_pair pair;
  sc_status status = sc_blind15_pair(&pair, &out->alice, out->server);
  out->alice_blinded = pair.id;
  if (status == SC_OK)
    status = sc_blind15_pair(&pair, &out->bob, out->server);
  out->bob_blinded = pair.id;
  return status;
}

/* A text, with Pro data on request. It points into itself: do not move it. */
typedef struct letter {
  Sc__Content content;
  Sc__DataMessage data;
  Sc__ProMessage pro;
  Sc__ProProof proof;
  sc_pro_proof issued;
  char body[64];
} letter;

static inline void letter_init(letter *out, const char *body) {
  *out = (letter){
      .content = SC__CONTENT__INIT,
      .data = SC__DATA_MESSAGE__INIT,
      .pro = SC__PRO_MESSAGE__INIT,
      .proof = SC__PRO_PROOF__INIT,
  };
  strncpy(out->body, body, sizeof out->body - 1);
  out->data.body = out->body;
  out->content.data_message = &out->data;
  out->content.has_sig_timestamp = true;
  out->content.sig_timestamp = CAST_SENT_MS;
}

/* Adds Pro data with a proof that holds until `expiry_s`. */
static inline void letter_add_pro(letter *to, const cast *who, sc_pro_generation generation,
                                  uint64_t expiry_s) {
  bool is_a = generation == SC_PRO_GENERATION_A;
  to->issued = (sc_pro_proof){.generation = generation, .expiry = is_a ? expiry_s * 1000 : expiry_s};
  memset(to->issued.tag, 8, sizeof to->issued.tag);
  memcpy(to->issued.rotating_key, who->rotating.public_key, sizeof to->issued.rotating_key);
  sc_pro_issue(&to->issued, &who->backend);
  to->proof.has_version = is_a;
  to->proof.has_revocation_tag = to->proof.has_rotating_public_key = true;
  to->proof.has_expiry_unix_ts = to->proof.has_sig = true;
  to->proof.revocation_tag = (ProtobufCBinaryData){sizeof to->issued.tag, to->issued.tag};
  to->proof.rotating_public_key =
      (ProtobufCBinaryData){sizeof to->issued.rotating_key, to->issued.rotating_key};
  to->proof.expiry_unix_ts = to->issued.expiry;
  to->proof.sig = (ProtobufCBinaryData){sizeof to->issued.signature, to->issued.signature};
  to->pro.proof = &to->proof;
  to->pro.has_msg_bitset = to->pro.has_profile_bitset = true;
  to->pro.msg_bitset = SC_PRO_MESSAGE_10K;
  to->pro.profile_bitset = SC_PRO_PROFILE_BADGE | SC_PRO_PROFILE_ANIMATED;
  to->content.pro_message = &to->pro;
}

#endif
