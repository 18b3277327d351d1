/* The signed content of a sealed message. */
#ifndef SC_SRC_CRYPTO_SEAL_H
#define SC_SRC_CRYPTO_SEAL_H

#include "session-core/crypto/seal.h"

/* Makes the signed content: message ‖ sender's key ‖ signature for this recipient. */
SC_NODISCARD sc_status sc_seal_sign(sc_buffer *out, const sc_keypair *from, sc_bytes recipient,
                                    sc_bytes message);

#endif
