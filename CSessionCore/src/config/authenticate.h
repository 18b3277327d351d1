/* The signature of a message whose dict ends with one: it covers the dict up to the signature's key. */
#ifndef SC_CONFIG_AUTHENTICATE_H
#define SC_CONFIG_AUTHENTICATE_H

#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"

/* The key of the signature, the last key of the dict. */
#define SC_CONFIG_SIGNATURE_KEY "~"

/* Verifies the signature in the last bytes of a message, before anything else is parsed. The parser of the
 * rest must check that these bytes are the last key of the dict, and not the end of a longer value.
 * SC_ERR_CONFIG_UNSIGNED if they are not a signature, SC_ERR_SIGNATURE. */
SC_NODISCARD sc_status sc_config_authenticate(sc_bytes message, const uint8_t verifier[static SC_KEY_BYTES]);

#endif
