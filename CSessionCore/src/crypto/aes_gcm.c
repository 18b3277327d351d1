#include "aes_gcm.h"

#include <nettle/gcm.h>

#include "../base/declassify.h"
#include "aes.h"
#include "session-core/base/secret.h"

/* One message under one key. */
typedef struct gcm_message {
  sc_aes aes;
  struct gcm_key key;
  struct gcm_ctx state;
} gcm_message;

static void begin(gcm_message *message, sc_bytes key, sc_bytes iv, sc_bytes associated) {
  sc_aes_for_encryption(&message->aes, key);
  gcm_set_key(&message->key, &message->aes.context, message->aes.blocks);
  gcm_set_iv(&message->state, &message->key, iv.len, iv.ptr);
  gcm_update(&message->state, &message->key, associated.len, associated.ptr);
}

static void finish(uint8_t tag[static GCM_DIGEST_SIZE], gcm_message *message) {
  gcm_digest(&message->state, &message->key, &message->aes.context, message->aes.blocks, GCM_DIGEST_SIZE,
             tag);
  sc_wipe(message, sizeof *message);
}

void sc_aes_gcm_seal_into(uint8_t *out, sc_bytes key, sc_bytes iv, sc_bytes associated, sc_bytes plaintext) {
  gcm_message message;
  begin(&message, key, iv, associated);
  gcm_encrypt(&message.state, &message.key, &message.aes.context, message.aes.blocks, plaintext.len, out,
              plaintext.ptr);
  finish(out + plaintext.len, &message);
}

bool sc_aes_gcm_open_into(uint8_t *out, sc_bytes key, sc_bytes iv, sc_bytes associated, sc_bytes sealed) {
  size_t len = sealed.len - GCM_DIGEST_SIZE;
  uint8_t tag[GCM_DIGEST_SIZE];
  gcm_message message;
  begin(&message, key, iv, associated);
  gcm_decrypt(&message.state, &message.key, &message.aes.context, message.aes.blocks, len, out, sealed.ptr);
  finish(tag, &message);
  bool authentic = sc_equal(tag, sealed.ptr + len, sizeof tag);
  sc_declassify(&authentic, sizeof authentic);
  if (!authentic)
    sc_wipe(out, len);
  sc_wipe(tag, sizeof tag);
  return authentic;
}
