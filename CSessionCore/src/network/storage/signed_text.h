/* The texts that signatures cover: concatenated pieces, with decimal numbers and no separators. */
#ifndef SC_SRC_NETWORK_STORAGE_SIGNED_TEXT_H
#define SC_SRC_NETWORK_STORAGE_SIGNED_TEXT_H

#include "method.h"

SC_NODISCARD sc_status sc_signed_text(sc_buffer *out, const char *text);
SC_NODISCARD sc_status sc_signed_number(sc_buffer *out, uint64_t number);
SC_NODISCARD sc_status sc_signed_account(sc_buffer *out, const uint8_t *account);
SC_NODISCARD sc_status sc_signed_hashes(sc_buffer *out, sc_storage_hashes hashes);
SC_NODISCARD sc_status sc_signed_tokens(sc_buffer *out, const sc_storage_tokens *tokens);

#endif
