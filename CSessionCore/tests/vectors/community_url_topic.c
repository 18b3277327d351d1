#include "topics.h"

typedef sc_status (*normalizer)(char *out, size_t *out_len, sc_bytes text);

/* Normalizes one field and compares the result with another. */
static sc_status normalize(known_case *c, normalizer form, const char *field, const char *result) {
  char text[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t len;
  sc_status status = form(text, &len, known_text(c, field));
  if (status == SC_OK)
    known_same_text(c, result, sc_bytes_make(text, len));
  return status;
}

static sc_status canonical_url(known_case *c) {
  return normalize(c, sc_community_url_normalize, "url", "canonical");
}

static sc_status canonical_room(known_case *c) {
  return normalize(c, sc_community_room_normalize, "room", "canonical");
}

static sc_status compare_link(known_case *c, sc_status status, const sc_community_link *link) {
  if (status != SC_OK)
    return status;
  known_same_text(c, "base_url", sc_bytes_make(link->url, link->url_len));
  known_same_text(c, "room", link->room);
  if (link->has_key)
    known_same(c, "pubkey", SC_BYTES(link->key));
  else if (known_has(c, "pubkey"))
    known_differs(c, "we see no key");
  return SC_OK;
}

static sc_status parse_full_url(known_case *c) {
  sc_community_link link;
  sc_status status = sc_community_link_parse_full(&link, known_text(c, "url"));
  return compare_link(c, status, &link);
}

static sc_status parse_partial_url(known_case *c) {
  sc_community_link link;
  sc_status status = sc_community_link_parse(&link, known_text(c, "url"));
  return compare_link(c, status, &link);
}

static sc_status make_full_url(known_case *c) {
  const uint8_t *key = known_key(c, "pubkey");
  char link[SC_COMMUNITY_MAX_LINK_CHARS + 1];
  char hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  char base32z[SC_BASE32Z_CHARS(SC_KEY_BYTES) + 1];
  char base64[SC_BASE64_CHARS(SC_KEY_BYTES) + 1];
  size_t len;
  sc_status status = normalize(c, sc_community_url_normalize, "base_url", "canonical_base_url");
  if (status == SC_OK)
    status = normalize(c, sc_community_room_normalize, "room", "room_canonical");
  if (status == SC_OK)
    status = sc_community_link_write(link, &len, known_text(c, "base_url"), known_text(c, "room"), key);
  if (status != SC_OK)
    return status;
  known_same_text(c, "full_url", sc_bytes_make(link, len));
  sc_hex_encode(hex, sc_bytes_make(key, SC_KEY_BYTES));
  known_same_text(c, "pubkey_hex", sc_bytes_text(hex));
  sc_base32z_encode(base32z, sc_bytes_make(key, SC_KEY_BYTES));
  known_same_text(c, "pubkey_base32z", sc_bytes_text(base32z));
  sc_base64_encode(base64, sc_bytes_make(key, SC_KEY_BYTES), SC_BASE64_STANDARD);
  known_same_text(c, "pubkey_base64", sc_bytes_text(base64));
  return SC_OK;
}

static sc_status decode_pubkey(known_case *c) {
  uint8_t key[SC_KEY_BYTES];
  sc_status status = sc_community_key_parse(key, known_text(c, "text"));
  if (status == SC_OK)
    known_same(c, "pubkey", SC_BYTES(key));
  return status;
}

TOPIC(community_url, {"canonical_url", canonical_url}, {"canonical_room", canonical_room},
      {"parse_full_url", parse_full_url}, {"parse_partial_url", parse_partial_url},
      {"make_full_url", make_full_url}, {"decode_pubkey", decode_pubkey});
