/* Onion requests of three hops with a body of 1 KiB, beside the primitives they cannot do without: a pair, an
 * agreement and a cipher for each layer. */
#include <sodium.h>

#include "bench.h"

enum { hop_count = 3, layer_count = hop_count + 1, body_bytes = 1024, most_bytes = 4096 };

static struct {
  sc_keypair nodes[layer_count];
  sc_onion_node hops[hop_count];
  sc_onion_destination destination;
  uint8_t body[body_bytes];
} world;

static sc_onion_node public_half(const sc_keypair *keys) {
  sc_onion_node node;
  memcpy(node.ed25519, keys->ed.public_key, SC_KEY_BYTES);
  memcpy(node.x25519, keys->x.public_key, SC_KEY_BYTES);
  return node;
}

static void make_world(void) {
  for (size_t i = 0; i < layer_count; i++) {
    const uint8_t seed[32] = {(uint8_t)(i + 1)};
    sc_keypair_from_seed(&world.nodes[i], seed);
    if (i < hop_count)
      world.hops[i] = public_half(&world.nodes[i]);
  }
  world.destination = (sc_onion_destination){.kind = SC_ONION_TO_NODE};
  world.destination.node = public_half(&world.nodes[hop_count]);
  memset(world.body, 'b', sizeof world.body);
}

static void build_into(sc_buffer *out, sc_onion_key *key) {
  BENCH_OK(sc_onion_build(out, key, bench_env(), SC_HOP_XCHACHA20, world.hops, hop_count, &world.destination,
                          SC_BYTES(world.body)));
}

static void build(void *user) {
  (void)user;
  sc_buffer out;
  sc_onion_key key;
  sc_buffer_init(&out, bench_env());
  build_into(&out, &key);
  bench_keep(out.ptr);
  sc_onion_key_wipe(&key);
  sc_buffer_free(&out);
}

/* A floor that failed would be too fast. */
static void floor_ok(int failed) {
  if (failed != 0)
    bench_stop(__FILE__, __LINE__, "a primitive", SC_ERR_STATE);
}

static uint8_t scratch[most_bytes];

static void agree(uint8_t key[32], const uint8_t secret[32], const uint8_t mine[32],
                  const uint8_t other[32]) {
  uint8_t joined[96];
  floor_ok(crypto_scalarmult(joined, secret, other));
  memcpy(joined + 32, mine, 32);
  memcpy(joined + 64, other, 32);
  floor_ok(crypto_generichash(key, 32, joined, sizeof joined, NULL, 0));
}

/* Each layer is larger than the one in it by what the format adds. */
static void build_floor(void *user) {
  (void)user;
  static const uint8_t plaintext[most_bytes];
  size_t len = body_bytes + 18;
  for (size_t i = layer_count; i-- > 0; len += 232) {
    uint8_t secret[32], public_key[32], key[32], nonce[24];
    randombytes_buf(secret, sizeof secret);
    floor_ok(crypto_scalarmult_base(public_key, secret));
    agree(key, secret, public_key, world.nodes[i].x.public_key);
    randombytes_buf(nonce, sizeof nonce);
    floor_ok(
        crypto_aead_xchacha20poly1305_ietf_encrypt(scratch, NULL, plaintext, len, NULL, 0, NULL, nonce, key));
    bench_keep(scratch);
  }
}

static sc_buffer request;
static sc_onion_block block;

static void peel(void *user) {
  (void)user;
  sc_onion_layer layer;
  BENCH_OK(sc_onion_peel(&layer, bench_env(), &block, &world.nodes[0]));
  bench_keep(layer.plaintext.ptr);
  sc_onion_layer_free(&layer);
}

static void receive_and_peel(void *user) {
  BENCH_OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
  peel(user);
}

static void peel_floor(void *user) {
  (void)user;
  uint8_t key[32];
  uint8_t joined[96];
  const sc_x25519_pair *mine = &world.nodes[0].x;
  floor_ok(crypto_scalarmult(joined, mine->secret, block.ephemeral_key));
  memcpy(joined + 32, block.ephemeral_key, 32);
  memcpy(joined + 64, mine->public_key, 32);
  floor_ok(crypto_generichash(key, 32, joined, sizeof joined, NULL, 0));
  floor_ok(crypto_aead_xchacha20poly1305_ietf_decrypt(scratch, NULL, NULL, block.sealed.ptr + 24,
                                                      block.sealed.len - 24, NULL, 0, block.sealed.ptr, key));
  bench_keep(scratch);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  make_world();
  sc_onion_key key;
  build_into(&request, &key);
  BENCH_OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(&request)));
  bench_run(&(bench_case){.name = "onion/build 3 hops 1 KiB",
                          .ours = build,
                          .floor = build_floor,
                          .floor_name = "4 pairs, agreements, keys, AEADs",
                          .amount = 1,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_TIME_RATIO_AT_MOST,
                          .target = 1.20,
                          .count_allocations = true});
  bench_case peeling = {.name = "onion/peel",
                        .ours = peel,
                        .floor = peel_floor,
                        .floor_name = "agreement, key, AEAD",
                        .amount = 1,
                        .measure = BENCH_KOPS_PER_S,
                        .goal = BENCH_RATE_RATIO_AT_LEAST,
                        .target = 0.90,
                        .count_allocations = true};
  bench_run(&peeling);
  peeling.name = "onion/parse and peel";
  peeling.ours = receive_and_peel;
  bench_run(&peeling);
  sc_onion_key_wipe(&key);
  sc_buffer_free(&request);
  return 0;
}
