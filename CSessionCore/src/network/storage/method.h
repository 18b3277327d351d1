/* The table of methods, and rules of requests that reading and writing share. */
#ifndef SC_SRC_NETWORK_STORAGE_METHOD_H
#define SC_SRC_NETWORK_STORAGE_METHOD_H

#include "session-core/network/storage_request.h"

typedef enum sc_storage_signing {
  SC_STORAGE_NEVER_SIGNED,
  SC_STORAGE_MAY_BE_SIGNED,
  SC_STORAGE_ALWAYS_SIGNED,
} sc_storage_signing;

sc_storage_signing sc_storage_method_signing(sc_storage_method method);

/* True if the method contains other requests. */
bool sc_storage_method_is_meta(sc_storage_method method);

/* Finds a method by its name or alias in requests; the first of the two that share a name. */
SC_NODISCARD bool sc_storage_method_find(sc_storage_method *out, sc_bytes name);

/* Checks the rules for every request, ours or a peer's. `outer` is its nesting depth.
 * SC_ERR_STORAGE_PARAMETER, SC_ERR_STORAGE_METHOD, SC_ERR_STORAGE_BATCH. */
SC_NODISCARD sc_status sc_storage_request_check(const sc_storage_request *request, unsigned outer);

/* True if the text is a message hash: 43 characters of base64. */
bool sc_storage_is_hash(sc_bytes text);

/* Requests inside of a batch or branch: how many there are, and each. */
enum { SC_STORAGE_MAX_NUMBER_CHARS = 21 };

/* Writes a namespace in the form used in signatures and hashes: nothing for 0, "all", or a decimal number. */
void sc_storage_namespace_text(char out[static SC_STORAGE_MAX_NUMBER_CHARS], sc_storage_namespace where);

/* An account's prefix and key in hexadecimal, and a NUL. */
enum { SC_STORAGE_ACCOUNT_CHARS = 2 * SC_STORAGE_ACCOUNT_BYTES };

#endif
