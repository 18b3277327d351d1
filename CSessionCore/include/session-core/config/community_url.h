/* Addresses of communities: the url of a server, a room on it, and the link people send each other, which has
 * both and the server's public key.
 *
 * Url and room each have one normal form, in which they are stored and compared. Nothing allocates; texts are
 * written with a NUL behind them. */
#ifndef SC_CONFIG_COMMUNITY_URL_H
#define SC_CONFIG_COMMUNITY_URL_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"

SC_API_BEGIN

/* Characters of a server's url in its normal form. */
#define SC_COMMUNITY_MAX_URL_CHARS 267
#define SC_COMMUNITY_MAX_ROOM_CHARS 64
/* Characters of a link: url, /, room, ?public_key= and 64 digits. */
#define SC_COMMUNITY_MAX_LINK_CHARS 408

/* Writes the normal form of a server's url, "https://example.org:8080", and its length: in lower case,
 * without the port that goes without saying, without a / at its end. SC_ERR_COMMUNITY_URL for what is no http
 * or https url of a host with a dot in its name, for what has anything else behind the host, and for what is
 * longer than SC_COMMUNITY_MAX_URL_CHARS. */
SC_API SC_NODISCARD sc_status sc_community_url_normalize(char out[SC_AT_LEAST(268)], size_t *out_len,
                                                         sc_bytes text);

/* Writes the normal form of a room, which is in lower case, and its length. SC_ERR_COMMUNITY_ROOM unless 1 to
 * SC_COMMUNITY_MAX_ROOM_CHARS of letters, digits, - and _. */
SC_API SC_NODISCARD sc_status sc_community_room_normalize(char out[SC_AT_LEAST(65)], size_t *out_len,
                                                          sc_bytes text);

/* A room on a server, under the name by which configs know it: url and room in their normal forms. */
typedef struct sc_community {
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t url_len;
  char room[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t room_len;
  uint8_t key[SC_KEY_BYTES]; /* the server's */
} sc_community;

/* SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. Without a key, which is NULL then, it can be looked up. */
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

/* What a link says. */
typedef struct sc_community_link {
  char url[SC_COMMUNITY_MAX_URL_CHARS + 1]; /* in its normal form */
  size_t url_len;
  sc_bytes room; /* part of the text that was read, whatever stands there: it is checked when it is stored */
  bool has_key;
  uint8_t key[SC_KEY_BYTES];
} sc_community_link;

/* Reads a link, with or without a key. SC_ERR_COMMUNITY_KEY, SC_ERR_COMMUNITY_URL. */
SC_API SC_NODISCARD sc_status sc_community_link_parse(sc_community_link *out, sc_bytes text);

/* Reads a link to join by: the same, and SC_ERR_COMMUNITY_NO_KEY for one without a key. */
SC_API SC_NODISCARD sc_status sc_community_link_parse_full(sc_community_link *out, sc_bytes text);

/* Writes a link and its length: the normal form of the url, the room as it is spelled, the key in hexadecimal
 * digits. SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_community_link_write(char out[SC_AT_LEAST(409)], size_t *out_len,
                                                      sc_bytes url, sc_bytes room,
                                                      const uint8_t key[SC_AT_LEAST(32)]);

SC_API_END

#endif
