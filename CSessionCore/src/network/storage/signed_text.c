#include "signed_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "session-core/base/encoding.h"

sc_status sc_signed_text(sc_buffer *out, const char *text) {
  return sc_buffer_append(out, sc_bytes_text(text));
}

sc_status sc_signed_number(sc_buffer *out, uint64_t number) {
  char digits[SC_STORAGE_MAX_NUMBER_CHARS];
  snprintf(digits, sizeof digits, "%" PRIu64, number);
  return sc_signed_text(out, digits);
}

sc_status sc_signed_account(sc_buffer *out, const uint8_t *account) {
  char digits[SC_HEX_CHARS(SC_STORAGE_ACCOUNT_BYTES) + 1];
  sc_hex_encode(digits, sc_bytes_make(account, SC_STORAGE_ACCOUNT_BYTES));
  return sc_signed_text(out, digits);
}

sc_status sc_signed_hashes(sc_buffer *out, sc_storage_hashes hashes) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < hashes.count && status == SC_OK; i++)
    status = sc_buffer_append(out, hashes.list[i]);
  return status;
}

sc_status sc_signed_tokens(sc_buffer *out, const sc_storage_tokens *tokens) {
  return sc_buffer_append(out, sc_bytes_make(tokens->list, tokens->count * SC_STORAGE_TOKEN_BYTES));
}
