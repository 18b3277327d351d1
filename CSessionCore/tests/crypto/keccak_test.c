#include "crypto/keccak.h"

#include "support/known_bytes.h"

static const sc_bytes nothing = {NULL, 0};

static void empty_inputs_have_the_published_hashes(sc_test *t) {
  KNOWN(sha3_256, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
  KNOWN(sha3_512, "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
                  "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26");
  KNOWN(shake128, "7f9c2ba4e88f827d");
  KNOWN(shake256, "46b9dd2b0ba88d13");
  uint8_t out[64];
  sc_keccak_hash(out, 32, SC_SHA3_256, nothing, nothing);
  SAME(SC_BYTES(sha3_256), sc_bytes_make(out, 32));
  sc_keccak_hash(out, 64, SC_SHA3_512, nothing, nothing);
  SAME(SC_BYTES(sha3_512), SC_BYTES(out));
  sc_keccak_hash(out, 8, SC_SHAKE128, nothing, nothing);
  SAME(SC_BYTES(shake128), sc_bytes_make(out, 8));
  sc_keccak_hash(out, 8, SC_SHAKE256, nothing, nothing);
  SAME(SC_BYTES(shake256), sc_bytes_make(out, 8));
done:;
}

/* nettle has both in one shot. */
static void inputs_around_a_block_hash_as_in_nettle(sc_test *t) {
  uint8_t input[3 * 136 + 1], expected[300], out[300];
  for (size_t i = 0; i < sizeof input; i++)
    input[i] = (uint8_t)(i * 7);
  for (size_t len = 0; len <= sizeof input; len++) {
    struct sha3_256_ctx context;
    sha3_256_init(&context);
    sha3_256_update(&context, len, input);
    sha3_256_digest(&context, 32, expected);
    sc_keccak_hash(out, 32, SC_SHA3_256, sc_bytes_make(input, len / 3),
                   sc_bytes_make(input + len / 3, len - len / 3));
    SAME(sc_bytes_make(expected, 32), sc_bytes_make(out, 32));
    sha3_256_update(&context, len, input);
    sha3_256_shake(&context, sizeof expected, expected);
    sc_keccak_hash(out, sizeof out, SC_SHAKE256, sc_bytes_make(input, len), nothing);
    SAME(SC_BYTES(expected), SC_BYTES(out));
  }
done:;
}

static void pieces_make_the_same_stream(sc_test *t) {
  uint8_t input[400], expected[400], out[400];
  for (size_t i = 0; i < sizeof input; i++)
    input[i] = (uint8_t)(i * 5);
  sc_keccak_hash(expected, sizeof expected, SC_SHAKE128, SC_BYTES(input), nothing);
  for (size_t piece = 1; piece < 170; piece += 12) {
    sc_keccak sponge;
    sc_keccak_init(&sponge, SC_SHAKE128);
    for (size_t at = 0; at < sizeof input; at += piece)
      sc_keccak_absorb(&sponge,
                       sc_bytes_make(input + at, at + piece < sizeof input ? piece : sizeof input - at));
    sc_keccak_finish(&sponge);
    for (size_t at = 0; at < sizeof out; at += piece)
      sc_keccak_squeeze(&sponge, out + at, at + piece < sizeof out ? piece : sizeof out - at);
    SAME(SC_BYTES(expected), SC_BYTES(out));
    sc_keccak_wipe(&sponge);
  }
done:;
}

SUITE(crypto_keccak, "crypto/keccak",
      {"empty inputs have the published hashes", empty_inputs_have_the_published_hashes},
      {"inputs around a block hash as in nettle", inputs_around_a_block_hash_as_in_nettle},
      {"pieces make the same stream", pieces_make_the_same_stream});
