/* Addresses of communities: the URL of a server, a room on it, and the link that people share, which
 * contains both and the server's public key.
 *
 * URLs and rooms are stored and compared in their normalised form. Nothing allocates; texts are written with
 * a NUL. */
#ifndef SC_CONFIG_COMMUNITY_URL_H
#define SC_CONFIG_COMMUNITY_URL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"

SC_API_BEGIN

/* The length of a normalised server URL. */
#define SC_COMMUNITY_MAX_URL_CHARS 267
#define SC_COMMUNITY_MAX_ROOM_CHARS 64
/* The length of a link: URL, /, room, ?public_key= and 64 digits. */
#define SC_COMMUNITY_MAX_LINK_CHARS 408

/* Writes the normalised form of a server URL, "https://example.org:8080", and its length: lower case,
 * without the default port and without a final /. SC_ERR_COMMUNITY_URL unless it is an http or https URL of
 * a host name with a dot, with nothing after the host, of at most SC_COMMUNITY_MAX_URL_CHARS. */
SC_API SC_NODISCARD sc_status sc_community_url_normalize(char out[SC_AT_LEAST(268)], size_t *out_len,
                                                         sc_bytes text);

/* Writes the normalised, lower-case form of a room and its length. SC_ERR_COMMUNITY_ROOM unless it has 1 to
 * SC_COMMUNITY_MAX_ROOM_CHARS letters, digits, - and _. */
SC_API SC_NODISCARD sc_status sc_community_room_normalize(char out[SC_AT_LEAST(65)], size_t *out_len,
                                                          sc_bytes text);

/* A room on a server, with normalised URL and room, which identify it in configs. */
typedef struct sc_community {
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t url_len;
  char room[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t room_len;
  uint8_t key[SC_KEY_BYTES]; /* the server's */
} sc_community;

/* Makes a community. SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. `key` may be NULL for lookups. */
SC_API SC_NODISCARD sc_status sc_community_make(sc_community *out, sc_bytes url, sc_bytes room,
                                                const uint8_t *key);

static inline sc_bytes sc_community_url(const sc_community *community) {
  return sc_bytes_make(community->url, community->url_len);
}

static inline sc_bytes sc_community_room(const sc_community *community) {
  return sc_bytes_make(community->room, community->room_len);
}

/* Reads a server's key from hexadecimal, base64 or base32z text. SC_ERR_COMMUNITY_KEY. */
SC_API SC_NODISCARD sc_status sc_community_key_parse(uint8_t out[SC_AT_LEAST(32)], sc_bytes text);

/* The parts of a link. */
typedef struct sc_community_link {
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1]; /* normalised */
  size_t url_len;
  sc_bytes room; /* part of the parsed text, unchecked; it is checked when it is stored */
  bool has_key;
  uint8_t key[SC_KEY_BYTES];
} sc_community_link;

/* Parses a link with or without a key. SC_ERR_COMMUNITY_KEY, SC_ERR_COMMUNITY_URL. */
SC_API SC_NODISCARD sc_status sc_community_link_parse(sc_community_link *out, sc_bytes text);

/* Parses a link for joining. As above, and SC_ERR_COMMUNITY_NO_KEY for a link without a key. */
SC_API SC_NODISCARD sc_status sc_community_link_parse_full(sc_community_link *out, sc_bytes text);

/* Writes a link and its length: the normalised URL, the room as spelled, the key in hexadecimal digits.
 * SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_community_link_write(char out[SC_AT_LEAST(409)], size_t *out_len,
                                                      sc_bytes url, sc_bytes room,
                                                      const uint8_t key[SC_AT_LEAST(32)]);

SC_API_END

#endif
