#include "crypto/blake2b.h"

#include "support/known_bytes.h"

/* The known answers were computed with Python's hashlib. */
static void keys_and_personalisation_give_the_known_hashes(sc_test *t) {
  KNOWN(hash,
        "3a1ebaa5cc8438a45096957306fd8f2ff629a80447350fc2024d75f42c1491ec4439ba1460868ad24451fa82954d2705");
  uint8_t out[48];
  const sc_bytes message = sc_bytes_text("message");
  sc_blake2b_pieces(out, sizeof out, sc_bytes_text("a key"), (const uint8_t *)"0123456789abcdef", &message,
                    1);
  SAME(SC_BYTES(hash), SC_BYTES(out));
done:;
}

static void hashing_in_pieces_equals_hashing_at_once(sc_test *t) {
  uint8_t message[300];
  sc_random(t->env, message, sizeof message);
  uint8_t whole[32];
  uint8_t pieced[32];
  const sc_bytes one = SC_BYTES(message);
  sc_blake2b_pieces(whole, sizeof whole, sc_bytes_text("key"), NULL, &one, 1);
  for (size_t cut = 0; cut <= sizeof message; cut++) {
    const sc_bytes pieces[] = {sc_bytes_make(message, cut), sc_bytes_make(NULL, 0),
                               sc_bytes_make(message + cut, sizeof message - cut)};
    sc_blake2b_pieces(pieced, sizeof pieced, sc_bytes_text("key"), NULL, pieces, 3);
    SAME(SC_BYTES(whole), SC_BYTES(pieced));
  }
done:;
}

static void no_pieces_hash_as_the_empty_message(sc_test *t) {
  KNOWN(hash, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  uint8_t out[32];
  sc_blake2b_pieces(out, sizeof out, sc_bytes_make(NULL, 0), NULL, NULL, 0);
  SAME(SC_BYTES(hash), SC_BYTES(out));
done:;
}

SUITE(crypto_blake2b, "crypto/blake2b",
      {"keys and personalisation give the known hashes", keys_and_personalisation_give_the_known_hashes},
      {"hashing in pieces equals hashing at once", hashing_in_pieces_equals_hashing_at_once},
      {"no pieces hash as the empty message", no_pieces_hash_as_the_empty_message});
