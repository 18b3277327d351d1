/* The two forms of a public key, without checking that the key is safe: for keys that are checked otherwise,
 * by a signature, a handshake, or the following multiplication. */
#ifndef SC_CRYPTO_BIRATIONAL_H
#define SC_CRYPTO_BIRATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* Computes the positive one of the two Ed25519 keys of an X25519 key. Many results are not points, or not in
 * the main subgroup: the caller's multiplication must check that. */
void sc_ed25519_form_of(uint8_t out[static 32], const uint8_t x25519[static 32]);

/* True if the two keys are forms of one. The X25519 key must be in its one canonical spelling and not of
 * small order. Not constant time: keys are public. */
bool sc_x25519_is_form_of(const uint8_t x25519[static 32], const uint8_t ed25519[static 32]);

#endif
