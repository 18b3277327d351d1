/* The code around a reply: how QUIC and onions carry it, and what a node answers to what it refuses.
 *
 * Plain values that borrow; the writers' buffers are the caller's. */
#ifndef SC_NETWORK_STORAGE_ANSWER_H
#define SC_NETWORK_STORAGE_ANSWER_H

#include "storage_request.h"

SC_API_BEGIN

typedef struct sc_storage_answer {
  int code;      /* as of HTTP: 200, 421, … */
  sc_bytes body; /* JSON, bt, text or binary */
} sc_storage_answer;

/* Takes apart what came over QUIC, `is_error` when it came as an error. SC_ERR_STORAGE_REPLY when an error
 * does not begin with a code, or a list of code and body is none. */
SC_API SC_NODISCARD sc_status sc_storage_answer_parse(sc_storage_answer *out, bool is_error, sc_bytes bytes);

typedef enum sc_storage_body {
  SC_STORAGE_BODY_JSON,
  SC_STORAGE_BODY_BT,
  SC_STORAGE_BODY_PLAIN, /* text or binary */
} sc_storage_body;

/* Replaces `out` with an answer for QUIC; `*is_error` says how to send it. */
SC_API SC_NODISCARD sc_status sc_storage_answer_write(sc_buffer *out, bool *is_error, sc_storage_body kind,
                                                      const sc_storage_answer *answer);

/* The code for a request that was refused with a status of sc_storage_request_parse, sc_storage_call_parse
 * or sc_storage_request_authorize; 500 for any other failure. */
SC_API int sc_storage_refusal_code(sc_status why);

/* Replaces `out` with the text that goes with it. `method` is the name that was asked for. */
SC_API SC_NODISCARD sc_status sc_storage_refusal_write(sc_buffer *out, sc_status why, sc_bytes method);

SC_API_END

#endif
