/* Whether two public keys are the two forms of one, without the cost of proving that the key is a safe one:
 * for keys that something else proves, such as a signature or a handshake. */
#ifndef SC_CRYPTO_BIRATIONAL_H
#define SC_CRYPTO_BIRATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* The X25519 key must be in its one canonical spelling and not of small order. Not constant time: keys are
 * public. */
bool sc_x25519_is_form_of(const uint8_t x25519[static 32], const uint8_t ed25519[static 32]);

#endif
