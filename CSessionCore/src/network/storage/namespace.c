/* The rules of namespaces, and message hashes. */
#include <stdio.h>

#include "../../crypto/blake2b.h"
#include "method.h"
#include "session-core/base/encoding.h"

static const uint64_t day = (uint64_t)24 * 60 * 60 * 1000;

sc_storage_access sc_storage_namespace_access(int16_t number) {
  enum { legacy_group = -10 };
  if (number == legacy_group)
    return SC_STORAGE_ACCESS_LEGACY_GROUP;
  if (number % 10 == 0)
    return SC_STORAGE_ACCESS_INBOX;
  if (number < 0 && -number % 20 == 1)
    return SC_STORAGE_ACCESS_OUTBOX;
  return number < 0 && -number % 100 == 11 ? SC_STORAGE_ACCESS_UNREVOCABLE : SC_STORAGE_ACCESS_PRIVATE;
}

uint64_t sc_storage_namespace_max_ttl(int16_t number) {
  sc_storage_access access = sc_storage_namespace_access(number);
  bool anybody_stores = access == SC_STORAGE_ACCESS_INBOX || access == SC_STORAGE_ACCESS_LEGACY_GROUP;
  return (anybody_stores ? 14 : 30) * day;
}

void sc_storage_namespace_text(char out[static SC_STORAGE_MAX_NUMBER_CHARS], sc_storage_namespace where) {
  if (where.all)
    memcpy(out, "all", sizeof "all");
  else if (where.number == 0)
    out[0] = '\0';
  else
    snprintf(out, SC_STORAGE_MAX_NUMBER_CHARS, "%d", where.number);
}

void sc_storage_message_hash(char out[static 44], const uint8_t account[static 33], int16_t number,
                             sc_bytes data) {
  char name[SC_STORAGE_MAX_NUMBER_CHARS];
  uint8_t hash[32];
  char text[SC_BASE64_CHARS(sizeof hash) + 1];
  sc_storage_namespace_text(name, (sc_storage_namespace){.number = number});
  const sc_bytes pieces[] = {sc_bytes_make(account, SC_STORAGE_ACCOUNT_BYTES), sc_bytes_text(name), data};
  sc_blake2b_pieces(hash, sizeof hash, (sc_bytes){0}, NULL, pieces, 3);
  sc_base64_encode(text, SC_BYTES(hash), SC_BASE64_STANDARD);
  memcpy(out, text, SC_STORAGE_HASH_CHARS);
  out[SC_STORAGE_HASH_CHARS] = '\0';
}

uint64_t sc_storage_retrieve_budget(const sc_storage_retrieve *retrieve) {
  enum { unsaid_part = 5 };
  if (retrieve->max_size > 0)
    return retrieve->max_size < SC_STORAGE_RETRIEVE_MAX_BYTES ? (uint64_t)retrieve->max_size
                                                              : SC_STORAGE_RETRIEVE_MAX_BYTES;
  /* The smallest number has no positive counterpart but this one. */
  uint64_t part = 0 - (uint64_t)retrieve->max_size;
  if (retrieve->max_size == 0)
    part = retrieve->max_count == 0 ? unsaid_part : 1;
  return SC_STORAGE_RETRIEVE_MAX_BYTES / part;
}

uint64_t sc_storage_message_cost(size_t hash_chars, size_t data_bytes) {
  enum { around = 100 };
  return around + hash_chars + (uint64_t)data_bytes * 4 / 3;
}
