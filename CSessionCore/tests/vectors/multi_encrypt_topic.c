#include "crypto/multi_seal.h"
#include "topics.h"

static sc_x25519_pair pair_of(known_case *c, const char *secret, const char *public_key) {
  sc_x25519_pair pair;
  memcpy(pair.secret, known_key(c, secret), sizeof pair.secret);
  memcpy(pair.public_key, known_key(c, public_key), sizeof pair.public_key);
  return pair;
}

static sc_x25519_pair sender_of(known_case *c) {
  return pair_of(c, "sender_x25519_secret", "sender_x25519_pubkey");
}

static sc_status compare_key(known_case *c, const sc_x25519_pair *mine, const uint8_t *other,
                             bool i_am_sender) {
  uint8_t key[32];
  sc_status status = sc_multi_key(key, mine, other, i_am_sender, known_hex(c, "domain"));
  if (status == SC_OK)
    known_same(c, "key", SC_BYTES(key));
  return status;
}

/* Both sides derive it, if the case has both secrets. */
static sc_status shared_key(known_case *c) {
  sc_x25519_pair sender = sender_of(c);
  const uint8_t *recipient_key = known_key(c, "recipient_x25519_pubkey");
  sc_status status = compare_key(c, &sender, recipient_key, true);
  if (status != SC_OK || !known_has(c, "recipient_x25519_secret"))
    return status;
  sc_x25519_pair recipient = pair_of(c, "recipient_x25519_secret", "recipient_x25519_pubkey");
  return compare_key(c, &recipient, sender.public_key, false);
}

/* Compares the entries of a sealed blob with the recorded ciphertexts. */
static sc_status compare_entries(known_case *c, sc_bytes blob, size_t most) {
  sc_bytes *entries = known_bytes_array(c, most);
  size_t count = 0;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, blob);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = sc_bt_find_key(&reader, sc_bytes_text("e"));
  if (status == SC_OK)
    status = sc_bt_enter_list(&reader);
  while (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END && count < most)
    status = sc_bt_read_string(&entries[count++], &reader);
  if (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END)
    known_differs(c, "the blob has more entries than recipients");
  known_same_list(c, "ciphertexts", entries, count);
  return status;
}

/* The same, each entry sealed on its own. */
static sc_status compare_single_entries(known_case *c, const sc_x25519_pair *from, known_list recipients,
                                        known_list messages, bool skip_unsafe) {
  sc_bytes *entries = known_bytes_array(c, recipients.count);
  size_t count = 0;
  for (size_t i = 0; i < recipients.count; i++) {
    sc_buffer *entry = known_buffer(c);
    sc_status status =
        sc_multi_seal_entry(entry, from, recipients.items[i].ptr, known_hex(c, "nonce"),
                            known_hex(c, "domain"), messages.items[messages.count == 1 ? 0 : i]);
    if (status == SC_ERR_KEY_INVALID && skip_unsafe)
      continue;
    if (status != SC_OK)
      return status;
    entries[count++] = sc_buffer_bytes(entry);
  }
  known_same_list(c, "ciphertexts", entries, count);
  return SC_OK;
}

static sc_status encrypt_raw(known_case *c) {
  sc_x25519_pair from = sender_of(c);
  known_list recipients = known_hex_list(c, "recipients");
  known_list messages = known_hex_list(c, "messages");
  sc_multi_options options = {.nonce = known_hex(c, "nonce"),
                              .skip_unsafe = known_flag(c, "ignore_invalid_recipient")};
  if (options.nonce.len == 0) /* which to sc_multi_seal means a random one */
    return SC_ERR_NONCE_SIZE;
  sc_buffer *blob = known_buffer(c);
  sc_status status = sc_multi_seal(blob, known_env(c), &from, recipients.items, recipients.count,
                                   messages.items, messages.count, known_hex(c, "domain"), &options);
  if (status == SC_OK)
    status = compare_entries(c, sc_buffer_bytes(blob), recipients.count);
  return status != SC_OK ? status
                         : compare_single_entries(c, &from, recipients, messages, options.skip_unsafe);
}

static sc_status decrypt_raw(known_case *c) {
  sc_x25519_pair to = pair_of(c, "recipient_x25519_secret", "recipient_x25519_pubkey");
  const uint8_t *sender = known_key(c, "sender_x25519_pubkey");
  known_list entries = known_hex_list(c, "ciphertexts");
  sc_buffer *plaintext = known_buffer(c);
  for (size_t i = 0; i < entries.count; i++) {
    sc_status status = sc_multi_open_entry(plaintext, &to, sender, known_hex(c, "nonce"),
                                           known_hex(c, "domain"), entries.items[i]);
    if (status == SC_OK)
      known_same(c, "plaintext", sc_buffer_bytes(plaintext));
    if (status == SC_OK || status == SC_ERR_NONCE_SIZE || status == SC_ERR_KEY_INVALID)
      return status;
  }
  return SC_ERR_NO_KEY;
}

static sc_status encrypt_simple(known_case *c) {
  sc_x25519_pair from = sender_of(c);
  known_list recipients = known_hex_list(c, "recipients");
  known_list messages = known_hex_list(c, "messages");
  sc_multi_options options = {.pad_to = (size_t)known_unsigned(c, "pad")};
  if (known_has(c, "nonce")) {
    options.nonce = known_hex(c, "nonce");
    if (options.nonce.len == 0)
      return SC_ERR_NONCE_SIZE;
  }
  const sc_env *env = known_has(c, "random") ? known_draws(c, known_hex(c, "random")) : known_env(c);
  sc_buffer *blob = known_buffer(c);
  sc_status status = sc_multi_seal(blob, env, &from, recipients.items, recipients.count, messages.items,
                                   messages.count, known_hex(c, "domain"), &options);
  if (status == SC_OK)
    known_same(c, "encoded", sc_buffer_bytes(blob));
  return status;
}

/* The sender as an X25519 key; if the Ed25519 form is given too, both must be the same key. */
static sc_status read_sender(uint8_t out[SC_KEY_BYTES], known_case *c) {
  bool has_x = known_has(c, "sender_x25519_pubkey");
  if (!known_has(c, "sender_ed25519_pubkey")) {
    memcpy(out, known_key(c, "sender_x25519_pubkey"), SC_KEY_BYTES);
    return SC_OK;
  }
  sc_status status = sc_x25519_from_ed25519(out, known_hex(c, "sender_ed25519_pubkey"));
  if (status == SC_OK && has_x && memcmp(out, known_key(c, "sender_x25519_pubkey"), SC_KEY_BYTES) != 0)
    known_differs(c, "the two forms of the sender's key are not one key");
  return status;
}

static sc_status open_blob(known_case *c, const sc_x25519_pair *to) {
  uint8_t sender[SC_KEY_BYTES];
  sc_status status = read_sender(sender, c);
  if (status != SC_OK)
    return status;
  sc_buffer *plaintext = known_buffer(c);
  status = sc_multi_open(plaintext, to, sender, known_hex(c, "domain"), known_hex(c, "encoded"));
  if (status == SC_OK)
    known_same(c, "plaintext", sc_buffer_bytes(plaintext));
  return status;
}

/* The recipient is a seed, an X25519 pair, or both; both must give the same result. */
static sc_status decrypt_simple(known_case *c) {
  bool has_seed = known_has(c, "recipient_seed");
  bool has_pair = known_has(c, "recipient_x25519_secret");
  sc_status from_seed = SC_OK, from_pair = SC_OK;
  if (has_seed) {
    sc_keypair keys;
    sc_keypair_from_seed(&keys, known_key(c, "recipient_seed"));
    from_seed = open_blob(c, &keys.x);
  }
  if (has_pair || !has_seed) {
    sc_x25519_pair pair = pair_of(c, "recipient_x25519_secret", "recipient_x25519_pubkey");
    from_pair = open_blob(c, &pair);
  }
  if (has_seed && has_pair && from_seed != from_pair)
    known_differs(c, "%s with the seed, %s with the X25519 pair", sc_status_name(from_seed),
                  sc_status_name(from_pair));
  return has_seed ? from_seed : from_pair;
}

TOPIC(multi_encrypt, {"shared_key", shared_key}, {"encrypt_raw", encrypt_raw}, {"decrypt_raw", decrypt_raw},
      {"encrypt_simple", encrypt_simple}, {"decrypt_simple", decrypt_simple});
