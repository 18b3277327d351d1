/* Arithmetic modulo p = 2^255 - 19, the field of Ed25519 and X25519: only what the conversion between the
 * curves needs and libsodium does not offer. Constant time. */
#ifndef SC_CRYPTO_FIELD25519_H
#define SC_CRYPTO_FIELD25519_H

#include "session-core/base/bytes.h"

/* Five limbs of 51 bits, least significant first. Every function takes and returns limbs below 2^52, so each
 * residue has several forms; only the stored form is unique. Arguments may overlap. */
typedef struct sc_field25519 {
  uint64_t limb[5];
} sc_field25519;

extern const sc_field25519 sc_field25519_one;

/* Little-endian. Bit 255 is ignored and values from p on are taken modulo p, as X25519 does. */
void sc_field25519_load(sc_field25519 *out, const uint8_t bytes[static 32]);
/* Writes the least residue. */
void sc_field25519_store(uint8_t out[static 32], const sc_field25519 *value);

void sc_field25519_add(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b);
void sc_field25519_subtract(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b);
void sc_field25519_multiply(sc_field25519 *out, const sc_field25519 *a, const sc_field25519 *b);
/* The inverse; zero for zero, which has none. */
void sc_field25519_invert(sc_field25519 *out, const sc_field25519 *value);

#endif
