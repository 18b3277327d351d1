/* Parameters shared by several methods. Each returns false, or SC_ERR_STORAGE_PARAMETER, if one is missing
 * or invalid. */
#ifndef SC_SRC_NETWORK_STORAGE_PARAMETERS_H
#define SC_SRC_NETWORK_STORAGE_PARAMETERS_H

#include "method.h"
#include "rpc.h"

SC_NODISCARD bool sc_parameter_fixed(uint8_t *out, size_t len, sc_rpc_value dict, const char *key);

/* Times are milliseconds since 1970, so a small number in JSON must have another unit. */
SC_NODISCARD bool sc_parameter_is_time(uint64_t time, sc_storage_form form);
SC_NODISCARD bool sc_parameter_time(uint64_t *out, sc_rpc_value dict, const char *key);

/* Reads a number, which JSON may also have as a string of digits. */
SC_NODISCARD bool sc_parameter_number(uint64_t *out, sc_rpc_value value);

/* Read the account and the signer of the request. */
SC_NODISCARD bool sc_parameter_account(sc_storage_request *request, sc_rpc_value dict);
SC_NODISCARD bool sc_parameter_auth(sc_storage_request *request, sc_rpc_value dict);

/* Reads 36 bytes: base64 or hexadecimal in JSON. */
SC_NODISCARD bool sc_parameter_token(uint8_t out[static SC_STORAGE_TOKEN_BYTES], sc_rpc_value value);

/* Read `namespace`, 0 if absent; the second also accepts "all". */
SC_NODISCARD bool sc_parameter_number16(int16_t *out, sc_rpc_value dict);
SC_NODISCARD bool sc_parameter_namespace(sc_storage_namespace *out, sc_rpc_value dict);

/* Reads `messages`, a list or a single one. */
SC_NODISCARD sc_status sc_parameter_hashes(sc_storage_hashes *out, sc_storage_memory *memory,
                                           sc_rpc_value dict);

#endif
