/* The code of a reply: how QUIC and onion requests carry it, and how a node replies to requests that it
 * refuses.
 *
 * Plain values that borrow; the caller owns the buffers. */
#ifndef SC_NETWORK_STORAGE_ANSWER_H
#define SC_NETWORK_STORAGE_ANSWER_H

#include "storage_request.h"

SC_API_BEGIN

typedef struct sc_storage_answer {
  int code;      /* as in HTTP: 200, 421, … */
  sc_bytes body; /* JSON, bt, text or binary */
} sc_storage_answer;

/* Splits a reply from QUIC, `is_error` if it came as an error. SC_ERR_STORAGE_REPLY if an error does not
 * begin with a code, or a list of code and body is invalid. */
SC_API SC_NODISCARD sc_status sc_storage_answer_parse(sc_storage_answer *out, bool is_error, sc_bytes bytes);

typedef enum sc_storage_body {
  SC_STORAGE_BODY_JSON,
  SC_STORAGE_BODY_BT,
  SC_STORAGE_BODY_PLAIN, /* text or binary */
} sc_storage_body;

/* Replaces `out` with a reply for QUIC; `*is_error` is true if it must be sent as an error. */
SC_API SC_NODISCARD sc_status sc_storage_answer_write(sc_buffer *out, bool *is_error, sc_storage_body kind,
                                                      const sc_storage_answer *answer);

/* Returns the code for a request refused with a status of sc_storage_request_parse, sc_storage_call_parse or
 * sc_storage_request_authorize; 500 for any other failure. */
SC_API int sc_storage_refusal_code(sc_status why);

/* Replaces `out` with the matching text. `method` is the requested name. */
SC_API SC_NODISCARD sc_status sc_storage_refusal_write(sc_buffer *out, sc_status why, sc_bytes method);

SC_API_END

#endif
