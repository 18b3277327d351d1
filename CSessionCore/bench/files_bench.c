/* File formats: the rate of each direction beside the primitives it is made of, over the same bytes; and the
 * memory that a file of a gibibyte takes.
 *
 * A floor does only what the format prescribes, chunk by chunk, while a chunk is in the cache. Our figures
 * also include the check that a file does not change between two passes. */
#include <nettle/cbc.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <sodium.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"

enum {
  file_bytes = 64 * 1024 * 1024,
  piece_bytes = 64 * 1024, /* the size of a program's reads */
  chunk_bytes = 32 * 1024, /* the size of the pieces a floor gives to a primitive */
  sealed_chunk_bytes = chunk_bytes + crypto_secretstream_xchacha20poly1305_ABYTES,
  stream_header_bytes = 1 + crypto_secretstream_xchacha20poly1305_HEADERBYTES,
};

static const uint8_t seed[32] = {3};

/* The output is looked at and dropped, as a socket would. */
static sc_status drop(void *user, sc_bytes piece) {
  (void)user;
  bench_keep(piece.ptr);
  return SC_OK;
}

static const sc_sink dropped = {NULL, drop};

typedef sc_status (*pass)(void *object, sc_bytes piece);

/* Hands `bytes` over as a program would that reads a file. */
static void run_pass(pass run, void *object, sc_bytes bytes) {
  for (size_t at = 0; at < bytes.len; at += piece_bytes) {
    size_t left = bytes.len - at;
    BENCH_OK(run(object, sc_bytes_make(bytes.ptr + at, left < piece_bytes ? left : piece_bytes)));
  }
}

static sc_status legacy_write(void *object, sc_bytes piece) {
  return sc_legacy_sealer_write(object, piece);
}

static sc_status legacy_check(void *object, sc_bytes piece) {
  return sc_legacy_opener_check(object, piece);
}

static sc_status legacy_open(void *object, sc_bytes piece) {
  return sc_legacy_opener_open(object, piece);
}

static sc_status stream_measure(void *object, sc_bytes piece) {
  return sc_stream_sealer_measure(object, piece);
}

static sc_status stream_write(void *object, sc_bytes piece) {
  return sc_stream_sealer_write(object, piece);
}

static sc_status stream_open(void *object, sc_bytes piece) {
  return sc_stream_opener_write(object, piece);
}

typedef struct files {
  sc_bytes content;
  sc_buffer legacy;
  sc_legacy_file_pointer pointer;
  sc_buffer stream;
  uint8_t stream_key[SC_STREAM_FILE_KEY_BYTES];
  alignas(64) uint8_t work[sealed_chunk_bytes];
} files;

static sc_legacy_file_pointer seal_legacy(sc_sink sink, sc_bytes content) {
  sc_legacy_sealer *sealer;
  sc_legacy_file_pointer pointer;
  BENCH_OK(sc_legacy_sealer_new(&sealer, bench_env(), sink, true));
  run_pass(legacy_write, sealer, content);
  BENCH_OK(sc_legacy_sealer_finish(&pointer, sealer));
  sc_legacy_sealer_free(sealer);
  return pointer;
}

static void seal_stream(uint8_t *key, sc_sink sink, sc_bytes content) {
  sc_stream_sealer *sealer;
  BENCH_OK(sc_stream_sealer_new(&sealer, bench_env(), sink, SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT, true));
  run_pass(stream_measure, sealer, content);
  BENCH_OK(sc_stream_sealer_begin(key, sealer));
  run_pass(stream_write, sealer, content);
  BENCH_OK(sc_stream_sealer_finish(sealer));
  sc_stream_sealer_free(sealer);
}

static void legacy_seal_ours(void *user) {
  files *f = user;
  sc_legacy_file_pointer pointer = seal_legacy(dropped, f->content);
  bench_keep(&pointer);
}

static void cbc_decryption(files *f) {
  struct aes256_ctx aes;
  uint8_t iv[16] = {0};
  aes256_set_decrypt_key(&aes, seed);
  for (size_t at = 0; at < file_bytes; at += chunk_bytes)
    cbc_decrypt(&aes, (nettle_cipher_func *)aes256_decrypt, 16, iv, chunk_bytes, f->work, f->legacy.ptr + at);
}

static void hmac_and_digest(files *f) {
  struct hmac_sha256_ctx hmac;
  struct sha256_ctx digest;
  hmac_sha256_set_key(&hmac, sizeof seed, seed);
  sha256_init(&digest);
  for (size_t at = 0; at < file_bytes; at += chunk_bytes) {
    hmac_sha256_update(&hmac, chunk_bytes, f->legacy.ptr + at);
    sha256_update(&digest, chunk_bytes, f->legacy.ptr + at);
  }
  hmac_sha256_digest(&hmac, 32, f->work);
  sha256_digest(&digest, 32, f->work);
}

static void legacy_seal_floor(void *user) {
  files *f = user;
  struct aes256_ctx aes;
  struct hmac_sha256_ctx hmac;
  struct sha256_ctx digest;
  uint8_t iv[16] = {0};
  aes256_set_encrypt_key(&aes, seed);
  hmac_sha256_set_key(&hmac, sizeof seed, seed);
  sha256_init(&digest);
  for (size_t at = 0; at < file_bytes; at += chunk_bytes) {
    cbc_aes256_encrypt(&aes, iv, chunk_bytes, f->work, f->content.ptr + at);
    hmac_sha256_update(&hmac, chunk_bytes, f->work);
    sha256_update(&digest, chunk_bytes, f->work);
  }
  hmac_sha256_digest(&hmac, 32, f->work);
  sha256_digest(&digest, 32, f->work);
}

static sc_legacy_opener *check_legacy(files *f) {
  sc_legacy_opener *opener;
  BENCH_OK(sc_legacy_opener_new(&opener, bench_env(), dropped, SC_BYTES(f->pointer.key),
                                SC_BYTES(f->pointer.digest), f->pointer.size));
  run_pass(legacy_check, opener, sc_buffer_bytes(&f->legacy));
  BENCH_OK(sc_legacy_opener_check_finish(opener));
  return opener;
}

static void legacy_open_ours(void *user) {
  files *f = user;
  sc_legacy_opener *opener = check_legacy(f);
  run_pass(legacy_open, opener, sc_buffer_bytes(&f->legacy));
  BENCH_OK(sc_legacy_opener_open_finish(opener));
  sc_legacy_opener_free(opener);
}

static void legacy_open_floor(void *user) {
  hmac_and_digest(user);
  cbc_decryption(user);
}

static void legacy_check_ours(void *user) {
  sc_legacy_opener_free(check_legacy(user));
}

static void legacy_check_floor(void *user) {
  hmac_and_digest(user);
}

static void stream_seal_ours(void *user) {
  files *f = user;
  seal_stream(f->stream_key, dropped, f->content);
}

static void content_hash(files *f) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, seed, sizeof seed, 56);
  for (size_t at = 0; at < file_bytes; at += chunk_bytes)
    crypto_generichash_update(&state, f->content.ptr + at, chunk_bytes);
  crypto_generichash_final(&state, f->work, 56);
}

/* As many chunks as the padded file has. */
static size_t stream_chunks(const files *f) {
  return (f->stream.len - stream_header_bytes + sealed_chunk_bytes - 1) / sealed_chunk_bytes;
}

static void secretstream_push(files *f) {
  crypto_secretstream_xchacha20poly1305_state state;
  crypto_secretstream_xchacha20poly1305_init_pull(&state, f->stream.ptr + 1, f->stream_key);
  for (size_t i = 0; i < stream_chunks(f); i++) {
    const uint8_t *plain = f->content.ptr + i * chunk_bytes % file_bytes;
    crypto_secretstream_xchacha20poly1305_push(&state, f->work, NULL, plain, chunk_bytes, NULL, 0, 0);
  }
}

static void stream_seal_floor(void *user) {
  content_hash(user);
  secretstream_push(user);
}

static void stream_open_ours(void *user) {
  files *f = user;
  sc_stream_opener *opener;
  BENCH_OK(sc_stream_opener_new(&opener, bench_env(), dropped, SC_BYTES(f->stream_key)));
  run_pass(stream_open, opener, sc_buffer_bytes(&f->stream));
  BENCH_OK(sc_stream_opener_finish(opener));
  sc_stream_opener_free(opener);
}

static void stream_open_floor(void *user) {
  files *f = user;
  crypto_secretstream_xchacha20poly1305_state state;
  crypto_secretstream_xchacha20poly1305_init_pull(&state, f->stream.ptr + 1, f->stream_key);
  for (size_t at = stream_header_bytes; at < f->stream.len; at += sealed_chunk_bytes) {
    size_t left = f->stream.len - at;
    unsigned char tag;
    if (crypto_secretstream_xchacha20poly1305_pull(&state, f->work, NULL, &tag, f->stream.ptr + at,
                                                   left < sealed_chunk_bytes ? left : sealed_chunk_bytes,
                                                   NULL, 0) != 0)
      bench_stop(__FILE__, __LINE__, "the floor", SC_ERR_FILE_DAMAGED);
  }
}

static void prepare(files *f) {
  uint8_t *content = malloc(file_bytes);
  if (content == NULL)
    bench_stop(__FILE__, __LINE__, "malloc", SC_ERR_NO_MEMORY);
  randombytes_buf_deterministic(content, file_bytes, seed);
  f->content = sc_bytes_make(content, file_bytes);
  sc_buffer_init(&f->legacy, NULL);
  BENCH_OK(sc_buffer_reserve(&f->legacy, (size_t)sc_legacy_file_sealed_len(file_bytes)));
  f->pointer = seal_legacy(sc_sink_to_buffer(&f->legacy), f->content);
  sc_buffer_init(&f->stream, NULL);
  BENCH_OK(sc_buffer_reserve(&f->stream, (size_t)sc_stream_file_sealed_len(file_bytes)));
  seal_stream(f->stream_key, sc_sink_to_buffer(&f->stream), f->content);
}

/* The second pass of sealing, which bench_run cannot time without the first. */
static void measure_second_pass(files *f, const char *name_part) {
  static const char name[] = "files/stream seal, second pass";
  if (strstr(name, name_part) == NULL)
    return;
  enum { repetitions = 9 };
  double ours = 0, floor = 0;
  for (int i = 0; i < repetitions; i++) {
    sc_stream_sealer *sealer;
    BENCH_OK(
        sc_stream_sealer_new(&sealer, bench_env(), dropped, SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT, true));
    run_pass(stream_measure, sealer, f->content);
    double begin = bench_seconds();
    BENCH_OK(sc_stream_sealer_begin(f->stream_key, sealer));
    run_pass(stream_write, sealer, f->content);
    BENCH_OK(sc_stream_sealer_finish(sealer));
    double middle = bench_seconds();
    secretstream_push(f);
    double end = bench_seconds();
    sc_stream_sealer_free(sealer);
    ours = i == 0 || middle - begin < ours ? middle - begin : ours;
    floor = i == 0 || end - middle < floor ? end - middle : floor;
  }
  printf("%s: %.5g MB/s; floor %.5g MB/s (secretstream); ratio %.3g; no target\n", name,
         (double)file_bytes / ours / 1e6, (double)file_bytes / floor / 1e6, floor / ours);
}

static void measure_rates(const char *name_part) {
  static files f;
  prepare(&f);
#define RATE(title, body, floor_title)                                                                       \
  {                                                                                                          \
    .name = "files/" title, .ours = body##_ours, .floor = body##_floor, .floor_name = floor_title,           \
    .user = &f, .amount = file_bytes, .measure = BENCH_MB_PER_S, .goal = BENCH_RATE_RATIO_AT_LEAST,          \
    .target = 0.85                                                                                           \
  }
  static const bench_case cases[] = {
      RATE("legacy seal", legacy_seal, "AES-CBC, HMAC-SHA256, SHA-256"),
      RATE("legacy open", legacy_open, "HMAC-SHA256, SHA-256, AES-CBC"),
      RATE("legacy open, first pass", legacy_check, "HMAC-SHA256, SHA-256"),
      RATE("stream seal", stream_seal, "BLAKE2b, secretstream"),
      RATE("stream open", stream_open, "secretstream"),
  };
#undef RATE
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    bench_run(&cases[i]);
  measure_second_pass(&f, name_part);
}

/* The memory is measured with content that is made piece by piece and a sealed file that goes straight into
 * the opener, so that neither is ever there as a whole. The legacy format draws its key: to hand the same
 * sealed file to both passes the random generator repeats itself. */
static void repeating_random(void *user, uint8_t *out, size_t len) {
  (void)user;
  randombytes_buf_deterministic(out, len, seed);
}

static sc_env repeating_env(void) {
  sc_env env = *sc_env_default();
  env.random = repeating_random;
  return env;
}

static void run_gibibyte(pass run, void *object) {
  enum { gibibyte = 1024 * 1024 * 1024 };
  static uint8_t piece[piece_bytes];
  for (uint64_t at = 0; at < gibibyte; at += piece_bytes) {
    memcpy(piece, &at, sizeof at);
    BENCH_OK(run(object, SC_BYTES(piece)));
  }
}

static sc_legacy_file_pointer seal_legacy_gibibyte(sc_sink sink) {
  sc_env env = repeating_env();
  sc_legacy_sealer *sealer;
  sc_legacy_file_pointer pointer;
  BENCH_OK(sc_legacy_sealer_new(&sealer, &env, sink, true));
  run_gibibyte(legacy_write, sealer);
  BENCH_OK(sc_legacy_sealer_finish(&pointer, sealer));
  sc_legacy_sealer_free(sealer);
  return pointer;
}

static void open_legacy_gibibyte(const sc_legacy_file_pointer *pointer) {
  sc_legacy_opener *opener;
  BENCH_OK(sc_legacy_opener_new(&opener, NULL, dropped, SC_BYTES(pointer->key), SC_BYTES(pointer->digest),
                                pointer->size));
  seal_legacy_gibibyte((sc_sink){opener, legacy_check});
  BENCH_OK(sc_legacy_opener_check_finish(opener));
  seal_legacy_gibibyte((sc_sink){opener, legacy_open});
  BENCH_OK(sc_legacy_opener_open_finish(opener));
  sc_legacy_opener_free(opener);
}

static sc_stream_sealer *begin_stream_gibibyte(uint8_t *key, sc_sink sink) {
  sc_stream_sealer *sealer;
  BENCH_OK(sc_stream_sealer_new(&sealer, NULL, sink, SC_BYTES(seed), SC_STREAM_FILE_ATTACHMENT, true));
  run_gibibyte(stream_measure, sealer);
  BENCH_OK(sc_stream_sealer_begin(key, sealer));
  return sealer;
}

static void finish_stream_gibibyte(sc_stream_sealer *sealer) {
  run_gibibyte(stream_write, sealer);
  BENCH_OK(sc_stream_sealer_finish(sealer));
  sc_stream_sealer_free(sealer);
}

static void open_stream_gibibyte(const uint8_t *key) {
  sc_stream_opener *opener;
  BENCH_OK(sc_stream_opener_new(&opener, NULL, dropped, sc_bytes_make(key, SC_STREAM_FILE_KEY_BYTES)));
  uint8_t same_key[SC_STREAM_FILE_KEY_BYTES];
  finish_stream_gibibyte(begin_stream_gibibyte(same_key, (sc_sink){opener, stream_open}));
  BENCH_OK(sc_stream_opener_finish(opener));
  sc_stream_opener_free(opener);
}

static double peak_mib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static void print_peak(const char *name, double start) {
  static const double limit = 8;
  double peak = peak_mib();
  printf("files/%s of 1 GiB: peak memory %.2f MiB, %.2f MiB over the start; target < %g MiB over it: %s\n",
         name, peak, peak - start, limit, peak - start < limit ? "met" : "MISSED");
}

/* The peak never falls, so each line stands for the ones before it too. */
static void measure_memory(void) {
  double start = peak_mib();
  uint8_t key[SC_STREAM_FILE_KEY_BYTES];
  sc_legacy_file_pointer pointer = seal_legacy_gibibyte(dropped);
  print_peak("legacy seal", start);
  open_legacy_gibibyte(&pointer);
  print_peak("legacy open", start);
  finish_stream_gibibyte(begin_stream_gibibyte(key, dropped));
  print_peak("stream seal", start);
  open_stream_gibibyte(key);
  print_peak("stream open", start);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  if (argc < 2 || strcmp(argv[1], "memory") == 0)
    measure_memory();
  measure_rates(argc < 2 ? "" : argv[1]);
  return 0;
}
