/* The headers of requests to servers and of their replies: a JSON object of strings. */
#ifndef SC_SRC_NETWORK_ONION_SERVER_HEADERS_H
#define SC_SRC_NETWORK_ONION_SERVER_HEADERS_H

#include "session-core/base/bt.h"
#include "session-core/network/onion_server.h"

/* Splits a payload of either direction, a list of one or two strings: JSON, and optionally a body. False for
 * anything else. */
SC_NODISCARD bool sc_onion_payload_split(sc_bytes *json, bool *has_body, sc_bytes *body, sc_bytes payload);

/* Appends that list. */
SC_NODISCARD sc_status sc_onion_payload_append(sc_buffer *out, sc_bytes json, bool has_body, sc_bytes body);

/* Checks the headers of one request or response: at most SC_ONION_MAX_HEADERS, without line breaks, and no
 * name twice in any case, so that a header has one value. */
SC_NODISCARD bool sc_onion_headers_are_valid(const sc_onion_header *list, size_t count);

SC_NODISCARD bool sc_onion_header_is(const sc_onion_header *header, const char *name);

typedef enum sc_onion_letters {
  SC_ONION_LETTERS_KEPT,
  SC_ONION_LETTERS_LOWER,
} sc_onion_letters;

/* Appends `"name":"value"`, after a comma unless it is the first in its object. */
SC_NODISCARD sc_status sc_onion_header_append(sc_buffer *out, const sc_onion_header *header,
                                              sc_onion_letters letters);

/* Reads the JSON, whose member `headers` (which may be missing) fills the list. `wrong` is the status for
 * another form or a text over SC_ONION_MAX_HEAD_BYTES. After a failure there is nothing to free. */
SC_NODISCARD sc_status sc_onion_headers_parse(sc_onion_headers *out, const sc_env *env, sc_bytes json,
                                              sc_status wrong);
void sc_onion_headers_free(sc_onion_headers *headers);

#endif
