/* Messages: encoding and decoding a text beside the primitives that the way to its destination prescribes,
 * called with everything they need at hand: nothing is wrapped, parsed, padded, checked, allocated or wiped.
 */
#include <sodium.h>
#include <stdio.h>
#include <zstd.h>

#include "bench.h"

enum {
  sent_ms = 1750000000,
  most_bytes = 16 * 1024,
  signed_extra = 64,  /* the sender's and the recipient's key, or the group's */
  sealed_extra = 96,  /* the sender's key and signature */
  group_fields = 128, /* of a group message, beside its body */
  zstd_level = 1,
};

typedef struct letter {
  sc_account alice, bob;
  sc_id group;
  uint8_t group_key[32];
  uint8_t backend[32];
  sc_buffer content;
  sc_buffer envelope; /* of a group message, as long as it is */
  sc_buffer for_contact, for_group;
  sc_buffer sealed; /* for the contact, by itself */
  uint8_t frame[most_bytes];
  size_t frame_len;
  uint8_t box[most_bytes]; /* a group message's layer */
  uint8_t scratch[most_bytes];
  uint8_t signature[64];
  ZSTD_CCtx *compressor;
  ZSTD_DCtx *decompressor;
} letter;

static const uint8_t nonce[24] = {9};

/* A floor that failed would be too fast. */
static void floor_ok(int failed) {
  if (failed != 0)
    bench_stop(__FILE__, __LINE__, "a primitive", SC_ERR_STATE);
}

static void encode_for_contact(void *user) {
  letter *l = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_encode_for_contact(&out, bench_env(), &l->alice.keys, &l->bob.id, sc_buffer_bytes(&l->content),
                                 sent_ms, NULL));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void encode_for_group(void *user) {
  letter *l = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_encode_for_group(&out, bench_env(), &l->alice.keys, &l->group, SC_BYTES(l->group_key),
                               sc_buffer_bytes(&l->content), sent_ms, NULL));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void decode_from_contact(void *user) {
  letter *l = user;
  sc_message *message;
  BENCH_OK(sc_decode_from_contact(&message, bench_env(), &l->bob.keys.x, 1, l->backend,
                                  sc_buffer_bytes(&l->for_contact)));
  bench_keep(message);
  sc_message_free(message);
}

static void decode_from_group(void *user) {
  letter *l = user;
  sc_message *message;
  sc_bytes key = SC_BYTES(l->group_key);
  BENCH_OK(sc_decode_from_group(&message, bench_env(), &l->group, &key, 1, l->backend,
                                sc_buffer_bytes(&l->for_group)));
  bench_keep(message);
  sc_message_free(message);
}

/* A point and a scalar that look like a signature. */
static void pretend(letter *l) {
  uint8_t wide[64], scalar[32];
  randombytes_buf(wide, sizeof wide);
  crypto_core_ed25519_scalar_reduce(scalar, wide);
  floor_ok(crypto_scalarmult_ed25519_base_noclamp(l->signature, scalar));
  randombytes_buf(wide, sizeof wide);
  crypto_core_ed25519_scalar_reduce(l->signature + 32, wide);
}

static void contact_encryption(void *user) {
  letter *l = user;
  uint8_t public_key[32], secret[32];
  size_t len = sc_padded_len(l->content.len);
  floor_ok(crypto_sign_detached(l->signature, NULL, l->scratch, len + signed_extra, l->alice.keys.ed.secret));
  floor_ok(crypto_box_keypair(public_key, secret));
  floor_ok(
      crypto_box_easy(l->scratch, l->scratch, len + sealed_extra, nonce, l->bob.keys.x.public_key, secret));
  pretend(l);
  bench_keep(l->scratch);
}

static void contact_decryption(void *user) {
  letter *l = user;
  size_t len = sc_padded_len(l->content.len);
  floor_ok(crypto_box_seal_open(l->scratch, l->sealed.ptr, l->sealed.len, l->bob.keys.x.public_key,
                                l->bob.keys.x.secret));
  uint8_t *key = l->scratch + len;
  memcpy(l->signature, key + 32, sizeof l->signature);
  memcpy(key + 32, l->bob.keys.x.public_key, 32);
  floor_ok(crypto_sign_verify_detached(l->signature, l->scratch, len + signed_extra, key));
  floor_ok(crypto_sign_ed25519_pk_to_curve25519(key + 64, key));
  bench_keep(l->scratch);
}

static size_t compress(letter *l) {
  return ZSTD_compressCCtx(l->compressor, l->frame, sizeof l->frame, l->envelope.ptr, l->envelope.len,
                           zstd_level);
}

static sc_bytes body_of(const letter *l) {
  return l->frame_len < l->envelope.len ? sc_bytes_make(l->frame, l->frame_len)
                                        : sc_buffer_bytes(&l->envelope);
}

static void group_encryption(void *user) {
  letter *l = user;
  pretend(l);
  l->frame_len = compress(l);
  size_t len = body_of(l).len;
  floor_ok(crypto_sign_detached(l->signature, NULL, body_of(l).ptr, len, l->alice.keys.ed.secret));
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(l->box, NULL, l->scratch, len + group_fields, NULL, 0,
                                                      NULL, nonce, l->group_key));
  bench_keep(l->box);
}

static void group_decryption(void *user) {
  letter *l = user;
  uint8_t x25519[32];
  sc_bytes body = body_of(l);
  floor_ok(crypto_aead_xchacha20poly1305_ietf_decrypt(
      l->scratch, NULL, NULL, l->box, body.len + group_fields + 16, NULL, 0, nonce, l->group_key));
  floor_ok(crypto_sign_ed25519_pk_to_curve25519(x25519, l->alice.keys.ed.public_key));
  floor_ok(crypto_sign_verify_detached(l->signature, body.ptr, body.len, l->alice.keys.ed.public_key));
  if (body.ptr == l->frame)
    floor_ok((int)ZSTD_isError(
        ZSTD_decompressDCtx(l->decompressor, l->scratch, sizeof l->scratch, l->frame, l->frame_len)));
  bench_keep(l->scratch);
}

/* A text of words, which compresses as texts do. */
static void write_text(char *out, size_t len) {
  static const char *const words[] = {"the ",  "of ",      "meeting ", "tomorrow ", "I ",   "have ",
                                      "not ",  "seen ",    "where ",   "train ",    "and ", "message ",
                                      "late ", "perhaps ", "is ",      "we "};
  unsigned state = 1;
  for (size_t at = 0; at < len;) {
    state = state * 1664525 + 1013904223;
    const char *word = words[state >> 28];
    for (; *word != 0 && at < len; at++)
      out[at] = *word++;
  }
  out[len] = 0;
}

static void write_letter(letter *out, size_t len) {
  static char text[most_bytes];
  static const uint8_t seeds[2][SC_SEED_BYTES] = {{1}, {2}};
  *out = (letter){.group_key = {3}, .compressor = ZSTD_createCCtx(), .decompressor = ZSTD_createDCtx()};
  sc_account_from_seed(&out->alice, seeds[0]);
  sc_account_from_seed(&out->bob, seeds[1]);
  sc_id_make(&out->group, SC_ID_GROUP, out->bob.keys.ed.public_key);
  write_text(text, len);
  BENCH_OK(sc_content_write_text(&out->content, sc_bytes_text(text), sent_ms));
  BENCH_OK(sc_encode_for_contact(&out->for_contact, NULL, &out->alice.keys, &out->bob.id,
                                 sc_buffer_bytes(&out->content), sent_ms, NULL));
  BENCH_OK(sc_encode_for_group(&out->for_group, NULL, &out->alice.keys, &out->group, SC_BYTES(out->group_key),
                               sc_buffer_bytes(&out->content), sent_ms, NULL));
}

/* Seals the messages that the floors open, once. */
static void prepare_floors(letter *l) {
  sc_buffer padded = {0};
  sc_sender sender;
  sc_bytes key = SC_BYTES(l->group_key);
  BENCH_OK(sc_pad(&padded, sc_buffer_bytes(&l->content)));
  BENCH_OK(sc_seal(&l->sealed, NULL, &l->alice.keys, SC_BYTES(l->bob.id.bytes), sc_buffer_bytes(&padded)));
  BENCH_OK(sc_group_open(&l->envelope, &sender, NULL, NULL, sc_id_key(&l->group), &key, 1,
                         sc_buffer_bytes(&l->for_group)));
  sc_buffer_free(&padded);
  group_encryption(l);
}

static void letter_free(letter *l) {
  sc_buffer_free(&l->content);
  sc_buffer_free(&l->envelope);
  sc_buffer_free(&l->for_contact);
  sc_buffer_free(&l->for_group);
  sc_buffer_free(&l->sealed);
  ZSTD_freeCCtx(l->compressor);
  ZSTD_freeDCtx(l->decompressor);
}

static void measure(letter *l, const char *size, const char *what, bench_body ours, bench_body floor,
                    const char *floor_name) {
  char name[64];
  snprintf(name, sizeof name, "message/%s-%s", what, size);
  bench_run(&(bench_case){
      .name = name,
      .ours = ours,
      .floor = floor,
      .floor_name = floor_name,
      .user = l,
      .amount = 1,
      .measure = BENCH_US_PER_OP,
      .goal = BENCH_TIME_RATIO_AT_MOST,
      .target = 1.25,
      .count_allocations = true,
  });
}

static void measure_size(const char *size, size_t len) {
  static letter l;
  write_letter(&l, len);
  prepare_floors(&l);
  measure(&l, size, "encode-contact", encode_for_contact, contact_encryption, "sign, agree, box, decoy");
  measure(&l, size, "decode-contact", decode_from_contact, contact_decryption,
          "open the box, verify, convert");
  measure(&l, size, "encode-group", encode_for_group, group_encryption, "decoy, zstd, sign, AEAD");
  prepare_floors(&l);
  measure(&l, size, "decode-group", decode_from_group, group_decryption, "AEAD, convert, verify, zstd");
  letter_free(&l);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  measure_size("200B", 200);
  measure_size("10KB", 10 * 1024);
  return 0;
}
