/* Links that open the program: the parts of an accepted link are text that lies in the storage, one kind of
 * part is there, and the same link is read in the same way whatever the storage held. */
#include <stdbool.h>
#include <string.h>

#include "../src/base/utf8.h"
#include "fuzz.h"

static void part(sc_bytes text, const char *storage) {
  if (text.ptr == NULL)
    return;
  const uint8_t *start = (const uint8_t *)storage;
  REQUIRE(text.ptr >= start && text.len <= SC_SESSION_LINK_MAX_CHARS);
  REQUIRE((size_t)(text.ptr - start) <= SC_SESSION_LINK_MAX_CHARS - text.len);
  REQUIRE(sc_utf8_is_valid(text) && (text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char storage[SC_SESSION_LINK_MAX_CHARS];
  char other[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  sc_session_link again;
  memset(other, 'x', sizeof other);
  sc_status status = sc_session_link_parse(&link, storage, sc_bytes_make(data, size));
  REQUIRE(sc_session_link_parse(&again, other, sc_bytes_make(data, size)) == status);
  if (status != SC_OK) {
    REQUIRE(link.text.ptr == NULL && link.name.ptr == NULL && link.room.ptr == NULL && link.chat == 0);
    return 0;
  }
  part(link.text, storage);
  part(link.name, storage);
  part(link.room, storage);
  REQUIRE((link.kind == SC_SESSION_LINK_ROOM) == (link.room.ptr != NULL));
  REQUIRE((link.kind == SC_SESSION_LINK_CHAT) == (link.chat > 0) && link.chat <= INT64_MAX);
  REQUIRE(link.kind == SC_SESSION_LINK_PERSON || (link.text.ptr == NULL && link.name.ptr == NULL));
  REQUIRE(link.kind == again.kind && link.chat == again.chat);
  REQUIRE(memcmp(&link.person, &again.person, sizeof link.person) == 0);
  REQUIRE(sc_bytes_same(link.text, again.text) && sc_bytes_same(link.name, again.name));
  REQUIRE(sc_bytes_same(link.room, again.room));
  return 0;
}
