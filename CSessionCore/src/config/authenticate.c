#include "authenticate.h"

#include <stdbool.h>

#include "session-core/crypto/signature.h"

static const char before_signature[] = "1:" SC_CONFIG_SIGNATURE_KEY "64:";

_Static_assert(SC_SIGNATURE_BYTES == 64, "the length that stands before a signature");

enum { before_bytes = sizeof before_signature - 1, tail_bytes = before_bytes + SC_SIGNATURE_BYTES + 1 };

/* True if it begins like a dict and ends like one with a signature. */
static bool is_signed(sc_bytes message) {
  if (message.len <= tail_bytes || message.ptr[0] != 'd' || message.ptr[message.len - 1] != 'e')
    return false;
  return memcmp(message.ptr + message.len - tail_bytes, before_signature, before_bytes) == 0;
}

sc_status sc_config_authenticate(sc_bytes message, const uint8_t verifier[static SC_KEY_BYTES]) {
  if (!is_signed(message))
    return SC_ERR_CONFIG_UNSIGNED;
  size_t signed_len = message.len - tail_bytes;
  sc_bytes signature = sc_bytes_make(message.ptr + signed_len + before_bytes, SC_SIGNATURE_BYTES);
  return sc_ed25519_verify(sc_bytes_make(verifier, SC_KEY_BYTES), sc_bytes_make(message.ptr, signed_len),
                           signature);
}
