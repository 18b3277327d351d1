/* A sealed message is a nonce and an XChaCha20-Poly1305 ciphertext of a bt dict, filled up with zeros:
 *
 *   ""   the version, 1
 *   "a"  the author's Ed25519 key
 *   "d"  the message, or
 *   "z"  the message as a zstd frame
 *   "s"  the author's signature of the bytes under "d" or "z", followed by the group's key
 *
 * Since the signature covers the compressed bytes, nothing is decompressed before its author is known. */
#include "session-core/crypto/group_seal.h"

#include "../base/compression.h"
#include "cipher.h"
#include "session-core/base/bt.h"
#include "session-core/crypto/box.h"
#include "session-core/crypto/signature.h"
#include "zero_padding.h"

enum {
  version = 1,
  compression_level = 1,
  group_overhead = SC_XCHACHA_NONCE_BYTES + SC_AEAD_TAG_BYTES,
};

static const sc_group_seal_options default_options = SC_GROUP_SEAL_DEFAULT;

typedef struct content {
  sc_bytes author;
  sc_bytes body;
  sc_bytes signature;
  bool compressed;
} content;

static sc_status group_key(sc_bytes *out, sc_bytes key) {
  if (key.len != SC_KEY_BYTES && key.len != SC_ED25519_SECRET_BYTES)
    return SC_ERR_KEY_SIZE;
  *out = sc_bytes_make(key.ptr, SC_KEY_BYTES);
  return SC_OK;
}

static sc_status signed_bytes(sc_buffer *out, sc_bytes body, const uint8_t group[static SC_KEY_BYTES]) {
  sc_status status = sc_buffer_reserve(out, body.len + SC_KEY_BYTES);
  if (status == SC_OK)
    status = sc_buffer_append(out, body);
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_make(group, SC_KEY_BYTES)) : status;
}

/* The body is the message, or its compressed form in `frame` where that is smaller. */
static sc_status choose_body(content *out, sc_buffer *frame, sc_bytes message, bool compress) {
  out->body = message;
  out->compressed = false;
  if (!compress)
    return SC_OK;
  sc_status status = sc_zstd_compress(frame, sc_bytes_make(NULL, 0), message, compression_level);
  if (status == SC_OK && frame->len < message.len) {
    out->body = sc_buffer_bytes(frame);
    out->compressed = true;
  }
  return status;
}

static sc_status sign(uint8_t out[static SC_SIGNATURE_BYTES], const sc_env *env, const sc_keypair *from,
                      sc_bytes body, const uint8_t *group) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, env);
  sc_status status = signed_bytes(&bytes, body, group);
  if (status == SC_OK)
    sc_ed25519_sign(out, &from->ed, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  return status;
}

static void write_field(sc_bt_writer *writer, const char *key, sc_bytes value) {
  sc_bt_write_key(writer, sc_bytes_text(key));
  sc_bt_write_string(writer, value);
}

static sc_status write_dict(sc_buffer *out, const content *content) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text(""));
  sc_bt_write_i64(&writer, version);
  write_field(&writer, "a", content->author);
  if (!content->compressed)
    write_field(&writer, "d", content->body);
  write_field(&writer, "s", content->signature);
  if (content->compressed)
    write_field(&writer, "z", content->body);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

sc_status sc_group_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                        const uint8_t group[SC_AT_LEAST(32)], sc_bytes key, sc_bytes message,
                        const sc_group_seal_options *options) {
  sc_buffer_clear(out);
  if (options == NULL)
    options = &default_options;
  if (message.len > SC_GROUP_MESSAGE_MAX)
    return SC_ERR_TOO_LARGE;
  if (message.len == 0)
    return SC_ERR_ARGUMENT;
  sc_bytes cipher_key;
  sc_status status = group_key(&cipher_key, key);
  if (status != SC_OK)
    return status;

  sc_buffer frame, dict;
  sc_buffer_init(&frame, env);
  sc_buffer_init(&dict, env);
  uint8_t signature[SC_SIGNATURE_BYTES];
  content content = {.author = SC_BYTES(from->ed.public_key), .signature = SC_BYTES(signature)};
  status = choose_body(&content, &frame, message, options->compress);
  if (status == SC_OK)
    status = sign(signature, env, from, content.body, group);
  if (status == SC_OK)
    status = write_dict(&dict, &content);
  if (status == SC_OK)
    status = zero_pad(&dict, group_overhead, options->padding);
  if (status == SC_OK)
    status = sc_box_seal(out, env, cipher_key, sc_buffer_bytes(&dict));
  sc_buffer_free(&frame);
  sc_buffer_free(&dict);
  return status;
}

/* Decrypts with the first key that fits. */
static sc_status decrypt(sc_buffer *out, size_t *key_index, const sc_bytes *keys, size_t key_count,
                         sc_bytes sealed) {
  for (size_t i = 0; i < key_count; i++) {
    sc_bytes key;
    sc_status status = group_key(&key, keys[i]);
    if (status == SC_OK)
      status = sc_box_open(out, key, sealed);
    *key_index = i;
    if (status != SC_ERR_DECRYPT)
      return status;
  }
  return SC_ERR_NO_KEY;
}

static sc_status without_padding(sc_bytes *out, sc_bytes padded) {
  size_t len = zero_unpadded_len(padded);
  if (len == 0 || padded.ptr[0] != 'd' || padded.ptr[len - 1] != 'e')
    return SC_ERR_FORMAT;
  *out = sc_bytes_make(padded.ptr, len);
  return SC_OK;
}

static sc_status read_version(sc_bt_reader *reader) {
  int64_t value;
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(""));
  if (status == SC_ERR_NOT_FOUND)
    return SC_ERR_VERSION;
  if (status == SC_OK)
    status = sc_bt_read_i64(&value, reader);
  if (status == SC_OK && value != version)
    return SC_ERR_VERSION;
  return status;
}

/* The string under `key`; SC_ERR_NOT_FOUND. */
static sc_status read_field(sc_bytes *out, sc_bt_reader *reader, const char *key) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(key));
  return status == SC_OK ? sc_bt_read_string(out, reader) : status;
}

static sc_status read_author(sc_bytes *author, sc_sender *sender, sc_bt_reader *reader) {
  sc_status status = read_field(author, reader, "a");
  if (status == SC_ERR_NOT_FOUND)
    return SC_ERR_FORMAT;
  uint8_t x25519[SC_KEY_BYTES];
  if (status == SC_OK)
    status = sc_x25519_from_ed25519(x25519, *author);
  if (status != SC_OK)
    return status;
  memcpy(sender->ed25519_public, author->ptr, SC_KEY_BYTES);
  sc_id_make(&sender->id, SC_ID_STANDARD, x25519);
  return SC_OK;
}

static sc_status read_signature(sc_bytes *out, sc_bt_reader *reader) {
  sc_status status = read_field(out, reader, "s");
  if (status == SC_ERR_NOT_FOUND)
    return SC_ERR_FORMAT;
  if (status == SC_OK && out->len != SC_SIGNATURE_BYTES)
    return SC_ERR_SIGNATURE_SIZE;
  return status;
}

/* Reads the body under `key`, if there is one; it must be the only one. */
static sc_status read_body(content *out, sc_bt_reader *reader, const char *key, bool compressed) {
  sc_bytes body;
  sc_status status = read_field(&body, reader, key);
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (status != SC_OK)
    return status;
  if (body.len == 0 || out->body.len > 0)
    return SC_ERR_GROUP_DATA;
  out->body = body;
  out->compressed = compressed;
  return SC_OK;
}

/* Keys that are not known are passed over. */
static sc_status read_fields(content *out, sc_sender *claimed, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = read_version(reader);
  if (status == SC_OK)
    status = read_author(&out->author, claimed, reader);
  if (status == SC_OK)
    status = read_body(out, reader, "d", false);
  if (status == SC_OK)
    status = read_signature(&out->signature, reader);
  if (status == SC_OK)
    status = read_body(out, reader, "z", true);
  if (status == SC_OK && out->body.len == 0)
    status = SC_ERR_GROUP_DATA;
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_dict(content *out, sc_sender *claimed, sc_bytes decrypted) {
  sc_bytes dict;
  sc_status status = without_padding(&dict, decrypted);
  if (status != SC_OK)
    return status;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, dict);
  status = read_fields(out, claimed, &reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

static sc_status verify(const content *content, const sc_env *env, const uint8_t *group) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, env);
  sc_status status = signed_bytes(&bytes, content->body, group);
  if (status == SC_OK)
    status = sc_ed25519_verify(content->author, sc_buffer_bytes(&bytes), content->signature);
  sc_buffer_free(&bytes);
  return status;
}

static sc_status unpack(sc_buffer *out, const content *content) {
  if (content->compressed)
    return sc_zstd_decompress(out, content->body, SC_GROUP_MESSAGE_MAX);
  return sc_buffer_append(out, content->body);
}

sc_status sc_group_open(sc_buffer *out, sc_sender *sender, size_t *key_index, const sc_env *env,
                        const uint8_t group[SC_AT_LEAST(32)], const sc_bytes *keys, size_t key_count,
                        sc_bytes sealed) {
  sc_buffer_clear(out);
  if (sealed.len < group_overhead)
    return SC_ERR_TRUNCATED;
  sc_buffer decrypted;
  sc_buffer_init(&decrypted, env);
  content content = {.compressed = false};
  sc_sender claimed;
  size_t fitting;
  sc_status status = decrypt(&decrypted, &fitting, keys, key_count, sealed);
  if (status == SC_OK)
    status = read_dict(&content, &claimed, sc_buffer_bytes(&decrypted));
  if (status == SC_OK)
    status = verify(&content, env, group);
  if (status == SC_OK)
    status = unpack(out, &content);
  if (status == SC_OK) {
    *sender = claimed;
    if (key_index != NULL)
      *key_index = fitting;
  }
  sc_buffer_free(&decrypted);
  return status;
}
