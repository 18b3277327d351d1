/* The payload of a message, whose key is in a slot. */
#ifndef SC_RATCHET_PAYLOAD_H
#define SC_RATCHET_PAYLOAD_H

#include "session-core/ratchet/envelope.h"

/* Replaces `out` by the body. SC_ERR_RATCHET_DAMAGED if the key is not the one that the message commits to,
 * or the payload is not authentic; SC_ERR_RATCHET_BODY. `out` is then empty. */
SC_NODISCARD sc_status sc_ratchet_payload_open(sc_buffer *out, const sc_ratchet_envelope *envelope,
                                               const uint8_t payload_key[static 32]);

#endif
