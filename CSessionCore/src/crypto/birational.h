/* The two forms of a public key, without the cost of proving that the key is a safe one: for keys that
 * something else proves, such as a signature, a handshake, or the multiplication that follows. */
#ifndef SC_CRYPTO_BIRATIONAL_H
#define SC_CRYPTO_BIRATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* The positive one of the two Ed25519 keys that an X25519 key stands for, if any. Most of the others are no
 * points, or not of the main subgroup: whatever multiplies it has to check that. */
void sc_ed25519_form_of(uint8_t out[static 32], const uint8_t x25519[static 32]);

/* True if the two keys are forms of one. The X25519 key must be in its one canonical spelling and not of
 * small order. Not constant time: keys are public. */
bool sc_x25519_is_form_of(const uint8_t x25519[static 32], const uint8_t ed25519[static 32]);

#endif
