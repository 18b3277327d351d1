#include "chunk_reader.h"

sc_status sc_chunk_stream_start(crypto_secretstream_xchacha20poly1305_state *stream, const uint8_t *header,
                                const uint8_t *key) {
  int failed = crypto_secretstream_xchacha20poly1305_init_pull(stream, header, key);
  return failed == 0 ? SC_OK : SC_ERR_KEY_INVALID;
}

sc_status sc_chunk_reader_init(sc_chunk_reader *out, const sc_chunk_form *form, sc_bytes key, uint8_t *sealed,
                               uint8_t *chunk) {
  if (key.len != sc_chunk_key_bytes)
    return SC_ERR_KEY_SIZE;
  *out = (sc_chunk_reader){.form = *form, .sealed = sealed, .chunk = chunk};
  memcpy(out->key, key.ptr, key.len);
  return SC_OK;
}

static size_t head_bytes(const sc_chunk_reader *reader) {
  return reader->form.magic.len + sc_chunk_header_bytes;
}

/* Checks the magic as it arrives, so that another file fails early. */
static sc_status check_magic(const sc_chunk_reader *reader) {
  size_t len = reader->form.magic.len;
  if (reader->sealed_len < len)
    len = reader->sealed_len;
  return memcmp(reader->sealed, reader->form.magic.ptr, len) == 0 ? SC_OK : SC_ERR_FILE_FORMAT;
}

static sc_status open_head(sc_chunk_reader *reader) {
  reader->started = true;
  reader->sealed_len = 0;
  return sc_chunk_stream_start(&reader->stream, reader->sealed + reader->form.magic.len, reader->key);
}

/* Of the tags only FINAL matters: PUSH is a hint, and libsodium itself handles REKEY. */
static sc_status open_chunk(sc_chunk_reader *reader) {
  if (reader->sealed_len < reader->form.least_sealed)
    return SC_ERR_FILE_FORMAT;
  unsigned long long len;
  unsigned char tag;
  if (crypto_secretstream_xchacha20poly1305_pull(&reader->stream, reader->chunk, &len, &tag, reader->sealed,
                                                 reader->sealed_len, NULL, 0) != 0)
    return SC_ERR_FILE_DAMAGED;
  reader->sealed_len = 0;
  reader->ended = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  return reader->plain(reader->user, sc_bytes_make(reader->chunk, (size_t)len));
}

/* Completes the head or the chunk, and processes it. */
static sc_status take(sc_chunk_reader *reader, sc_bytes *input) {
  if (reader->ended)
    return SC_ERR_FILE_FORMAT;
  size_t whole = reader->started ? reader->form.chunk_bytes + sc_chunk_overhead : head_bytes(reader);
  size_t missing = whole - reader->sealed_len;
  size_t len = input->len < missing ? input->len : missing;
  memcpy(reader->sealed + reader->sealed_len, input->ptr, len);
  reader->sealed_len += len;
  *input = sc_bytes_make(input->ptr + len, input->len - len);
  sc_status status = reader->started ? SC_OK : check_magic(reader);
  if (status != SC_OK || reader->sealed_len < whole)
    return status;
  return reader->started ? open_chunk(reader) : open_head(reader);
}

sc_status sc_chunk_reader_write(sc_chunk_reader *reader, sc_bytes sealed) {
  sc_status status = reader->over ? SC_ERR_STATE : SC_OK;
  while (sealed.len > 0 && status == SC_OK)
    status = take(reader, &sealed);
  reader->over = status != SC_OK;
  return status;
}

static sc_status open_last(sc_chunk_reader *reader) {
  if (!reader->started)
    return SC_ERR_FILE_FORMAT;
  sc_status status = reader->ended ? SC_OK : open_chunk(reader);
  if (status != SC_OK)
    return status;
  return reader->ended ? SC_OK : SC_ERR_FILE_FORMAT;
}

sc_status sc_chunk_reader_finish(sc_chunk_reader *reader) {
  sc_status status = reader->over ? SC_ERR_STATE : open_last(reader);
  reader->over = true;
  return status;
}
