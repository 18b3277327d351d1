#include "chunk.h"
#include "pieces.h"
#include "session-core/base/secret.h"

struct sc_archive_sealer {
  const sc_env *env;
  sc_sink file;
  bool over; /* finished or failed */
  sc_archive_chunk_keys keys;
  uint64_t index;
  size_t chunk_bytes;
  size_t chunk_len;
  uint8_t *sealed; /* behind the chunk */
  uint8_t chunk[];
};

static sc_status check_secrets(const sc_archive_secret *secrets, size_t count) {
  if (count < 1 || count > SC_ARCHIVE_MAX_SLOTS)
    return SC_ERR_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    sc_status status = sc_archive_secret_check(&secrets[i]);
    for (size_t earlier = 0; earlier < i && status == SC_OK; earlier++)
      if (secrets[earlier].kind == secrets[i].kind)
        status = SC_ERR_ARGUMENT;
    if (status != SC_OK)
      return status;
  }
  return SC_OK;
}

static sc_status write_header(sc_archive_sealer *sealer, const sc_archive_secret *secrets, size_t count,
                              unsigned chunk_log2) {
  uint8_t header[sc_archive_slots_at + SC_ARCHIVE_MAX_SLOTS * sc_archive_slot_bytes + sc_archive_mac_bytes];
  uint8_t key[sc_archive_key_bytes], id[SC_ARCHIVE_ID_BYTES], nonce_prefix[sc_archive_prefix_bytes];
  sc_random(sealer->env, key, sizeof key);
  sc_random(sealer->env, id, sizeof id);
  sc_random(sealer->env, nonce_prefix, sizeof nonce_prefix);
  sc_archive_header_begin(header, id, nonce_prefix, chunk_log2, count);
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_archive_slot_seal(header + sc_archive_slots_at + i * sc_archive_slot_bytes, sealer->env, key,
                                  &secrets[i], id);
  sc_bytes whole = sc_bytes_make(header, sc_archive_header_len(count));
  sc_archive_chunk_keys_init(&sealer->keys, key, whole);
  memcpy(header + whole.len - sc_archive_mac_bytes, sealer->keys.mac, sc_archive_mac_bytes);
  sc_wipe(key, sizeof key);
  return status == SC_OK ? sealer->file.write(sealer->file.user, whole) : status;
}

sc_status sc_archive_sealer_new(sc_archive_sealer **out, const sc_env *env, sc_sink file,
                                const sc_archive_secret *secrets, size_t count, unsigned chunk_log2) {
  *out = NULL;
  sc_status status = check_secrets(secrets, count);
  if (chunk_log2 < SC_ARCHIVE_MIN_CHUNK_LOG2 || chunk_log2 > SC_ARCHIVE_MAX_CHUNK_LOG2)
    status = SC_ERR_ARGUMENT;
  if (status != SC_OK)
    return status;
  size_t chunk_bytes = (size_t)1 << chunk_log2;
  sc_archive_sealer *sealer = sc_allocate(env, sizeof *sealer + 2 * chunk_bytes + sc_archive_tag_bytes);
  if (sealer == NULL)
    return SC_ERR_NO_MEMORY;
  *sealer = (sc_archive_sealer){.env = env, .file = file, .chunk_bytes = chunk_bytes};
  sealer->sealed = sealer->chunk + chunk_bytes;
  status = write_header(sealer, secrets, count, chunk_log2);
  if (status == SC_OK)
    *out = sealer;
  else
    sc_archive_sealer_free(sealer);
  return status;
}

void sc_archive_sealer_free(sc_archive_sealer *sealer) {
  if (sealer == NULL)
    return;
  const sc_env *env = sealer->env;
  sc_wipe(sealer, sizeof *sealer + sealer->chunk_bytes);
  sc_release(env, sealer);
}

static sc_status seal_chunk(sc_archive_sealer *sealer, bool last) {
  if (sealer->index == SC_ARCHIVE_MAX_CHUNKS)
    return SC_ERR_TOO_LARGE;
  sc_archive_chunk_seal(sealer->sealed, &sealer->keys, sealer->index++, last,
                        sc_bytes_make(sealer->chunk, sealer->chunk_len));
  sc_bytes sealed = sc_bytes_make(sealer->sealed, sealer->chunk_len + sc_archive_tag_bytes);
  sealer->chunk_len = 0;
  return sc_pieces_put(sealer->file, sealed);
}

/* A full chunk leaves when more comes, so that the last one is still here at the end. */
static sc_status add(sc_archive_sealer *sealer, sc_bytes frames) {
  sc_status status = SC_OK;
  while (frames.len > 0 && status == SC_OK) {
    if (sealer->chunk_len == sealer->chunk_bytes)
      status = seal_chunk(sealer, false);
    sc_bytes piece = sc_pieces_take(&frames, sealer->chunk_bytes - sealer->chunk_len);
    memcpy(sealer->chunk + sealer->chunk_len, piece.ptr, piece.len);
    sealer->chunk_len += piece.len;
  }
  return status;
}

sc_status sc_archive_sealer_write(sc_archive_sealer *sealer, sc_bytes frames) {
  sc_status status = sealer->over ? SC_ERR_STATE : add(sealer, frames);
  sealer->over = status != SC_OK;
  return status;
}

sc_status sc_archive_sealer_finish(sc_archive_sealer *sealer) {
  sc_status status = sealer->over || sealer->chunk_len == 0 ? SC_ERR_STATE : seal_chunk(sealer, true);
  sealer->over = true;
  return status;
}

static sc_status write_piece(void *sealer, sc_bytes piece) {
  return sc_archive_sealer_write(sealer, piece);
}

sc_sink sc_archive_sealer_sink(sc_archive_sealer *sealer) {
  return (sc_sink){.user = sealer, .write = write_piece};
}
