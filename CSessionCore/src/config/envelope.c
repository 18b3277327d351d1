/* The first letter of padded data names its type:
 *
 *   d  a config message, which is a bt dict
 *   z  one, compressed
 *   m  a part of one of the two, padded
 */
#include "envelope.h"

#include "../base/compression.h"
#include "encryption.h"
#include "form.h"
#include "legacy_wrap.h"
#include "multipart.h"

enum { compression_level = 1 };

static bool begins_with(sc_bytes bytes, uint8_t letter) {
  return bytes.len > 0 && bytes.ptr[0] == letter;
}

/* `*packed` is the message, or its compressed form in `frame` if that is smaller. */
static sc_status choose_form(sc_bytes *packed, sc_buffer *frame, sc_bytes message) {
  static const uint8_t letter[] = {SC_FORM_COMPRESSED};
  *packed = message;
  sc_status status = sc_zstd_compress(frame, SC_BYTES(letter), message, compression_level);
  if (status == SC_OK && frame->len < message.len)
    *packed = sc_buffer_bytes(frame);
  return status;
}

sc_status sc_config_pack(sc_buffer *out, sc_bytes message) {
  sc_bytes packed;
  sc_status status = choose_form(&packed, out, message);
  if (status != SC_OK || packed.ptr == out->ptr)
    return status;
  sc_buffer_clear(out);
  return sc_buffer_append(out, message);
}

static sc_status decompress(sc_buffer *out, sc_bytes packed) {
  sc_bytes frame = sc_bytes_make(packed.ptr + 1, packed.len - 1);
  sc_status status = sc_zstd_decompress_one(out, frame, SC_CONFIG_MAX_BYTES);
  if (status == SC_OK && !begins_with(sc_buffer_bytes(out), SC_FORM_MESSAGE)) {
    sc_buffer_clear(out);
    status = SC_ERR_FORMAT;
  }
  return status;
}

sc_status sc_config_unpack(sc_buffer *out, sc_bytes padded) {
  sc_buffer_clear(out);
  sc_bytes packed = sc_config_unpadded(padded);
  if (packed.len == 0)
    return SC_ERR_FORMAT;
  switch (packed.ptr[0]) {
  case SC_FORM_MESSAGE:
    return packed.len <= SC_CONFIG_MAX_BYTES ? sc_buffer_append(out, packed) : SC_ERR_TOO_LARGE;
  case SC_FORM_COMPRESSED:
    return decompress(out, packed);
  case SC_FORM_PART:
    return SC_ERR_FORMAT;
  default:
    return SC_ERR_VERSION;
  }
}

void sc_config_stored_init(sc_config_stored *stored, const sc_env *env) {
  *stored = (sc_config_stored){0};
  sc_buffer_init(&stored->bytes, env);
}

void sc_config_stored_free(sc_config_stored *stored) {
  sc_buffer_free(&stored->bytes);
  memset(stored->set, 0, sizeof stored->set);
}

size_t sc_config_stored_count(const sc_config_stored *stored) {
  return stored->bytes.len / SC_STORED_MAX_BYTES + (stored->bytes.len % SC_STORED_MAX_BYTES != 0);
}

sc_bytes sc_config_stored_message(const sc_config_stored *stored, size_t index) {
  size_t at = index * SC_STORED_MAX_BYTES;
  size_t left = stored->bytes.len - at;
  return sc_bytes_make(stored->bytes.ptr + at, left < SC_STORED_MAX_BYTES ? left : SC_STORED_MAX_BYTES);
}

static sc_status encrypt_padded(sc_buffer *out, const sc_config_envelope *envelope, sc_bytes packed) {
  sc_buffer_clear(out);
  size_t padded_len = sc_config_padded_len(packed.len, SC_CONFIG_ENCRYPT_OVERHEAD);
  uint8_t *added;
  sc_status status = sc_buffer_reserve(out, padded_len + SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status == SC_OK)
    status = sc_config_pad(out, packed, SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status == SC_OK)
    status = sc_buffer_extend(&added, out, SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status == SC_OK)
    sc_config_encrypt_in_place(out->ptr, padded_len, envelope->keys[0], envelope->domain);
  return status;
}

static void swap(sc_buffer *a, sc_buffer *b) {
  sc_buffer kept = *a;
  *a = *b;
  *b = kept;
}

/* A message too large with its wrapping is stored without it: readers accept both. */
static sc_status wrap_where_it_fits(sc_buffer *encrypted, const sc_config_envelope *envelope, int64_t seqno) {
  sc_buffer wrapped;
  sc_buffer_init(&wrapped, encrypted->env);
  sc_status status =
      sc_config_wrap(&wrapped, envelope->account, envelope->kind, seqno, sc_buffer_bytes(encrypted));
  if (status == SC_OK)
    swap(encrypted, &wrapped);
  sc_buffer_free(&wrapped);
  return status == SC_ERR_TOO_LARGE ? SC_OK : status;
}

static sc_status seal_whole(sc_buffer *out, const sc_config_envelope *envelope, int64_t seqno,
                            sc_bytes packed) {
  sc_status status = encrypt_padded(out, envelope, packed);
  if (status == SC_OK && envelope->account != NULL)
    status = wrap_where_it_fits(out, envelope, seqno);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

static sc_status seal_parts(sc_config_stored *out, const sc_config_envelope *envelope, sc_bytes packed) {
  sc_buffer padded;
  sc_buffer_init(&padded, out->bytes.env);
  sc_status status = sc_config_pad(&padded, packed, SC_CONFIG_ENCRYPT_OVERHEAD);
  if (status == SC_OK)
    status = sc_config_split(out, envelope->keys[0], envelope->domain, sc_buffer_bytes(&padded));
  sc_buffer_free(&padded);
  return status;
}

static sc_status check_to_seal(const sc_config_envelope *envelope, sc_bytes message) {
  if (envelope->key_count == 0 || !begins_with(message, SC_FORM_MESSAGE))
    return SC_ERR_ARGUMENT;
  sc_status status = sc_config_check_key(envelope->keys[0], envelope->domain);
  return status == SC_OK && message.len > SC_CONFIG_MAX_BYTES ? SC_ERR_TOO_LARGE : status;
}

sc_status sc_config_seal(sc_config_stored *out, const sc_config_envelope *envelope, int64_t seqno,
                         sc_bytes message) {
  sc_buffer_clear(&out->bytes);
  memset(out->set, 0, sizeof out->set);
  sc_status status = check_to_seal(envelope, message);
  if (status != SC_OK)
    return status;
  sc_buffer frame;
  sc_buffer_init(&frame, out->bytes.env);
  sc_bytes packed;
  status = choose_form(&packed, &frame, message);
  if (status == SC_OK) {
    size_t encrypted_len =
        sc_config_padded_len(packed.len, SC_CONFIG_ENCRYPT_OVERHEAD) + SC_CONFIG_ENCRYPT_OVERHEAD;
    status = encrypted_len <= SC_STORED_MAX_BYTES ? seal_whole(&out->bytes, envelope, seqno, packed)
                                                  : seal_parts(out, envelope, packed);
  }
  sc_buffer_free(&frame);
  return status;
}

/* Without its wrapping, where it may have one. `*bare` borrows from one of the two. */
static sc_status strip(sc_bytes *bare, sc_buffer *stripped, const sc_config_envelope *envelope,
                       sc_bytes stored) {
  *bare = stored;
  if (envelope->account == NULL)
    return SC_OK;
  sc_status status = sc_config_strip(stripped, envelope->account, envelope->kind, stored);
  *bare = sc_buffer_bytes(stripped);
  return status;
}

static sc_status decrypt_bare(sc_buffer *out, const sc_config_envelope *envelope, sc_bytes stored) {
  sc_buffer stripped;
  sc_buffer_init(&stripped, out->env);
  sc_bytes bare;
  sc_status status = strip(&bare, &stripped, envelope, stored);
  if (status == SC_OK)
    status = sc_config_decrypt(out, envelope->keys, envelope->key_count, envelope->domain, bare);
  sc_buffer_free(&stripped);
  return status;
}

/* A part has no leading padding, so it is returned without copying. */
static sc_status hand_on_part(sc_buffer *out, sc_buffer *decrypted, sc_bytes part) {
  if (part.len < decrypted->len)
    return sc_buffer_append(out, part);
  swap(out, decrypted);
  return SC_OK;
}

static sc_status open_decrypted(sc_buffer *out, sc_config_form *form, sc_buffer *decrypted) {
  sc_bytes unpadded = sc_config_unpadded(sc_buffer_bytes(decrypted));
  bool is_part = begins_with(unpadded, SC_FORM_PART);
  *form = is_part ? SC_CONFIG_PART : SC_CONFIG_WHOLE;
  return is_part ? hand_on_part(out, decrypted, unpadded) : sc_config_unpack(out, unpadded);
}

sc_status sc_config_open(sc_buffer *out, sc_config_form *form, const sc_config_envelope *envelope,
                         sc_bytes stored) {
  sc_buffer_clear(out);
  if (stored.len > SC_STORED_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_buffer decrypted;
  sc_buffer_init(&decrypted, out->env);
  sc_status status = decrypt_bare(&decrypted, envelope, stored);
  if (status == SC_OK)
    status = open_decrypted(out, form, &decrypted);
  sc_buffer_free(&decrypted);
  return status;
}
