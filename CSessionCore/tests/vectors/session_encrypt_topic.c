#include "crypto/name.h"
#include "crypto/seal.h"
#include "topics.h"

static sc_keypair keys_of(known_case *c, const char *seed) {
  sc_keypair pair;
  sc_keypair_from_seed(&pair, known_key(c, seed));
  return pair;
}

/* An id of 33 bytes; anything else refuses the case, since no call accepts it. */
static sc_status read_id(sc_id *out, known_case *c, const char *field) {
  return sc_id_from_bytes(out, known_hex(c, field));
}

static sc_status sign_for_recipient(known_case *c) {
  sc_keypair from = keys_of(c, "sender_seed");
  sc_buffer *signed_message = known_buffer(c);
  sc_status status = sc_seal_sign(signed_message, &from, known_hex(c, "recipient"), known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "signed", sc_buffer_bytes(signed_message));
  return status;
}

static sc_status encrypt(known_case *c) {
  sc_keypair from = keys_of(c, "sender_seed");
  sc_buffer *sealed = known_buffer(c);
  const sc_env *env =
      known_has(c, "ephemeral_secret") ? known_draws(c, known_hex(c, "ephemeral_secret")) : known_env(c);
  sc_status status = sc_seal(sealed, env, &from, known_hex(c, "recipient"), known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  return status;
}

static sc_status encrypt_deterministic(known_case *c) {
  sc_keypair from = keys_of(c, "sender_seed");
  sc_buffer *sealed = known_buffer(c);
  sc_status status = sc_seal_deterministic(sealed, &from, known_hex(c, "recipient"), known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  return status;
}

static sc_status open_seal(known_case *c, const sc_x25519_pair *to) {
  sc_buffer *plaintext = known_buffer(c);
  sc_sender sender;
  sc_status status = sc_seal_open(plaintext, &sender, to, known_hex(c, "ciphertext"));
  if (status == SC_OK) {
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
    known_same(c, "sender_ed25519_pubkey", SC_BYTES(sender.ed25519_public));
    known_same_id(c, "sender_session_id", &sender.id);
  }
  return status;
}

/* The recipient is a seed, an X25519 pair, or both; both must give the same result. */
static sc_status decrypt(known_case *c) {
  bool has_seed = known_has(c, "recipient_seed");
  bool has_pair = known_has(c, "recipient_x25519_secret");
  sc_status from_seed = SC_OK, from_pair = SC_OK;
  if (has_seed) {
    sc_keypair keys = keys_of(c, "recipient_seed");
    from_seed = open_seal(c, &keys.x);
  }
  if (has_pair || !has_seed) {
    sc_x25519_pair pair;
    memcpy(pair.secret, known_key(c, "recipient_x25519_secret"), sizeof pair.secret);
    memcpy(pair.public_key, known_key(c, "recipient_x25519_pubkey"), sizeof pair.public_key);
    from_pair = open_seal(c, &pair);
  }
  if (has_seed && has_pair && from_seed != from_pair)
    known_differs(c, "%s with the seed, %s with the X25519 pair", sc_status_name(from_seed),
                  sc_status_name(from_pair));
  return has_seed ? from_seed : from_pair;
}

static void compare_own_blinded_id(known_case *c, const sc_keypair *from, const uint8_t *server,
                                   sc_id_kind kind) {
  sc_blinded_pair own;
  sc_status status =
      kind == SC_ID_BLINDED_25 ? sc_blind25_pair(&own, from, server) : sc_blind15_pair(&own, from, server);
  if (status == SC_OK)
    known_same(c, "sender_blinded_id", SC_BYTES(own.id.bytes));
  else
    known_differs(c, "the sender has no blinded id: %s", sc_status_name(status));
}

static sc_status encrypt_for_blinded(known_case *c) {
  sc_keypair from = keys_of(c, "sender_seed");
  const uint8_t *server = known_key(c, "server_pubkey");
  sc_id recipient;
  sc_status status = read_id(&recipient, c, "recipient_blinded_id");
  if (status != SC_OK)
    return status;
  const sc_env *env = known_has(c, "nonce") ? known_draws(c, known_hex(c, "nonce")) : known_env(c);
  sc_buffer *sealed = known_buffer(c);
  status = sc_blinded_seal(sealed, env, &from, server, &recipient, known_hex(c, "message"));
  if (status == SC_OK) {
    compare_own_blinded_id(c, &from, server, sc_id_kind_of(&recipient));
    known_same(c, "ciphertext", sc_buffer_bytes(sealed));
  }
  return status;
}

static sc_status decrypt_blinded(known_case *c) {
  sc_keypair me = keys_of(c, "my_seed");
  const uint8_t *server = known_key(c, "server_pubkey");
  sc_id sender_id, recipient_id;
  sc_status status = read_id(&sender_id, c, "sender_id");
  if (status == SC_OK)
    status = read_id(&recipient_id, c, "recipient_id");
  if (status != SC_OK)
    return status;
  sc_buffer *plaintext = known_buffer(c);
  sc_sender sender;
  status =
      sc_blinded_open(plaintext, &sender, &me, server, &sender_id, &recipient_id, known_hex(c, "ciphertext"));
  if (status == SC_OK) {
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
    known_same_id(c, "sender_session_id", &sender.id);
  }
  return status;
}

/* The prefix of the id is not checked here; sc_name_open does that. */
static sc_status ons_decrypt(known_case *c) {
  uint8_t id[SC_ID_BYTES];
  char text[SC_ID_CHARS + 1];
  sc_status status = sc_name_decrypt(id, known_env(c), known_text(c, "name"), known_hex(c, "ciphertext"),
                                     known_hex(c, "nonce"));
  if (status == SC_OK) {
    sc_hex_encode(text, SC_BYTES(id));
    known_same_text(c, "session_id", sc_bytes_text(text));
  }
  return status;
}

static sc_status push_decrypt(known_case *c) {
  sc_buffer *plaintext = known_buffer(c);
  sc_status status = sc_push_open(plaintext, known_hex(c, "enc_key"), known_hex(c, "payload"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

TOPIC(session_encrypt, {"sign_for_recipient", sign_for_recipient}, {"encrypt", encrypt},
      {"encrypt_deterministic", encrypt_deterministic}, {"decrypt", decrypt},
      {"encrypt_for_blinded", encrypt_for_blinded}, {"decrypt_blinded", decrypt_blinded},
      {"ons_decrypt", ons_decrypt}, {"push_decrypt", push_decrypt});
