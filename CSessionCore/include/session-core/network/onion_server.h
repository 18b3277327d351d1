/* Requests to servers (version 4), both sides: what is sealed for the server, and what it seals in return.
 *
 * A parsed request borrows the payload it was read from; an opened response owns what it shows. Each is
 * released with its _free, and belongs to one thread at a time. */
#ifndef SC_NETWORK_ONION_SERVER_H
#define SC_NETWORK_ONION_SERVER_H

#include "onion.h"

SC_API_BEGIN

#define SC_ONION_MAX_HEADERS 64
#define SC_ONION_MAX_HEAD_BYTES ((size_t)64 * 1024) /* of everything but the body */

typedef enum sc_onion_method {
  SC_ONION_GET,
  SC_ONION_POST,
  SC_ONION_PUT,
  SC_ONION_DELETE,
  SC_ONION_PATCH,
  SC_ONION_HEAD,
} sc_onion_method;

typedef struct sc_onion_header {
  sc_bytes name;
  sc_bytes value;
} sc_onion_header;

typedef struct sc_onion_request {
  sc_onion_method method;
  sc_bytes endpoint; /* begins with / and includes the query */
  const sc_onion_header *headers;
  size_t header_count;
  bool has_body;
  sc_bytes body;
} sc_onion_request;

/* Replaces `out` with the payload for sc_onion_build. User-Agent is left out; a body without Content-Type is
 * said to be JSON, which takes a header more. SC_ERR_ONION_REQUEST for what sc_onion_request_parse would
 * refuse. */
SC_API SC_NODISCARD sc_status sc_onion_request_write(sc_buffer *out, const sc_onion_request *request);

/* What the headers of a parsed request or response stand in; private to them. */
typedef struct sc_onion_headers {
  const sc_env *env;
  sc_json *document;
  sc_onion_header *list;
  size_t count;
} sc_onion_headers;

typedef struct sc_onion_parsed_request {
  sc_onion_request request;
  sc_onion_headers headers;
} sc_onion_parsed_request;

/* Reads what was sealed for this server. The server replies with status 400 to SC_ERR_ONION_REQUEST: not a
 * list of one or two strings, an unknown method, an endpoint without /, headers that are not texts or come
 * twice, or more than the limits. */
SC_API SC_NODISCARD sc_status sc_onion_request_parse(sc_onion_parsed_request *out, const sc_env *env,
                                                     sc_bytes payload);
SC_API void sc_onion_parsed_request_free(sc_onion_parsed_request *request);

typedef enum sc_onion_body {
  SC_ONION_BODY_NONE,
  SC_ONION_BODY_JSON, /* by its content type; not looked at yet */
  SC_ONION_BODY_TEXT,
  SC_ONION_BODY_BYTES, /* everything else */
} sc_onion_body;

typedef struct sc_onion_response {
  int status;
  const sc_onion_header *headers;
  size_t header_count;
  sc_onion_body kind; /* SC_ONION_BODY_NONE when there is none; a writer looks at nothing else */
  sc_bytes body;
} sc_onion_response;

/* Replaces `out` with what a server seals; names of headers become lower case. SC_ERR_ONION_REPLY for what
 * sc_onion_response_open would refuse, and for a header that comes twice: there is one value for a name. */
SC_API SC_NODISCARD sc_status sc_onion_response_write(sc_buffer *out, const sc_onion_response *response);

typedef struct sc_onion_opened_response {
  sc_onion_response response;
  sc_onion_headers headers;
  sc_buffer bytes;
} sc_onion_opened_response;

/* Opens the reply of a server. SC_ERR_ONION_UNAUTHENTICATED when the server did not write it,
 * SC_ERR_ONION_REPLY when it did but not in the form of a reply, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_response_open(sc_onion_opened_response *out, const sc_env *env,
                                                     const sc_onion_key *key, sc_bytes reply);

/* The same for what was decrypted already, which must outlive the result. */
SC_API SC_NODISCARD sc_status sc_onion_response_parse(sc_onion_opened_response *out, const sc_env *env,
                                                      sc_bytes plaintext);
SC_API void sc_onion_opened_response_free(sc_onion_opened_response *response);

/* The value of a header, its name compared without regard to case, the first where a response has several;
 * NULL when there is none. */
SC_API const sc_bytes *sc_onion_header_find(const sc_onion_header *headers, size_t count, const char *name);

SC_API_END

#endif
