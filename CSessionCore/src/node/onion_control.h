/* The layout of onion blocks, N32 ‖ ciphertext ‖ JSON, and the JSON that describes the ciphertext. */
#ifndef SC_SRC_NODE_ONION_CONTROL_H
#define SC_SRC_NODE_ONION_CONTROL_H

#include "session-core/node/onion.h"

/* Splits a block. SC_ERR_ONION_BLOCK. */
SC_NODISCARD sc_status sc_onion_split(sc_bytes *sealed, sc_bytes *control, sc_bytes bytes);

/* Reads a control part, which the caller frees. SC_ERR_ONION_BLOCK unless an object of limited size. */
SC_NODISCARD sc_status sc_onion_control_parse(sc_json **out, sc_bytes control);

/* Reads a member with a 32-byte key in hexadecimal or, with `any_form`, base64 or base32z.
 * SC_ERR_ONION_CONTROL. */
SC_NODISCARD sc_status sc_onion_control_key(uint8_t out[static SC_KEY_BYTES], const sc_json *control,
                                            const char *name, bool any_form);

/* Reads `enc_type`; AES-GCM if absent. SC_ERR_ONION_CONTROL, SC_ERR_CIPHER. */
SC_NODISCARD sc_status sc_onion_control_cipher(sc_hop_cipher *out, const sc_json *control);

/* Reads a boolean; `*out` is unchanged if absent. SC_ERR_ONION_CONTROL for another type. */
SC_NODISCARD sc_status sc_onion_control_bool(bool *out, const sc_json *control, const char *name);

#endif
