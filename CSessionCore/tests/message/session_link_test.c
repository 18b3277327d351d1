#include "support/known_bytes.h"

#define ID "05aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899"

static sc_status parse(sc_session_link *out, char storage[SC_AT_LEAST(4096)], const char *text) {
  return sc_session_link_parse(out, storage, sc_bytes_text(text));
}

static void a_link_names_a_person(sc_test *t) {
  static const char *const texts[] = {"session:" ID, "SESSION:" ID, "session:" ID "?", "session:" ID "?&x",
                                      "session:%30%35"
                                      "aabbccddeeff00112233445566778899AABBCCDDEEFF"
                                      "00112233445566778899?attach=/etc/passwd&Text=a&chat=x"};
  char storage[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char id[SC_ID_CHARS + 1];
    OK(parse(&link, storage, texts[i]));
    CHECK(link.kind == SC_SESSION_LINK_PERSON);
    sc_id_format(id, &link.person);
    CHECK(strcmp(id, ID) == 0);
    CHECK(link.text.ptr == NULL && link.name.ptr == NULL && link.room.ptr == NULL);
  }
done:;
}

static void texts_are_decoded(sc_test *t) {
  char storage[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  OK(parse(&link, storage, "session:" ID "?name=Bob%20%F0%9F%91%8D&text=a%0Ab+c%26%3d=d"));
  SAME(sc_bytes_text("Bob \xf0\x9f\x91\x8d"), link.name);
  SAME(sc_bytes_text("a\nb+c&==d"), link.text);
  OK(parse(&link, storage, "session:" ID "?text="));
  CHECK(link.text.ptr != NULL && link.text.len == 0);
done:;
}

static void a_link_names_a_room(sc_test *t) {
  static const char room[] = "https://example.org/r/lobby?public_key=00ff";
  char storage[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  OK(parse(&link, storage, "session:https%3A%2F%2Fexample.org%2Fr%2Flobby%3Fpublic_key%3D00ff&x"));
  CHECK(link.kind == SC_SESSION_LINK_ROOM);
  SAME(sc_bytes_text("https://example.org/r/lobby?public_key=00ff&x"), link.room);
  OK(parse(&link, storage, room));
  CHECK(link.kind == SC_SESSION_LINK_ROOM);
  SAME(sc_bytes_text(room), link.room);
  OK(parse(&link, storage, "HTTP://example.org"));
  CHECK(link.kind == SC_SESSION_LINK_ROOM);
done:;
}

static void a_link_names_a_conversation_of_the_device(sc_test *t) {
  char storage[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  OK(parse(&link, storage, "session:?chat=17"));
  CHECK(link.kind == SC_SESSION_LINK_CHAT && link.chat == 17 && link.text.ptr == NULL);
  OK(parse(&link, storage, "session:?text=a&chat=9223372036854775807"));
  CHECK(link.chat == INT64_MAX && link.text.ptr == NULL);
done:;
}

static void what_is_no_link_is_refused(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
  } refused[] = {
      {"", SC_ERR_LINK},
      {"session", SC_ERR_LINK},
      {"sessions:" ID, SC_ERR_LINK},
      {"file:///etc/passwd", SC_ERR_LINK},
      {"https:example.org", SC_ERR_LINK},
      {ID, SC_ERR_LINK},
      {"session:" ID "?text=a b", SC_ERR_LINK},
      {"session:" ID "?text=\x1b]52;", SC_ERR_LINK},
      {"session:" ID "?text=\xc3\xa9", SC_ERR_LINK},
      {"session:" ID "#text", SC_ERR_LINK},
      {"session:" ID "?text=%00", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%2", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%G0", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%0g", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%C0%80", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=%ED%A0%80", SC_ERR_LINK_ENCODING},
      {"session:" ID "?other=%FF", SC_ERR_LINK_ENCODING},
      {"session:%FF", SC_ERR_LINK_ENCODING},
      {"session:" ID "?text=a&text=b", SC_ERR_LINK_REPEATED},
      {"session:" ID "?text&text", SC_ERR_LINK_REPEATED},
      {"session:" ID "?name=a&text=b&name=", SC_ERR_LINK_REPEATED},
      {"session:?chat=1&chat=1", SC_ERR_LINK_REPEATED},
      {"session:", SC_ERR_LINK_TARGET},
      {"session:?", SC_ERR_LINK_TARGET},
      {"session:?text=a", SC_ERR_LINK_TARGET},
      {"session:?chat=", SC_ERR_LINK_TARGET},
      {"session:?chat=0", SC_ERR_LINK_TARGET},
      {"session:?chat=-1", SC_ERR_LINK_TARGET},
      {"session:?chat=9223372036854775808", SC_ERR_LINK_TARGET},
      {"session://" ID, SC_ERR_LINK_TARGET},
      {"session:05aa", SC_ERR_LINK_TARGET},
      {"session:" ID "0", SC_ERR_LINK_TARGET},
      {"session:03aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899", SC_ERR_LINK_TARGET},
      {"session:15aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899", SC_ERR_LINK_TARGET},
      {"session:bob", SC_ERR_LINK_TARGET},
  };
  char storage[SC_SESSION_LINK_MAX_CHARS];
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    sc_session_link link = {.chat = 1};
    FAILS(refused[i].status, parse(&link, storage, refused[i].text));
    CHECK(link.chat == 0 && link.room.ptr == NULL);
  }
done:;
}

static void a_link_has_a_largest_length(sc_test *t) {
  static const char start[] = "session:" ID "?text=";
  char text[SC_SESSION_LINK_MAX_CHARS + 1];
  char storage[SC_SESSION_LINK_MAX_CHARS];
  sc_session_link link;
  memset(text, 'x', sizeof text);
  memcpy(text, start, sizeof start - 1);
  OK(sc_session_link_parse(&link, storage, sc_bytes_make(text, SC_SESSION_LINK_MAX_CHARS)));
  CHECK(link.text.len == SC_SESSION_LINK_MAX_CHARS - (sizeof start - 1));
  FAILS(SC_ERR_LINK_LENGTH, sc_session_link_parse(&link, storage, SC_BYTES(text)));
done:;
}

SUITE(message_session_link, "message/session_link", {"a link names a person", a_link_names_a_person},
      {"texts are decoded", texts_are_decoded}, {"a link names a room", a_link_names_a_room},
      {"a link names a conversation of the device", a_link_names_a_conversation_of_the_device},
      {"what is no link is refused", what_is_no_link_is_refused},
      {"a link has a largest length", a_link_has_a_largest_length});
