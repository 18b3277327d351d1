/* A sealed file is laid out as
 *
 *   'S' | header 24 | chunks: secretstream of (zeros ‖ 0x01 ‖ content), 32768 bytes and 17 more each
 *
 * Header and key are a hash of the content, so one key and nonce must never seal anything else: that would
 * show how two contents differ. This is why the sealer proves that its second pass reads what the first one
 * read, and holds the last chunk back until it has: files of one chunk never leave when they changed, longer
 * ones never get their end. */
#include "session-core/crypto/stream_file.h"

#include <sodium.h>

#include "chunk_reader.h"
#include "reread.h"
#include "session-core/base/secret.h"

enum {
  magic = 'S',
  stream_header_bytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
  header_bytes = 1 + stream_header_bytes,
  chunk_bytes = 32768,
  chunk_overhead = crypto_secretstream_xchacha20poly1305_ABYTES,
  sealed_chunk_bytes = chunk_bytes + chunk_overhead,
  /* Content begins behind this byte, before which there are only zeros. */
  content_mark = 1,
  mark_bytes = 1,
  shortest_sealed = header_bytes + mark_bytes + chunk_overhead,
  /* Files are padded to a multiple of a 32nd of their size, rounded down to a power of two. */
  padding_steps = 32,
  smallest_padded_size = 131072,
  seed_bytes = 32,
  /* Two hashes read one slice in turn while it is in the cache. */
  slice_bytes = 16 * 1024,
  personal_bytes = crypto_generichash_blake2b_PERSONALBYTES,
};

_Static_assert(SC_STREAM_FILE_KEY_BYTES == crypto_secretstream_xchacha20poly1305_KEYBYTES, "sizes agree");
_Static_assert((int)chunk_bytes <= (int)SC_SINK_MAX_BYTES, "pieces fit a sink");
_Static_assert((int)sealed_chunk_bytes <= (int)SC_SINK_MAX_BYTES, "pieces fit a sink");

static const uint64_t no_such_size = UINT64_MAX;
/* Below it nothing that is computed about a file overflows. */
static const uint64_t largest_content = UINT64_MAX / 8 * 7;

static uint64_t divide_up(uint64_t amount, uint64_t unit) {
  return amount / unit + (amount % unit != 0);
}

static uint64_t power_of_two_below(uint64_t value) {
  uint64_t power = 1;
  while (value >>= 1)
    power <<= 1;
  return power;
}

/* Returns the chunk overhead that `padding` bytes add when the last chunk has `room` free bytes. */
static uint64_t overhead_of(uint64_t padding, uint64_t room) {
  uint64_t chunks = padding / sealed_chunk_bytes + (padding % sealed_chunk_bytes > room);
  return chunks * chunk_overhead;
}

/* Bytes before the content, the mark included: at least 1. */
static uint64_t padding_of(uint64_t len) {
  uint64_t chunks = divide_up(len, chunk_bytes);
  uint64_t bare = len + header_bytes + mark_bytes + chunks * chunk_overhead;
  uint64_t step =
      power_of_two_below(bare > smallest_padded_size ? bare : smallest_padded_size) / padding_steps;
  uint64_t room = chunks * chunk_bytes - len;
  uint64_t padding = divide_up(bare, step) * step - bare + mark_bytes;
  /* A few sizes (the first is over a terabyte) need a new chunk for the mark and lack its overhead. */
  if (padding <= overhead_of(padding, room))
    padding += step;
  return padding - overhead_of(padding, room);
}

uint64_t sc_stream_file_sealed_len(uint64_t len) {
  if (len > largest_content)
    return no_such_size;
  uint64_t plain = padding_of(len) + len;
  return header_bytes + plain + divide_up(plain, chunk_bytes) * chunk_overhead;
}

sc_status sc_stream_file_max_content(uint64_t *out, uint64_t sealed_len) {
  *out = 0;
  if (sealed_len < shortest_sealed)
    return SC_ERR_FILE_FORMAT;
  uint64_t chunks = sealed_len - header_bytes - mark_bytes;
  *out = chunks - divide_up(chunks, sealed_chunk_bytes) * chunk_overhead;
  return SC_OK;
}

typedef enum sealer_phase { MEASURING, SEALING, OVER } sealer_phase;

struct sc_stream_sealer {
  const sc_env *env;
  sc_sink sink;
  sealer_phase phase;
  uint64_t limit;   /* of len */
  uint64_t len;     /* of the content */
  uint64_t left;    /* of it, for the second pass */
  uint64_t padding; /* to be written before the content */
  sc_reread reread;
  /* The state wants more alignment than sc_allocate promises. */
  uint8_t hash_space[sizeof(crypto_generichash_blake2b_state) + 63];
  crypto_secretstream_xchacha20poly1305_state stream;
  size_t chunk_len;
  uint8_t chunk[chunk_bytes];
  uint8_t sealed[sealed_chunk_bytes];
};

static crypto_generichash_blake2b_state *hash_of(sc_stream_sealer *sealer) {
  size_t past = (uintptr_t)sealer->hash_space % 64;
  return (crypto_generichash_blake2b_state *)(sealer->hash_space + (past == 0 ? 0 : 64 - past));
}

static const uint8_t *personal_of(sc_stream_file_domain domain) {
  static const uint8_t attachment[personal_bytes + 1] = "SessionAttachmnt";
  static const uint8_t picture[personal_bytes + 1] = "Session_Prof_Pic";
  switch (domain) {
  case SC_STREAM_FILE_ATTACHMENT:
    return attachment;
  case SC_STREAM_FILE_PICTURE:
    return picture;
  }
  return NULL;
}

static sc_status start_hash(sc_stream_sealer *sealer, sc_bytes seed, const uint8_t *personal) {
  int failed = crypto_generichash_blake2b_init_salt_personal(
      hash_of(sealer), seed.ptr, seed_bytes, stream_header_bytes + SC_STREAM_FILE_KEY_BYTES, NULL, personal);
  return failed == 0 ? SC_OK : SC_ERR_HASH_SIZE;
}

sc_status sc_stream_sealer_new(sc_stream_sealer **out, const sc_env *env, sc_sink sink, sc_bytes seed,
                               sc_stream_file_domain domain, bool any_size) {
  *out = NULL;
  if (seed.len < seed_bytes)
    return SC_ERR_KEY_SIZE;
  const uint8_t *personal = personal_of(domain);
  if (personal == NULL)
    return SC_ERR_ARGUMENT;
  sc_stream_sealer *sealer = sc_allocate(env, sizeof *sealer);
  if (sealer == NULL)
    return SC_ERR_NO_MEMORY;
  sealer->env = env;
  sealer->sink = sink;
  sealer->phase = MEASURING;
  sealer->limit = any_size ? largest_content : SC_STREAM_FILE_MAX;
  sealer->len = 0;
  sealer->padding = 0;
  sealer->chunk_len = 0;
  sc_reread_init(&sealer->reread, env);
  sc_status status = start_hash(sealer, seed, personal);
  if (status == SC_OK)
    *out = sealer;
  else
    sc_stream_sealer_free(sealer);
  return status;
}

void sc_stream_sealer_free(sc_stream_sealer *sealer) {
  if (sealer == NULL)
    return;
  const sc_env *env = sealer->env;
  sc_wipe(sealer, sizeof *sealer);
  sc_release(env, sealer);
}

static sc_bytes skip(sc_bytes bytes, size_t len) {
  return sc_bytes_make(bytes.ptr + len, bytes.len - len);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static sc_status measure_content(sc_stream_sealer *sealer, sc_bytes content) {
  if (content.len > sealer->limit - sealer->len)
    return SC_ERR_FILE_TOO_LARGE;
  sealer->len += content.len;
  while (content.len > 0) {
    sc_bytes slice = sc_bytes_make(content.ptr, smaller(content.len, slice_bytes));
    if (crypto_generichash_blake2b_update(hash_of(sealer), slice.ptr, slice.len) != 0)
      return SC_ERR_HASH_SIZE;
    sc_reread_update(&sealer->reread, slice);
    content = skip(content, slice.len);
  }
  return SC_OK;
}

sc_status sc_stream_sealer_measure(sc_stream_sealer *sealer, sc_bytes content) {
  sc_status status = sealer->phase == MEASURING ? measure_content(sealer, content) : SC_ERR_STATE;
  if (status != SC_OK)
    sealer->phase = OVER;
  return status;
}

static sc_status seal_plain(sc_stream_sealer *sealer, sc_bytes plain, uint8_t tag) {
  unsigned long long sealed_len;
  if (crypto_secretstream_xchacha20poly1305_push(&sealer->stream, sealer->sealed, &sealed_len, plain.ptr,
                                                 plain.len, NULL, 0, tag) != 0)
    return SC_ERR_TOO_LARGE;
  return sealer->sink.write(sealer->sink.user, sc_bytes_make(sealer->sealed, (size_t)sealed_len));
}

static sc_status seal_chunk(sc_stream_sealer *sealer, uint8_t tag) {
  sc_bytes plain = sc_bytes_make(sealer->chunk, sealer->chunk_len);
  sealer->chunk_len = 0;
  return seal_plain(sealer, plain, tag);
}

/* A full chunk leaves to make room for what follows, never for its own sake: so the last one, full or not, is
 * still here at the end. */
static sc_status make_room(sc_stream_sealer *sealer) {
  if (sealer->chunk_len < chunk_bytes)
    return SC_OK;
  return seal_chunk(sealer, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
}

/* Reserves the next `len` bytes of plaintext in the chunk. */
static uint8_t *take_room(sc_stream_sealer *sealer, size_t len) {
  uint8_t *room = sealer->chunk + sealer->chunk_len;
  sealer->chunk_len += len;
  return room;
}

/* Writes up to a chunk of the padding that is left. */
static sc_status add_padding(sc_stream_sealer *sealer) {
  sc_status status = make_room(sealer);
  if (status != SC_OK)
    return status;
  size_t free_room = chunk_bytes - sealer->chunk_len;
  size_t len = sealer->padding < free_room ? (size_t)sealer->padding : free_room;
  uint8_t *room = take_room(sealer, len);
  memset(room, 0, len);
  sealer->padding -= len;
  if (sealer->padding == 0)
    room[len - 1] = content_mark;
  return SC_OK;
}

static sc_status add_all_padding(sc_stream_sealer *sealer) {
  sc_status status = SC_OK;
  while (sealer->padding > 0 && status == SC_OK)
    status = add_padding(sealer);
  return status;
}

/* A chunk that lies in the content as a whole is sealed from there. Sealing is slow enough to hide that the
 * bytes come from far away, and leaves them near for the hash. */
static sc_status seal_directly(sc_stream_sealer *sealer, sc_bytes *content) {
  sc_bytes plain = sc_bytes_make(content->ptr, chunk_bytes);
  *content = skip(*content, plain.len);
  sc_status status = seal_plain(sealer, plain, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
  sc_reread_update(&sealer->reread, plain);
  return status;
}

static void copy_content(sc_stream_sealer *sealer, sc_bytes *content) {
  sc_bytes piece = sc_bytes_make(content->ptr, smaller(content->len, chunk_bytes - sealer->chunk_len));
  *content = skip(*content, piece.len);
  memcpy(take_room(sealer, piece.len), piece.ptr, piece.len);
  sc_reread_update(&sealer->reread, piece);
}

static sc_status add_content(sc_stream_sealer *sealer, sc_bytes content) {
  if (content.len > sealer->left)
    return SC_ERR_FILE_CHANGED;
  sealer->left -= content.len;
  sc_status status = add_all_padding(sealer);
  while (content.len > 0 && status == SC_OK) {
    status = make_room(sealer);
    if (status == SC_OK && sealer->chunk_len == 0 && content.len > chunk_bytes)
      status = seal_directly(sealer, &content);
    else if (status == SC_OK)
      copy_content(sealer, &content);
  }
  return status;
}

static sc_status begin_sealing(uint8_t *key, sc_stream_sealer *sealer) {
  uint8_t derived[header_bytes + SC_STREAM_FILE_KEY_BYTES] = {magic};
  const uint8_t *derived_key = derived + header_bytes;
  sc_status status = SC_OK;
  if (crypto_generichash_blake2b_final(hash_of(sealer), derived + 1, sizeof derived - 1) != 0)
    status = SC_ERR_HASH_SIZE;
  if (status == SC_OK)
    status = sc_chunk_stream_start(&sealer->stream, derived + 1, derived_key);
  if (status == SC_OK)
    status = sealer->sink.write(sealer->sink.user, sc_bytes_make(derived, header_bytes));
  if (status == SC_OK)
    memcpy(key, derived_key, SC_STREAM_FILE_KEY_BYTES);
  sc_wipe(derived, sizeof derived);
  sealer->left = sealer->len;
  sealer->padding = padding_of(sealer->len);
  sc_reread_again(&sealer->reread);
  return status;
}

sc_status sc_stream_sealer_begin(uint8_t key[static 32], sc_stream_sealer *sealer) {
  memset(key, 0, SC_STREAM_FILE_KEY_BYTES);
  sc_status status = sealer->phase == MEASURING ? begin_sealing(key, sealer) : SC_ERR_STATE;
  sealer->phase = status == SC_OK ? SEALING : OVER;
  return status;
}

sc_status sc_stream_sealer_pad(bool *more, sc_stream_sealer *sealer) {
  sc_status status = sealer->phase == SEALING ? SC_OK : SC_ERR_STATE;
  if (status == SC_OK && sealer->padding > 0)
    status = add_padding(sealer);
  if (status != SC_OK)
    sealer->phase = OVER;
  *more = status == SC_OK && sealer->padding > 0;
  return status;
}

sc_status sc_stream_sealer_write(sc_stream_sealer *sealer, sc_bytes content) {
  sc_status status = sealer->phase == SEALING ? add_content(sealer, content) : SC_ERR_STATE;
  if (status != SC_OK)
    sealer->phase = OVER;
  return status;
}

static sc_status seal_last(sc_stream_sealer *sealer) {
  sc_status status = add_all_padding(sealer);
  if (status != SC_OK)
    return status;
  if (sealer->left > 0 || !sc_reread_same(&sealer->reread))
    return SC_ERR_FILE_CHANGED;
  return seal_chunk(sealer, crypto_secretstream_xchacha20poly1305_TAG_FINAL);
}

sc_status sc_stream_sealer_finish(sc_stream_sealer *sealer) {
  sc_status status = sealer->phase == SEALING ? seal_last(sealer) : SC_ERR_STATE;
  sealer->phase = OVER;
  return status;
}

struct sc_stream_opener {
  const sc_env *env;
  sc_sink sink;
  bool marked; /* the mark was found: content follows */
  sc_chunk_reader reader;
  uint8_t sealed[sealed_chunk_bytes];
  uint8_t chunk[chunk_bytes];
};

static sc_status skip_padding(sc_bytes *plain, sc_stream_opener *opener) {
  while (plain->len > 0 && !opener->marked) {
    uint8_t byte = plain->ptr[0];
    if (byte != 0 && byte != content_mark)
      return SC_ERR_FILE_FORMAT;
    opener->marked = byte == content_mark;
    *plain = skip(*plain, 1);
  }
  return SC_OK;
}

static sc_status release_content(void *user, sc_bytes plain) {
  sc_stream_opener *opener = user;
  sc_status status = skip_padding(&plain, opener);
  if (status != SC_OK || plain.len == 0)
    return status;
  return opener->sink.write(opener->sink.user, plain);
}

sc_status sc_stream_opener_new(sc_stream_opener **out, const sc_env *env, sc_sink sink, sc_bytes key) {
  static const uint8_t first = magic;
  static const sc_chunk_form form = {{&first, 1}, chunk_bytes, chunk_overhead + mark_bytes};
  *out = NULL;
  sc_stream_opener *opener = sc_allocate(env, sizeof *opener);
  if (opener == NULL)
    return SC_ERR_NO_MEMORY;
  opener->env = env;
  opener->sink = sink;
  opener->marked = false;
  sc_status status = sc_chunk_reader_init(&opener->reader, &form, key, opener->sealed, opener->chunk);
  opener->reader.plain = release_content;
  opener->reader.user = opener;
  if (status == SC_OK)
    *out = opener;
  else
    sc_stream_opener_free(opener);
  return status;
}

void sc_stream_opener_free(sc_stream_opener *opener) {
  if (opener == NULL)
    return;
  const sc_env *env = opener->env;
  sc_wipe(opener, sizeof *opener);
  sc_release(env, opener);
}

sc_status sc_stream_opener_write(sc_stream_opener *opener, sc_bytes sealed) {
  return sc_chunk_reader_write(&opener->reader, sealed);
}

sc_status sc_stream_opener_finish(sc_stream_opener *opener) {
  sc_status status = sc_chunk_reader_finish(&opener->reader);
  return status == SC_OK && !opener->marked ? SC_ERR_FILE_FORMAT : status;
}

static sc_status seal_at_once(sc_buffer *out, uint8_t *key, sc_stream_sealer *sealer, sc_bytes content) {
  sc_status status = sc_stream_sealer_measure(sealer, content);
  if (status == SC_OK)
    status = sc_buffer_reserve(out, (size_t)sc_stream_file_sealed_len(content.len));
  if (status == SC_OK)
    status = sc_stream_sealer_begin(key, sealer);
  if (status == SC_OK)
    status = sc_stream_sealer_write(sealer, content);
  if (status == SC_OK)
    status = sc_stream_sealer_finish(sealer);
  return status;
}

sc_status sc_stream_file_seal(sc_buffer *out, uint8_t key[static 32], sc_bytes seed,
                              sc_stream_file_domain domain, sc_bytes content) {
  sc_buffer_clear(out);
  memset(key, 0, SC_STREAM_FILE_KEY_BYTES);
  sc_stream_sealer *sealer;
  sc_status status = sc_stream_sealer_new(&sealer, out->env, sc_sink_to_buffer(out), seed, domain, false);
  if (status != SC_OK)
    return status;
  status = seal_at_once(out, key, sealer, content);
  sc_stream_sealer_free(sealer);
  if (status != SC_OK) {
    sc_buffer_clear(out);
    sc_wipe(key, SC_STREAM_FILE_KEY_BYTES);
  }
  return status;
}

static sc_status open_at_once(sc_buffer *out, sc_stream_opener *opener, sc_bytes sealed) {
  uint64_t most;
  sc_status status = sc_stream_file_max_content(&most, sealed.len);
  if (status == SC_OK)
    status = sc_buffer_reserve(out, (size_t)most);
  if (status == SC_OK)
    status = sc_stream_opener_write(opener, sealed);
  if (status == SC_OK)
    status = sc_stream_opener_finish(opener);
  return status;
}

sc_status sc_stream_file_open(sc_buffer *out, sc_bytes key, sc_bytes sealed) {
  sc_buffer_clear(out);
  sc_stream_opener *opener;
  sc_status status = sc_stream_opener_new(&opener, out->env, sc_sink_to_buffer(out), key);
  if (status != SC_OK)
    return status;
  status = open_at_once(out, opener, sealed);
  sc_stream_opener_free(opener);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
