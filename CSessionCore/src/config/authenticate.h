/* The signature of a message whose dict ends with one: it covers the dict up to the signature's key. */
#ifndef SC_CONFIG_AUTHENTICATE_H
#define SC_CONFIG_AUTHENTICATE_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

/* The key under which it is; the last one of the dict. */
#define SC_CONFIG_SIGNATURE_KEY "~"

/* Looks at the last bytes of a message, where its signature must be, and at nothing else before it is known
 * to be genuine. That those bytes are the last key of the dict, and not the end of something longer, is for
 * the reader of the rest to see. SC_ERR_CONFIG_UNSIGNED when they are no signature, SC_ERR_SIGNATURE. */
SC_NODISCARD sc_status sc_config_authenticate(sc_bytes message, const uint8_t verifier[static SC_KEY_BYTES]);

#endif
