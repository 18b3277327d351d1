#include "support/known_bytes.h"

#define KEY "6d5d6dba485a8197783005f1b7ef7d3452cd628b91b4ce933d1b86c56ca6eaee"

/* With this many characters between "https://" and ".org" a url has the maximum length. */
enum { long_label = SC_COMMUNITY_MAX_URL_CHARS - 8 - 4 };

static sc_bytes repeated(char out[static 512], const char *front, char character, size_t count,
                         const char *back) {
  size_t len = strlen(front);
  memcpy(out, front, len);
  memset(out + len, character, count);
  memcpy(out + len + count, back, strlen(back));
  return sc_bytes_make(out, len + count + strlen(back));
}

static void a_url_has_one_normal_form(sc_test *t) {
  static const struct {
    const char *text;
    const char *normal;
  } known[] = {
      {"http://example.org", "http://example.org"},
      {"HTTPS://EXAMPLE.Org", "https://example.org"},
      {"https://example.org/", "https://example.org"},
      {"https://example.org:443/", "https://example.org"},
      {"http://example.org:80", "http://example.org"},
      {"http://example.org:443", "http://example.org:443"},
      {"https://example.org:80", "https://example.org:80"},
      {"https://example.org:0", "https://example.org"},
      {"https://example.org:000081", "https://example.org:81"},
      {"https://example.org:65535/", "https://example.org:65535"},
      {"https://a.bc", "https://a.bc"},
      {"https://-0.9-:7", "https://-0.9-:7"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    char out[SC_COMMUNITY_MAX_URL_CHARS + 1];
    size_t len;
    OK(sc_community_url_normalize(out, &len, sc_bytes_text(known[i].text)));
    SAME(sc_bytes_text(known[i].normal), sc_bytes_make(out, len));
    CHECK(out[len] == '\0');
  }
done:;
}

static void an_invalid_url_is_refused(sc_test *t) {
  static const char *const refused[] = {
      "",
      "example.org",
      "ftp://example.org",
      "https:/example.org",
      "https://",
      "https://.",
      "https:///",
      "https://example",
      "https://example.",
      "https://.example.org",
      "https://example..org",
      "https://a.b",
      "https://exam_ple.org",
      "https://exam ple.org",
      "https://[::1]",
      "https://user@example.org",
      "https://example.org:",
      "https://example.org:/",
      "https://example.org:65536",
      "https://example.org:99999999999999999999",
      "https://example.org:8a",
      "https://example.org:-1",
      "https://example.org//",
      "https://example.org/room",
      "https://example.org?",
      "https://example.org#",
      "https://m\xc3\xbcnchen.org",
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    char out[SC_COMMUNITY_MAX_URL_CHARS + 1] = "before";
    size_t len = 6;
    FAILS(SC_ERR_COMMUNITY_URL, sc_community_url_normalize(out, &len, sc_bytes_text(refused[i])));
    CHECK(len == 0 && out[0] == '\0');
  }
done:;
}

static void a_url_with_a_nul_is_refused(sc_test *t) {
  char out[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t len;
  FAILS(SC_ERR_COMMUNITY_URL, sc_community_url_normalize(out, &len, sc_bytes_make("http://example.org", 19)));
  FAILS(SC_ERR_COMMUNITY_URL, sc_community_url_normalize(out, &len, sc_bytes_make(NULL, 0)));
done:;
}

static void the_normal_form_of_a_url_is_limited_in_length(sc_test *t) {
  char text[512];
  char out[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t len;
  OK(sc_community_url_normalize(out, &len, repeated(text, "https://", 'a', long_label, ".org")));
  CHECK(len == SC_COMMUNITY_MAX_URL_CHARS && out[len] == '\0');
  OK(sc_community_url_normalize(out, &len, repeated(text, "https://", 'a', long_label, ".org:443/")));
  CHECK(len == SC_COMMUNITY_MAX_URL_CHARS);
  OK(sc_community_url_normalize(out, &len, repeated(text, "https://", 'a', long_label - 6, ".org:54321")));
  CHECK(len == SC_COMMUNITY_MAX_URL_CHARS);
  FAILS(SC_ERR_COMMUNITY_URL,
        sc_community_url_normalize(out, &len, repeated(text, "https://", 'a', long_label + 1, ".org")));
  FAILS(SC_ERR_COMMUNITY_URL,
        sc_community_url_normalize(out, &len, repeated(text, "https://", 'a', long_label - 5, ".org:54321")));
done:;
}

static void a_room_is_compared_in_lower_case(sc_test *t) {
  char out[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  OK(sc_community_room_normalize(out, &len, sc_bytes_text("Some_ROOM-19")));
  SAME(sc_bytes_text("some_room-19"), sc_bytes_make(out, len));
  CHECK(out[len] == '\0');
done:;
}

static void a_room_name_has_a_limited_character_set(sc_test *t) {
  char out[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  size_t accepted = 0;
  for (unsigned character = 0; character <= UINT8_MAX; character++) {
    uint8_t text[] = {'a', (uint8_t)character};
    sc_status status = sc_community_room_normalize(out, &len, SC_BYTES(text));
    CHECK(status == SC_OK || (status == SC_ERR_COMMUNITY_ROOM && len == 0 && out[0] == '\0'));
    accepted += status == SC_OK;
  }
  CHECK(accepted == 26 + 26 + 10 + 2);
done:;
}

static void a_room_name_has_1_to_64_characters(sc_test *t) {
  char text[512];
  char out[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_community_room_normalize(out, &len, sc_bytes_text("")));
  OK(sc_community_room_normalize(out, &len, sc_bytes_text("-")));
  OK(sc_community_room_normalize(out, &len, repeated(text, "", 'R', 64, "")));
  CHECK(len == 64 && out[64] == '\0');
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_community_room_normalize(out, &len, repeated(text, "", 'R', 65, "")));
done:;
}

static void a_community_is_identified_by_its_normal_form(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  KNOWN(key, KEY);
  sc_community community;
  sc_community before;
  OK(sc_community_make(&community, sc_bytes_text("HTTP://Example.org/"), sc_bytes_text("Room"), key));
  SAME(sc_bytes_text("http://example.org"), sc_community_url(&community));
  SAME(sc_bytes_text("room"), sc_community_room(&community));
  SAME(SC_BYTES(key), SC_BYTES(community.key));
  before = community;
  FAILS(SC_ERR_COMMUNITY_URL, sc_community_make(&community, sc_bytes_text("x"), sc_bytes_text("room"), key));
  FAILS(SC_ERR_COMMUNITY_ROOM,
        sc_community_make(&community, sc_bytes_text("http://example.org"), sc_bytes_text(""), key));
  CHECK(memcmp(&before, &community, sizeof before) == 0);
  OK(sc_community_make(&community, sc_bytes_text("http://example.org"), sc_bytes_text("room"), NULL));
  SAME(SC_BYTES(zeros), SC_BYTES(community.key));
done:;
}

static void a_key_is_read_in_three_forms(sc_test *t) {
  KNOWN(key, KEY);
  char hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  char base64[SC_BASE64_CHARS(SC_KEY_BYTES) + 1];
  char base32z[SC_BASE32Z_CHARS(SC_KEY_BYTES) + 1];
  uint8_t out[SC_KEY_BYTES];
  sc_hex_encode(hex, SC_BYTES(key));
  sc_base64_encode(base64, SC_BYTES(key), SC_BASE64_STANDARD);
  sc_base32z_encode(base32z, SC_BYTES(key));
  const sc_bytes forms[] = {sc_bytes_text(hex), sc_bytes_text(base64), sc_bytes_make(base64, 43),
                            sc_bytes_text(base32z)};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    memset(out, 0, sizeof out);
    OK(sc_community_key_parse(out, forms[i]));
    SAME(SC_BYTES(key), SC_BYTES(out));
    FAILS(SC_ERR_COMMUNITY_KEY, sc_community_key_parse(out, sc_bytes_make(forms[i].ptr, 42)));
    FAILS(SC_ERR_COMMUNITY_KEY, sc_community_key_parse(out, sc_bytes_make(forms[i].ptr + 1, forms[i].len)));
  }
done:;
}

static void a_refused_key_leaves_the_output_unchanged(sc_test *t) {
  KNOWN(key, KEY);
  uint8_t out[SC_KEY_BYTES];
  memcpy(out, key, sizeof out);
  FAILS(SC_ERR_COMMUNITY_KEY,
        sc_community_key_parse(
            out, sc_bytes_text("00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg")));
  SAME(SC_BYTES(key), SC_BYTES(out));
done:;
}

static void a_link_is_parsed_from_its_end(sc_test *t) {
  static const struct {
    const char *text;
    const char *url;
    const char *room;
  } known[] = {
      {"https://Example.org/Room", "https://example.org", "Room"},
      {"https://Example.org:443/r/Room", "https://example.org", "Room"},
      {"http://example.org:8080/r", "http://example.org:8080", "r"},
      {"http://example.org/r/a/b", "http://example.org", "a/b"},
      {"http://example.org/", "http://example.org", ""},
      {"http://example.org/r/", "http://example.org", ""},
      {"http://example.org/a room", "http://example.org", "a room"},
      {"http://example.org/room?x=1", "http://example.org", "room?x=1"},
  };
  KNOWN(key, KEY);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    char text[512];
    sc_community_link link;
    for (int with_key = 0; with_key <= 1; with_key++) {
      sc_bytes full = repeated(text, known[i].text, 0, 0, with_key ? "?public_key=" KEY : "");
      OK(sc_community_link_parse(&link, full));
      SAME(sc_bytes_text(known[i].url), sc_bytes_make(link.url, link.url_len));
      SAME(sc_bytes_text(known[i].room), link.room);
      CHECK(link.has_key == (with_key == 1));
    }
    SAME(SC_BYTES(key), SC_BYTES(link.key));
  }
done:;
}

static void an_invalid_link_is_refused(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
  } refused[] = {
      {"", SC_ERR_COMMUNITY_URL},
      {"room", SC_ERR_COMMUNITY_URL},
      {"https://example.org", SC_ERR_COMMUNITY_URL},
      {"https://example.org/r/r/room", SC_ERR_COMMUNITY_URL},
      {"https://example.org/x/r/room", SC_ERR_COMMUNITY_URL},
      {"https://example.org/room/", SC_ERR_COMMUNITY_URL},
      {"?public_key=" KEY, SC_ERR_COMMUNITY_URL},
      {"https://example.org/room?public_key=", SC_ERR_COMMUNITY_KEY},
      {"https://example.org/room?public_key=" KEY "0", SC_ERR_COMMUNITY_KEY},
      {"https://example.org/room?public_key=" KEY "?public_key=00", SC_ERR_COMMUNITY_KEY},
  };
  static const sc_community_link nothing;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    sc_community_link link = {.has_key = true, .url_len = 1};
    FAILS(refused[i].status, sc_community_link_parse(&link, sc_bytes_text(refused[i].text)));
    CHECK(!link.has_key && link.url_len == 0 && link.url[0] == '\0' && link.room.len == 0);
    SAME(SC_BYTES(nothing.key), SC_BYTES(link.key));
  }
done:;
}

static void a_join_link_has_a_key(sc_test *t) {
  sc_community_link link;
  OK(sc_community_link_parse_full(&link, sc_bytes_text("https://example.org/room?public_key=" KEY)));
  CHECK(link.has_key);
  FAILS(SC_ERR_COMMUNITY_NO_KEY,
        sc_community_link_parse_full(&link, sc_bytes_text("https://example.org/room")));
  CHECK(link.url_len == 0 && link.room.len == 0);
  FAILS(SC_ERR_COMMUNITY_URL, sc_community_link_parse_full(&link, sc_bytes_text("https://example.org")));
done:;
}

static void a_link_survives_a_round_trip(sc_test *t) {
  KNOWN(key, KEY);
  char text[SC_COMMUNITY_MAX_LINK_CHARS + 1];
  size_t len;
  sc_community_link link;
  OK(sc_community_link_write(text, &len, sc_bytes_text("HTTPS://Example.Org:443/"), sc_bytes_text("Room"),
                             key));
  SAME(sc_bytes_text("https://example.org/Room?public_key=" KEY), sc_bytes_make(text, len));
  CHECK(text[len] == '\0');
  OK(sc_community_link_parse_full(&link, sc_bytes_make(text, len)));
  SAME(sc_bytes_text("Room"), link.room);
done:;
}

static void the_longest_link_fits(sc_test *t) {
  KNOWN(key, KEY);
  char url[512];
  char room[512];
  char text[SC_COMMUNITY_MAX_LINK_CHARS + 1];
  size_t len;
  OK(sc_community_link_write(text, &len, repeated(url, "https://", 'a', long_label, ".org"),
                             repeated(room, "", 'R', 64, ""), key));
  CHECK(len == SC_COMMUNITY_MAX_LINK_CHARS && text[len] == '\0');
done:;
}

static void a_link_needs_a_valid_url_and_room(sc_test *t) {
  KNOWN(key, KEY);
  char text[SC_COMMUNITY_MAX_LINK_CHARS + 1];
  size_t len = 1;
  FAILS(SC_ERR_COMMUNITY_ROOM,
        sc_community_link_write(text, &len, sc_bytes_text("http://example.org"), sc_bytes_text("a/b"), key));
  CHECK(len == 0 && text[0] == '\0');
  FAILS(SC_ERR_COMMUNITY_URL,
        sc_community_link_write(text, &len, sc_bytes_text("example.org"), sc_bytes_text("room"), key));
  CHECK(len == 0 && text[0] == '\0');
done:;
}

SUITE(config_community_url, "config/community_url", {"a url has one normal form", a_url_has_one_normal_form},
      {"an invalid url is refused", an_invalid_url_is_refused},
      {"a url with a NUL is refused", a_url_with_a_nul_is_refused},
      {"the normal form of a url is limited in length", the_normal_form_of_a_url_is_limited_in_length},
      {"a room is compared in lower case", a_room_is_compared_in_lower_case},
      {"a room name has a limited character set", a_room_name_has_a_limited_character_set},
      {"a room name has 1 to 64 characters", a_room_name_has_1_to_64_characters},
      {"a community is identified by its normal form", a_community_is_identified_by_its_normal_form},
      {"a key is read in three forms", a_key_is_read_in_three_forms},
      {"a refused key leaves the output unchanged", a_refused_key_leaves_the_output_unchanged},
      {"a link is parsed from its end", a_link_is_parsed_from_its_end},
      {"an invalid link is refused", an_invalid_link_is_refused},
      {"a join link has a key", a_join_link_has_a_key},
      {"a link survives a round trip", a_link_survives_a_round_trip},
      {"the longest link fits", the_longest_link_fits},
      {"a link needs a valid url and room", a_link_needs_a_valid_url_and_room});
