#include "chunk.h"
#include "pieces.h"
#include "session-core/base/secret.h"

struct sc_archive_opener {
  const sc_env *env;
  sc_sink frames;
  const sc_archive_secret *secrets; /* borrowed until the header was read */
  size_t secret_count;
  bool over;        /* finished or failed */
  sc_buffer header; /* as far as it came */
  bool opened;
  sc_archive_chunk_keys keys;
  uint64_t index;
  size_t sealed_most; /* bytes of a full chunk */
  sc_buffer sealed;   /* the chunk that is coming */
  sc_buffer plain;
};

sc_status sc_archive_opener_new(sc_archive_opener **out, const sc_env *env, sc_sink frames,
                                const sc_archive_secret *secrets, size_t count) {
  *out = NULL;
  sc_status status = count == 0 ? SC_ERR_ARGUMENT : SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_archive_secret_check(&secrets[i]);
  if (status != SC_OK)
    return status;
  sc_archive_opener *opener = sc_allocate(env, sizeof *opener);
  if (opener == NULL)
    return SC_ERR_NO_MEMORY;
  *opener = (sc_archive_opener){.env = env, .frames = frames, .secrets = secrets, .secret_count = count};
  sc_buffer_init(&opener->header, env);
  sc_buffer_init(&opener->sealed, env);
  sc_buffer_init(&opener->plain, env);
  *out = opener;
  return SC_OK;
}

void sc_archive_opener_free(sc_archive_opener *opener) {
  if (opener == NULL)
    return;
  const sc_env *env = opener->env;
  sc_buffer_free(&opener->header);
  sc_buffer_free(&opener->sealed);
  sc_buffer_free(&opener->plain);
  sc_wipe(opener, sizeof *opener);
  sc_release(env, opener);
}

uint64_t sc_archive_opener_chunks(const sc_archive_opener *opener) {
  return opener->index;
}

static const sc_archive_secret *secret_for(const sc_archive_opener *opener, size_t *after,
                                           sc_archive_slot_kind kind) {
  for (; *after < opener->secret_count; (*after)++)
    if (opener->secrets[*after].kind == kind)
      return &opener->secrets[(*after)++];
  return NULL;
}

/* Tries every secret with every slot of its kind. A slot that cannot be tried does not hide the others. */
static sc_status find_key(uint8_t key[static sc_archive_key_bytes], const sc_archive_opener *opener,
                          const sc_archive_header *header) {
  sc_status failure = SC_ERR_ARCHIVE_NO_SLOT;
  for (size_t i = 0; i < header->slot_count; i++) {
    const uint8_t *slot = opener->header.ptr + sc_archive_slots_at + i * sc_archive_slot_bytes;
    const sc_archive_secret *secret;
    size_t after = 0;
    while ((secret = secret_for(opener, &after, header->slots[i].kind)) != NULL) {
      sc_status status = sc_archive_slot_open(key, slot, secret, header->id);
      if (status == SC_OK || status == SC_ERR_NO_MEMORY)
        return status;
      if (failure != SC_ERR_PASSPHRASE_COST)
        failure = status;
    }
  }
  return failure;
}

static sc_status open_header(sc_archive_opener *opener, const sc_archive_header *header) {
  uint8_t key[sc_archive_key_bytes];
  sc_status status = find_key(key, opener, header);
  opener->secrets = NULL;
  sc_bytes whole = sc_bytes_make(opener->header.ptr, header->len);
  if (status == SC_OK) {
    sc_archive_chunk_keys_init(&opener->keys, key, whole);
    const uint8_t *mac = whole.ptr + whole.len - sc_archive_mac_bytes;
    status = sc_equal(opener->keys.mac, mac, sc_archive_mac_bytes) ? SC_OK : SC_ERR_ARCHIVE_DAMAGED;
  }
  sc_wipe(key, sizeof key);
  size_t chunk_bytes = (size_t)1 << header->chunk_log2;
  opener->sealed_most = chunk_bytes + sc_archive_tag_bytes;
  if (status == SC_OK)
    status = sc_buffer_reserve(&opener->sealed, opener->sealed_most);
  if (status == SC_OK)
    status = sc_buffer_reserve(&opener->plain, chunk_bytes);
  opener->opened = status == SC_OK;
  return status;
}

/* Collects the header: its fixed part says how long it is. */
static sc_status read_header(sc_archive_opener *opener, sc_bytes *file) {
  sc_archive_header header;
  sc_status status = sc_archive_header_read(&header, sc_buffer_bytes(&opener->header));
  bool fixed_part_missing = opener->header.len < sc_archive_slots_at;
  size_t wanted = fixed_part_missing ? sc_archive_slots_at : header.len;
  sc_bytes piece = sc_pieces_take(file, wanted - opener->header.len);
  status = sc_buffer_append(&opener->header, piece);
  if (status != SC_OK || opener->header.len < wanted)
    return status;
  status = sc_archive_header_read(&header, sc_buffer_bytes(&opener->header));
  if (fixed_part_missing && status == SC_ERR_ARCHIVE_TRUNCATED)
    return SC_OK;
  return status == SC_OK ? open_header(opener, &header) : status;
}

static bool try_chunk(sc_archive_opener *opener, bool last) {
  if (opener->sealed.len <= sc_archive_tag_bytes)
    return false;
  return sc_archive_chunk_open(opener->plain.ptr, &opener->keys, opener->index, last,
                               sc_buffer_bytes(&opener->sealed));
}

static sc_status release_chunk(sc_archive_opener *opener) {
  sc_bytes plain = sc_bytes_make(opener->plain.ptr, opener->sealed.len - sc_archive_tag_bytes);
  opener->index++;
  sc_buffer_clear(&opener->sealed);
  return sc_pieces_put(opener->frames, plain);
}

static sc_status open_chunk(sc_archive_opener *opener) {
  if (opener->index == SC_ARCHIVE_MAX_CHUNKS)
    return SC_ERR_TOO_LARGE;
  return try_chunk(opener, false) ? release_chunk(opener) : SC_ERR_ARCHIVE_DAMAGED;
}

static sc_status read_file(sc_archive_opener *opener, sc_bytes file) {
  sc_status status = SC_OK;
  while (file.len > 0 && status == SC_OK) {
    if (!opener->opened) {
      status = read_header(opener, &file);
      continue;
    }
    if (opener->sealed.len == opener->sealed_most)
      status = open_chunk(opener);
    if (status == SC_OK)
      status =
          sc_buffer_append(&opener->sealed, sc_pieces_take(&file, opener->sealed_most - opener->sealed.len));
  }
  return status;
}

sc_status sc_archive_opener_write(sc_archive_opener *opener, sc_bytes file) {
  sc_status status = opener->over ? SC_ERR_STATE : read_file(opener, file);
  opener->over = status != SC_OK;
  return status;
}

static sc_status open_last(sc_archive_opener *opener) {
  sc_archive_header header;
  if (!opener->opened)
    return sc_archive_header_read(&header, sc_buffer_bytes(&opener->header));
  if (opener->sealed.len == 0)
    return SC_ERR_ARCHIVE_TRUNCATED;
  if (try_chunk(opener, true))
    return release_chunk(opener);
  bool another_followed = opener->sealed.len == opener->sealed_most && try_chunk(opener, false);
  return another_followed ? SC_ERR_ARCHIVE_TRUNCATED : SC_ERR_ARCHIVE_DAMAGED;
}

sc_status sc_archive_opener_finish(sc_archive_opener *opener) {
  sc_status status = opener->over ? SC_ERR_STATE : open_last(opener);
  opener->over = true;
  return status;
}
