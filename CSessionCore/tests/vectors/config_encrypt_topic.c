#include "base/compression.h"
#include "config/envelope.h"
#include "config/legacy_wrap.h"
#include "topics.h"

static sc_status encrypt(known_case *c) {
  sc_buffer *encrypted = known_buffer(c);
  sc_status status =
      sc_config_encrypt(encrypted, known_hex(c, "key"), known_text(c, "domain"), known_hex(c, "message"));
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(encrypted));
  return status;
}

static sc_status decrypt(known_case *c) {
  const sc_bytes key = known_hex(c, "key");
  sc_buffer *message = known_buffer(c);
  sc_status status = sc_config_decrypt(message, &key, 1, known_text(c, "domain"), known_hex(c, "ciphertext"));
  if (status == SC_OK)
    known_same(c, "message", sc_buffer_bytes(message));
  return status;
}

static sc_status padded_size(known_case *c) {
  size_t padded_len =
      sc_config_padded_len((size_t)known_unsigned(c, "size"), (size_t)known_unsigned(c, "overhead"));
  known_same_integer(c, "padded", (int64_t)padded_len);
  return SC_OK;
}

static sc_status pad(known_case *c) {
  sc_buffer *padded = known_buffer(c);
  sc_status status = sc_config_pad(padded, known_hex(c, "message"), (size_t)known_unsigned(c, "overhead"));
  if (status == SC_OK)
    known_same(c, "padded", sc_buffer_bytes(padded));
  return status;
}

static sc_status zstd_compress(known_case *c) {
  sc_buffer *compressed = known_buffer(c);
  sc_status status = sc_zstd_compress(compressed, known_hex(c, "prefix"), known_hex(c, "data"),
                                      (int)known_integer(c, "level"));
  if (status == SC_OK)
    known_same(c, "compressed", sc_buffer_bytes(compressed));
  return status;
}

static sc_status zstd_decompress(known_case *c) {
  uint64_t recorded_limit = known_unsigned(c, "max_size");
  size_t limit = recorded_limit == 0 ? SIZE_MAX : (size_t)recorded_limit;
  sc_buffer *data = known_buffer(c);
  sc_status status = sc_zstd_decompress(data, known_hex(c, "compressed"), limit);
  if (status == SC_OK)
    known_same(c, "data", sc_buffer_bytes(data));
  return status;
}

static sc_status seal(known_case *c, const sc_config_envelope *envelope, sc_bytes message) {
  sc_config_stored stored;
  sc_config_stored_init(&stored, known_env(c));
  sc_status status = sc_config_seal(&stored, envelope, 0, message);
  if (status == SC_OK)
    known_same(c, "ciphertext", sc_buffer_bytes(&stored.bytes));
  sc_config_stored_free(&stored);
  return status;
}

/* The way back, to the message itself. */
static sc_status open_sealed(known_case *c, const sc_config_envelope *envelope, sc_bytes sealed) {
  sc_config_form form;
  sc_buffer *message = known_buffer(c);
  sc_status status = sc_config_open(message, &form, envelope, sealed);
  if (status == SC_OK)
    known_same(c, "message", sc_buffer_bytes(message));
  return status;
}

static sc_status message_pipeline(known_case *c) {
  const sc_bytes key = known_hex(c, "key");
  const sc_config_envelope envelope = {.domain = known_text(c, "domain"), .keys = &key, .key_count = 1};
  const sc_bytes message = known_hex(c, "message");
  sc_buffer *packed = known_buffer(c);
  sc_status status = sc_config_pack(packed, message);
  if (status != SC_OK)
    return status;
  known_same(c, "packed", sc_buffer_bytes(packed));
  known_same_flag(c, "compressed", packed->len < message.len);
  known_same_integer(c, "padded_size",
                     (int64_t)sc_config_padded_len(packed->len, SC_CONFIG_ENCRYPT_OVERHEAD));
  status = seal(c, &envelope, message);
  return status == SC_OK ? open_sealed(c, &envelope, known_hex(c, "ciphertext")) : status;
}

static sc_keypair account_of(known_case *c) {
  sc_keypair account;
  sc_keypair_from_seed(&account, known_key(c, "seed"));
  return account;
}

/* The namespaces of wrapped kinds begin at 2, the kinds at 1. */
static sc_legacy_config_kind kind_of(known_case *c) {
  return (sc_legacy_config_kind)(known_integer(c, "namespace") - 1);
}

static sc_status proto_wrap(known_case *c) {
  sc_keypair account = account_of(c);
  sc_buffer *wrapped = known_buffer(c);
  sc_status status =
      sc_config_wrap(wrapped, &account, kind_of(c), known_integer(c, "seqno"), known_hex(c, "data"));
  if (status == SC_OK)
    known_same(c, "wrapped", sc_buffer_bytes(wrapped));
  return status;
}

static sc_status proto_unwrap(known_case *c) {
  sc_keypair account = account_of(c);
  sc_buffer *data = known_buffer(c);
  sc_status status = sc_config_unwrap(data, &account, kind_of(c), known_hex(c, "wrapped"));
  if (status == SC_OK)
    known_same(c, "data", sc_buffer_bytes(data));
  return status;
}

TOPIC(config_encrypt, {"encrypt", encrypt}, {"decrypt", decrypt}, {"padded_size", padded_size}, {"pad", pad},
      {"zstd_compress", zstd_compress}, {"zstd_decompress", zstd_decompress},
      {"message_pipeline", message_pipeline}, {"proto_wrap", proto_wrap}, {"proto_unwrap", proto_unwrap});
