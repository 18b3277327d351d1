#include "authenticate.h"

#include "session-core/base/bt.h"
#include "session-core/crypto/signature.h"

sc_status sc_config_authenticate(sc_bytes message, const uint8_t verifier[static SC_KEY_BYTES]) {
  sc_bt_reader reader;
  sc_bytes signature;
  sc_bt_reader_init(&reader, message);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = sc_bt_find_key(&reader, sc_bytes_text(SC_CONFIG_SIGNATURE_KEY));
  if (status == SC_ERR_NOT_FOUND)
    return SC_ERR_CONFIG_UNSIGNED;
  if (status != SC_OK)
    return status;
  size_t signed_len = sc_bt_position(&reader) - strlen("1:" SC_CONFIG_SIGNATURE_KEY);
  status = sc_bt_read_string(&signature, &reader);
  if (status != SC_OK)
    return status;
  return sc_ed25519_verify(sc_bytes_make(verifier, SC_KEY_BYTES), sc_bytes_make(message.ptr, signed_len),
                           signature);
}
