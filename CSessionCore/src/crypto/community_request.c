#include "session-core/crypto/community_request.h"

#include <inttypes.h>
#include <stdio.h>

#include "session-core/crypto/hash.h"

sc_status sc_community_request_text(sc_buffer *out, const sc_community_request *request) {
  char timestamp[sizeof "18446744073709551615"];
  uint8_t hash[SC_BLAKE2B_MAX_BYTES];
  snprintf(timestamp, sizeof timestamp, "%" PRIu64, request->timestamp_s);
  sc_status status = sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), request->body);
  sc_bytes signed_hash = sc_bytes_make(hash, request->body.len > 0 ? sizeof hash : 0);
  if (request->body_hash != NULL)
    signed_hash = sc_bytes_make(request->body_hash, sizeof hash);
  const sc_bytes pieces[] = {
      SC_BYTES(request->server),
      SC_BYTES(request->nonce),
      sc_bytes_text(timestamp),
      request->method,
      request->path,
      signed_hash,
  };
  sc_buffer_clear(out);
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0] && status == SC_OK; i++)
    status = sc_buffer_append(out, pieces[i]);
  return status;
}
