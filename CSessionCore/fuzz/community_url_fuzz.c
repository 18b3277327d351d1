/* Links to communities, their urls and rooms: an accepted text has one normal form, which is accepted again
 * and means the same. */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

/* Checks that the normal form of a url or room, if there is one, is its own normal form. */
static void normal_form(sc_status (*normalize)(char *, size_t *, sc_bytes), sc_bytes text, size_t limit) {
  char normal[SC_COMMUNITY_MAX_URL_CHARS + 1];
  char again[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t len;
  size_t again_len;
  bool good = normalize(normal, &len, text) == SC_OK;
  REQUIRE(good == (len > 0) && len <= limit && strlen(normal) == len);
  if (!good)
    return;
  REQUIRE(normalize(again, &again_len, sc_bytes_make(normal, len)) == SC_OK);
  REQUIRE(again_len == len && strcmp(normal, again) == 0);
}

static void key_form(sc_bytes text) {
  uint8_t key[SC_KEY_BYTES];
  uint8_t again[SC_KEY_BYTES];
  char base64[SC_BASE64_CHARS(SC_KEY_BYTES) + 1];
  if (sc_community_key_parse(key, text) != SC_OK)
    return;
  size_t len = sc_base64_encode(base64, SC_BYTES(key), SC_BASE64_STANDARD);
  REQUIRE(sc_community_key_parse(again, sc_bytes_make(base64, len)) == SC_OK);
  REQUIRE(memcmp(key, again, sizeof key) == 0);
}

static void same_link(const sc_community_link *a, const sc_community_link *b) {
  REQUIRE(strcmp(a->url, b->url) == 0 && sc_bytes_same(a->room, b->room));
  REQUIRE(memcmp(a->key, b->key, SC_KEY_BYTES) == 0);
}

static void link_form(sc_bytes text) {
  sc_community_link link;
  sc_community_link full;
  char written[SC_COMMUNITY_MAX_LINK_CHARS + 1];
  size_t len;
  sc_status status = sc_community_link_parse(&link, text);
  sc_status full_status = sc_community_link_parse_full(&full, text);
  REQUIRE(full_status == (status == SC_OK && !link.has_key ? SC_ERR_COMMUNITY_NO_KEY : status));
  REQUIRE((status == SC_OK) == (link.url_len > 0) && (full_status == SC_OK) == (full.url_len > 0));
  if (full_status != SC_OK)
    return;
  same_link(&link, &full);
  REQUIRE(link.room.ptr >= text.ptr && link.room.ptr + link.room.len <= text.ptr + text.len);
  if (sc_community_link_write(written, &len, sc_bytes_make(link.url, link.url_len), link.room, link.key) !=
      SC_OK)
    return;
  REQUIRE(sc_community_link_parse_full(&full, sc_bytes_make(written, len)) == SC_OK);
  same_link(&link, &full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { largest_input = 4096 };
  sc_bytes text = sc_bytes_make(data, size);
  if (size > largest_input)
    return 0;
  normal_form(sc_community_url_normalize, text, SC_COMMUNITY_MAX_URL_CHARS);
  normal_form(sc_community_room_normalize, text, SC_COMMUNITY_MAX_ROOM_CHARS);
  key_form(text);
  link_form(text);
  return 0;
}
