/* A blob is a bt dict: "#" the nonce, "e" the list of entries. One nonce serves all entries because no two
 * have the same key. Nothing in an entry tells whose it is, so a reader tries them all. */
#include "multi_seal.h"

#include "blake2b.h"
#include "cipher.h"
#include "session-core/base/bt.h"
#include "session-core/base/secret.h"

static const char nonce_key[] = "#";
static const char entries_key[] = "e";

sc_status sc_multi_key(uint8_t out[SC_AT_LEAST(32)], const sc_x25519_pair *mine,
                       const uint8_t other[SC_AT_LEAST(32)], bool i_am_sender, sc_bytes domain) {
  uint8_t shared[SC_KEY_BYTES];
  sc_status status = sc_x25519(shared, mine->secret, other);
  if (status == SC_OK) {
    const sc_bytes pieces[] = {
        SC_BYTES(shared),
        sc_bytes_make(i_am_sender ? mine->public_key : other, SC_KEY_BYTES),
        sc_bytes_make(i_am_sender ? other : mine->public_key, SC_KEY_BYTES),
    };
    if (domain.len > SC_MULTI_DOMAIN_BYTES)
      domain.len = SC_MULTI_DOMAIN_BYTES;
    sc_blake2b_pieces(out, SC_KEY_BYTES, domain, NULL, pieces, sizeof pieces / sizeof pieces[0]);
  } else {
    sc_wipe(out, SC_KEY_BYTES);
  }
  sc_wipe(shared, sizeof shared);
  return status;
}

sc_status sc_multi_seal_entry(sc_buffer *out, const sc_x25519_pair *from,
                              const uint8_t recipient[SC_AT_LEAST(32)], sc_bytes nonce, sc_bytes domain,
                              sc_bytes message) {
  sc_buffer_clear(out);
  if (nonce.len != SC_XCHACHA_NONCE_BYTES)
    return SC_ERR_NONCE_SIZE;
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_multi_key(key, from, recipient, true, domain);
  if (status == SC_OK)
    status = sc_xchacha20_poly1305_seal(out, SC_BYTES(key), nonce, sc_bytes_make(NULL, 0), message);
  sc_wipe(key, sizeof key);
  return status;
}

sc_status sc_multi_open_entry(sc_buffer *out, const sc_x25519_pair *to, const uint8_t sender[SC_AT_LEAST(32)],
                              sc_bytes nonce, sc_bytes domain, sc_bytes entry) {
  sc_buffer_clear(out);
  if (nonce.len != SC_XCHACHA_NONCE_BYTES)
    return SC_ERR_NONCE_SIZE;
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_multi_key(key, to, sender, false, domain);
  if (status == SC_OK)
    status = sc_xchacha20_poly1305_open(out, SC_BYTES(key), nonce, sc_bytes_make(NULL, 0), entry);
  sc_wipe(key, sizeof key);
  return status;
}

typedef struct batch {
  const sc_env *env;
  const sc_x25519_pair *from;
  const sc_bytes *recipients;
  size_t recipient_count;
  const sc_bytes *messages;
  size_t message_count;
  sc_bytes domain;
  sc_multi_options options;
} batch;

static sc_status check_batch(const batch *batch) {
  if (batch->message_count != 1 && batch->message_count != batch->recipient_count)
    return SC_ERR_ARGUMENT;
  if (batch->recipient_count > SC_MULTI_MAX_ENTRIES)
    return SC_ERR_TOO_LARGE;
  if (batch->options.nonce.len != 0 && batch->options.nonce.len != SC_XCHACHA_NONCE_BYTES)
    return SC_ERR_NONCE_SIZE;
  for (size_t i = 0; i < batch->recipient_count; i++)
    if (batch->recipients[i].len != SC_KEY_BYTES)
      return SC_ERR_KEY_SIZE;
  return SC_OK;
}

/* Adds to `*written` the entries that were written. `entry` is room to work in. */
static sc_status write_entries(sc_bt_writer *writer, size_t *written, sc_buffer *entry, const batch *batch) {
  for (size_t i = 0; i < batch->recipient_count && writer->status == SC_OK; i++) {
    sc_bytes message = batch->messages[batch->message_count == 1 ? 0 : i];
    sc_status status = sc_multi_seal_entry(entry, batch->from, batch->recipients[i].ptr, batch->options.nonce,
                                           batch->domain, message);
    if (status == SC_ERR_KEY_INVALID && batch->options.skip_unsafe)
      continue;
    if (status != SC_OK)
      return status;
    sc_bt_write_string(writer, sc_buffer_bytes(entry));
    ++*written;
  }
  return writer->status;
}

/* Padding entries have the size of the first message without a tag, as in other clients; an empty one would
 * not count. */
static sc_status write_junk(sc_bt_writer *writer, size_t written, sc_buffer *entry, const batch *batch) {
  size_t len = batch->message_count == 0 ? 0 : batch->messages[0].len;
  size_t beyond = batch->options.pad_to <= 1 || len == 0 ? 0 : written % batch->options.pad_to;
  size_t missing = beyond == 0 ? 0 : batch->options.pad_to - beyond;
  if (missing > SC_MULTI_MAX_ENTRIES - written)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < missing; i++) {
    sc_buffer_clear(entry);
    uint8_t *junk;
    sc_status status = sc_buffer_extend(&junk, entry, len);
    if (status != SC_OK)
      return status;
    sc_random(batch->env, junk, len);
    sc_bt_write_string(writer, sc_buffer_bytes(entry));
  }
  return SC_OK;
}

static sc_status write_blob(sc_buffer *out, const batch *batch) {
  sc_buffer entry;
  sc_buffer_init(&entry, batch->env);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text(nonce_key));
  sc_bt_write_string(&writer, batch->options.nonce);
  sc_bt_write_key(&writer, sc_bytes_text(entries_key));
  sc_bt_begin_list(&writer);
  size_t written = 0;
  sc_status status = write_entries(&writer, &written, &entry, batch);
  if (status == SC_OK)
    status = write_junk(&writer, written, &entry, batch);
  sc_bt_end(&writer);
  sc_bt_end(&writer);
  sc_status finished = sc_bt_writer_finish(&writer);
  sc_buffer_free(&entry);
  return status != SC_OK ? status : finished;
}

sc_status sc_multi_seal(sc_buffer *out, const sc_env *env, const sc_x25519_pair *from,
                        const sc_bytes *recipients, size_t recipient_count, const sc_bytes *messages,
                        size_t message_count, sc_bytes domain, const sc_multi_options *options) {
  sc_buffer_clear(out);
  batch batch = {.env = env,
                 .from = from,
                 .recipients = recipients,
                 .recipient_count = recipient_count,
                 .messages = messages,
                 .message_count = message_count,
                 .domain = domain};
  if (options != NULL)
    batch.options = *options;
  sc_status status = check_batch(&batch);
  if (status != SC_OK)
    return status;
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  if (batch.options.nonce.len == 0) {
    sc_random(env, nonce, sizeof nonce);
    batch.options.nonce = SC_BYTES(nonce);
  }
  status = write_blob(out, &batch);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

/* Stands the reader before the first entry. */
static sc_status read_head(sc_bytes *nonce, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = sc_bt_find_key(reader, sc_bytes_text(nonce_key));
  if (status == SC_OK)
    status = sc_bt_read_string(nonce, reader);
  if (status == SC_OK && nonce->len != SC_XCHACHA_NONCE_BYTES)
    status = SC_ERR_NONCE_SIZE;
  if (status == SC_OK)
    status = sc_bt_find_key(reader, sc_bytes_text(entries_key));
  if (status == SC_OK)
    status = sc_bt_enter_list(reader);
  return status == SC_ERR_NOT_FOUND ? SC_ERR_FORMAT : status;
}

static sc_status open_mine(sc_buffer *out, sc_bt_reader *reader, sc_bytes key, sc_bytes nonce) {
  for (size_t tried = 0; sc_bt_peek(reader) != SC_BT_END; tried++) {
    if (tried == SC_MULTI_MAX_ENTRIES)
      return SC_ERR_TOO_LARGE;
    sc_bytes entry;
    sc_status status = sc_bt_read_string(&entry, reader);
    if (status == SC_OK)
      status = sc_xchacha20_poly1305_open(out, key, nonce, sc_bytes_make(NULL, 0), entry);
    if (status != SC_ERR_DECRYPT)
      return status;
  }
  sc_status status = sc_bt_leave(reader);
  return status == SC_OK ? SC_ERR_NO_KEY : status;
}

sc_status sc_multi_open(sc_buffer *out, const sc_x25519_pair *to, const uint8_t sender[SC_AT_LEAST(32)],
                        sc_bytes domain, sc_bytes blob) {
  sc_buffer_clear(out);
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, blob);
  sc_bytes nonce;
  sc_status status = read_head(&nonce, &reader);
  if (status != SC_OK)
    return status;
  uint8_t key[SC_KEY_BYTES];
  status = sc_multi_key(key, to, sender, false, domain);
  if (status == SC_OK)
    status = open_mine(out, &reader, SC_BYTES(key), nonce);
  sc_wipe(key, sizeof key);
  return status;
}
