/* The addresses of uploaded files, on a file server or in a community's room:
 *
 *     https://host[:port]/file/ID[#p=KEY&d]        https://host[:port]/room/ROOM/file/ID
 */
#ifndef SC_MESSAGE_FILE_URL_H
#define SC_MESSAGE_FILE_URL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

typedef struct sc_file_url {
  bool is_https;
  sc_bytes host; /* an IPv6 address keeps its brackets */
  uint16_t port;
  sc_bytes room; /* empty unless the file is in a community */
  sc_bytes file_id;
  bool is_stream; /* encrypted as a stream */
  bool has_server_key;
  uint8_t server_key[32]; /* Ed25519, of a server other than the default one */
} sc_file_url;

/* Parses a URL; `out` borrows from `text`. SC_ERR_FILE_URL. */
SC_API SC_NODISCARD sc_status sc_file_url_parse(sc_file_url *out, sc_bytes text);

/* Replaces `out` with the text of the URL. SC_ERR_FILE_URL for invalid parts. */
SC_API SC_NODISCARD sc_status sc_file_url_write(sc_buffer *out, const sc_file_url *url);

/* Returns the number by which old clients identify the file: its id, or 0 if the id is not a number. */
SC_API uint64_t sc_file_url_number(const sc_file_url *url);

SC_API_END

#endif
