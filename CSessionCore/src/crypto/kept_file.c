/* A kept file is laid out as
 *
 *   "SFE1" | 16 as four bytes, the low one first | header 24 | chunks: secretstream of the content, 65536
 *   bytes and 17 more each
 *
 * The last chunk, and only that, is tagged as final; it is empty when the content is. */
#include "session-core/crypto/kept_file.h"

#include "chunk_reader.h"
#include "session-core/base/secret.h"

enum {
  magic_bytes = 8,
  header_bytes = magic_bytes + sc_chunk_header_bytes,
  chunk_bytes = 1 << 16,
  sealed_chunk_bytes = chunk_bytes + sc_chunk_overhead,
};

_Static_assert((int)SC_KEPT_FILE_KEY_BYTES == (int)sc_chunk_key_bytes, "sizes agree");
_Static_assert((int)chunk_bytes <= (int)SC_SINK_MAX_BYTES, "opened pieces fit a sink");

static const uint8_t magic[magic_bytes] = {'S', 'F', 'E', '1', 16, 0, 0, 0};

uint64_t sc_kept_file_sealed_len(uint64_t len) {
  if (len > UINT64_MAX / 2)
    return UINT64_MAX;
  uint64_t chunks = len == 0 ? 1 : (len - 1) / chunk_bytes + 1;
  return header_bytes + len + chunks * sc_chunk_overhead;
}

static sc_bytes skip(sc_bytes bytes, size_t len) {
  return sc_bytes_make(bytes.ptr + len, bytes.len - len);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

struct sc_kept_sealer {
  const sc_env *env;
  sc_sink sink;
  bool over; /* finished or failed */
  crypto_secretstream_xchacha20poly1305_state stream;
  size_t chunk_len;
  uint8_t chunk[chunk_bytes];
  uint8_t sealed[sealed_chunk_bytes];
};

/* A sealed chunk is a little longer than a piece may be. */
static sc_status put(sc_kept_sealer *sealer, sc_bytes bytes) {
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK) {
    sc_bytes piece = sc_bytes_make(bytes.ptr, smaller(bytes.len, SC_SINK_MAX_BYTES));
    status = sealer->sink.write(sealer->sink.user, piece);
    bytes = skip(bytes, piece.len);
  }
  return status;
}

static sc_status begin(uint8_t *key, sc_kept_sealer *sealer) {
  uint8_t header[header_bytes];
  memcpy(header, magic, magic_bytes);
  sc_random(sealer->env, header + magic_bytes, sc_chunk_header_bytes);
  sc_random(sealer->env, key, SC_KEPT_FILE_KEY_BYTES);
  sc_status status = sc_chunk_stream_start(&sealer->stream, header + magic_bytes, key);
  return status == SC_OK ? put(sealer, SC_BYTES(header)) : status;
}

sc_status sc_kept_sealer_new(sc_kept_sealer **out, uint8_t key[static 32], const sc_env *env, sc_sink sink) {
  *out = NULL;
  memset(key, 0, SC_KEPT_FILE_KEY_BYTES);
  sc_kept_sealer *sealer = sc_allocate(env, sizeof *sealer);
  if (sealer == NULL)
    return SC_ERR_NO_MEMORY;
  sealer->env = env;
  sealer->sink = sink;
  sealer->over = false;
  sealer->chunk_len = 0;
  sc_status status = begin(key, sealer);
  if (status == SC_OK) {
    *out = sealer;
  } else {
    sc_wipe(key, SC_KEPT_FILE_KEY_BYTES);
    sc_kept_sealer_free(sealer);
  }
  return status;
}

void sc_kept_sealer_free(sc_kept_sealer *sealer) {
  if (sealer == NULL)
    return;
  const sc_env *env = sealer->env;
  sc_wipe(sealer, sizeof *sealer);
  sc_release(env, sealer);
}

static sc_status seal(sc_kept_sealer *sealer, sc_bytes plain, uint8_t tag) {
  unsigned long long len;
  if (crypto_secretstream_xchacha20poly1305_push(&sealer->stream, sealer->sealed, &len, plain.ptr, plain.len,
                                                 NULL, 0, tag) != 0)
    return SC_ERR_TOO_LARGE;
  return put(sealer, sc_bytes_make(sealer->sealed, (size_t)len));
}

static sc_status seal_chunk(sc_kept_sealer *sealer, uint8_t tag) {
  sc_bytes plain = sc_bytes_make(sealer->chunk, sealer->chunk_len);
  sealer->chunk_len = 0;
  return seal(sealer, plain, tag);
}

/* A full chunk leaves when more comes, so that the last one is still here at the end. */
static sc_status add(sc_kept_sealer *sealer, sc_bytes *content) {
  if (sealer->chunk_len == chunk_bytes)
    return seal_chunk(sealer, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
  if (sealer->chunk_len == 0 && content->len > chunk_bytes) {
    sc_bytes plain = sc_bytes_make(content->ptr, chunk_bytes);
    *content = skip(*content, chunk_bytes);
    return seal(sealer, plain, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
  }
  size_t len = smaller(content->len, chunk_bytes - sealer->chunk_len);
  memcpy(sealer->chunk + sealer->chunk_len, content->ptr, len);
  sealer->chunk_len += len;
  *content = skip(*content, len);
  return SC_OK;
}

sc_status sc_kept_sealer_write(sc_kept_sealer *sealer, sc_bytes content) {
  sc_status status = sealer->over ? SC_ERR_STATE : SC_OK;
  while (content.len > 0 && status == SC_OK)
    status = add(sealer, &content);
  sealer->over = status != SC_OK;
  return status;
}

sc_status sc_kept_sealer_finish(sc_kept_sealer *sealer) {
  if (sealer->over)
    return SC_ERR_STATE;
  sealer->over = true;
  return seal_chunk(sealer, crypto_secretstream_xchacha20poly1305_TAG_FINAL);
}

struct sc_kept_opener {
  const sc_env *env;
  sc_sink sink;
  sc_chunk_reader reader;
  uint8_t sealed[sealed_chunk_bytes];
  uint8_t chunk[chunk_bytes];
};

static sc_status release_content(void *user, sc_bytes plain) {
  sc_kept_opener *opener = user;
  return plain.len == 0 ? SC_OK : opener->sink.write(opener->sink.user, plain);
}

sc_status sc_kept_opener_new(sc_kept_opener **out, const sc_env *env, sc_sink sink, sc_bytes key) {
  static const sc_chunk_form form = {{magic, magic_bytes}, chunk_bytes, sc_chunk_overhead};
  *out = NULL;
  sc_kept_opener *opener = sc_allocate(env, sizeof *opener);
  if (opener == NULL)
    return SC_ERR_NO_MEMORY;
  opener->env = env;
  opener->sink = sink;
  sc_status status = sc_chunk_reader_init(&opener->reader, &form, key, opener->sealed, opener->chunk);
  opener->reader.plain = release_content;
  opener->reader.user = opener;
  if (status == SC_OK)
    *out = opener;
  else
    sc_kept_opener_free(opener);
  return status;
}

void sc_kept_opener_free(sc_kept_opener *opener) {
  if (opener == NULL)
    return;
  const sc_env *env = opener->env;
  sc_wipe(opener, sizeof *opener);
  sc_release(env, opener);
}

sc_status sc_kept_opener_write(sc_kept_opener *opener, sc_bytes sealed) {
  return sc_chunk_reader_write(&opener->reader, sealed);
}

sc_status sc_kept_opener_finish(sc_kept_opener *opener) {
  return sc_chunk_reader_finish(&opener->reader);
}
