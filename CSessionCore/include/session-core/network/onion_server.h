/* Onion requests to servers (version 4), both sides: the request for the server, and its response.
 *
 * A parsed request borrows its payload; an opened response owns its content. Release each with its _free.
 * One thread at a time. */
#ifndef SC_NETWORK_ONION_SERVER_H
#define SC_NETWORK_ONION_SERVER_H

#include "onion.h"

SC_API_BEGIN

#define SC_ONION_MAX_HEADERS 64
#define SC_ONION_MAX_HEAD_BYTES ((size_t)64 * 1024) /* size of everything except the body */

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
 * declared as JSON in an additional header. SC_ERR_ONION_REQUEST for a request that sc_onion_request_parse
 * would refuse. */
SC_API SC_NODISCARD sc_status sc_onion_request_write(sc_buffer *out, const sc_onion_request *request);

/* Private storage for the headers of a request or response. */
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

/* Parses a decrypted request. Reply with status 400 to SC_ERR_ONION_REQUEST: not a list of one or two
 * strings, an unknown method, an endpoint without /, invalid or duplicate headers, or beyond the limits. */
SC_API SC_NODISCARD sc_status sc_onion_request_parse(sc_onion_parsed_request *out, const sc_env *env,
                                                     sc_bytes payload);
SC_API void sc_onion_parsed_request_free(sc_onion_parsed_request *request);

typedef enum sc_onion_body {
  SC_ONION_BODY_NONE,
  SC_ONION_BODY_JSON, /* according to its content type; not parsed */
  SC_ONION_BODY_TEXT,
  SC_ONION_BODY_BYTES, /* any other type */
} sc_onion_body;

typedef struct sc_onion_response {
  int status;
  const sc_onion_header *headers;
  size_t header_count;
  sc_onion_body kind; /* SC_ONION_BODY_NONE if there is none; writers ignore the other values */
  sc_bytes body;
} sc_onion_response;

/* Replaces `out` with the response to encrypt; header names become lower case. SC_ERR_ONION_REPLY for a
 * response that sc_onion_response_open would refuse, and for duplicate headers. */
SC_API SC_NODISCARD sc_status sc_onion_response_write(sc_buffer *out, const sc_onion_response *response);

typedef struct sc_onion_opened_response {
  sc_onion_response response;
  sc_onion_headers headers;
  sc_buffer bytes;
} sc_onion_opened_response;

/* Decrypts and parses the response of a server. SC_ERR_ONION_UNAUTHENTICATED if the server did not write it,
 * SC_ERR_ONION_REPLY if it has another form, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_onion_response_open(sc_onion_opened_response *out, const sc_env *env,
                                                     const sc_onion_key *key, sc_bytes reply);

/* Parses a decrypted response, which must outlive the result. */
SC_API SC_NODISCARD sc_status sc_onion_response_parse(sc_onion_opened_response *out, const sc_env *env,
                                                      sc_bytes plaintext);
SC_API void sc_onion_opened_response_free(sc_onion_opened_response *response);

/* Returns the value of a header, ignoring the case of its name, the first if there are several; NULL if
 * there is none. */
SC_API const sc_bytes *sc_onion_header_find(const sc_onion_header *headers, size_t count, const char *name);

SC_API_END

#endif
