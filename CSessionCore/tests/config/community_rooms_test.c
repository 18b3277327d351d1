#include "config/community_rooms.h"

#include <stdio.h>

#include "config/data.h"
#include "device.h"

#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define WITH_KEY(key) "1:#32:" key

/* A tree of bt text. */
static sc_status data_from(sc_config_node **out, const sc_env *env, const char *text) {
  sc_slice copy;
  *out = NULL;
  sc_status status = sc_slice_copy(&copy, env, sc_bytes_text(text));
  if (status != SC_OK)
    return status;
  status = sc_config_tree_index(out, env, copy.owner, copy.bytes);
  sc_shared_drop(env, copy.owner);
  return status;
}

static void rooms_are(sc_test *t, sc_config_rooms *rooms, const char *const *expected, size_t count) {
  sc_community community;
  sc_config_fields fields;
  char place[SC_COMMUNITY_MAX_URL_CHARS + SC_COMMUNITY_MAX_ROOM_CHARS + 2];
  for (size_t i = 0; i < count; i++) {
    CHECK(sc_config_rooms_next(&community, &fields, rooms));
    snprintf(place, sizeof place, "%s/%s", community.url, community.room);
    SAME(sc_bytes_text(expected[i]), sc_bytes_text(place));
    CHECK(strlen(community.url) == community.url_len && strlen(community.room) == community.room_len);
    CHECK(sc_config_read_integer(&fields, "x") == 1);
  }
  CHECK(!sc_config_rooms_next(&community, &fields, rooms));
  CHECK(!sc_config_rooms_next(&community, &fields, rooms));
done:;
}

#define ROOM "d1:xi1ee"
static void rooms_are_listed_by_server_then_by_room(sc_test *t) {
  static const char *const expected[] = {"http://a.bcd/one", "http://a.bcd/two", "https://e.fgh/x"};
  static const char text[] =
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd3:one" ROOM "3:two" ROOM
                                              "ee13:https://e.fghd" WITH_KEY(KEY_B) "1:Rd1:x" ROOM "eeee";
  sc_config_node *data = NULL;
  sc_config_rooms rooms;
  OK(data_from(&data, t->env, text));
  sc_config_rooms_begin(&rooms, data, "o");
  rooms_are(t, &rooms, expected, 3);
  STOP_IF_FAILED;
  CHECK(sc_config_rooms_count(data, "o") == 3);
  sc_config_rooms_begin(&rooms, data, "b");
  rooms_are(t, &rooms, NULL, 0);
  STOP_IF_FAILED;
  CHECK(sc_config_rooms_count(data, "b") == 0);
done:
  sc_config_tree_drop(t->env, data);
}

/* Each entry alone invalidates what surrounds it. */
static void invalid_rooms_are_skipped(sc_test *t) {
  static const char *const texts[] = {
      "d1:o1:xe",
      "d1:oi1ee",
      "d1:od12:http://a.bcdi1eee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "eee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Ri1eeee",
      "d1:od12:http://a.bcdd1:#31:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1:Rd1:x" ROOM "eeee",
      "d1:od12:http://a.bcdd1:#i1e1:Rd1:x" ROOM "eeee",
      "d1:od12:http://a.bcdd1:Rd1:x" ROOM "eeee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd1:xi1eeeee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd1:X" ROOM "eeee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd0:" ROOM "eeee",
      "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd3:a/b" ROOM "eeee",
      "d1:od12:http://A.bcdd" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "eeee",
      "d1:od13:http://a.bcd/d" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "eeee",
      "d1:od15:http://a.bcd:80d" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "eeee",
      "d1:od9:not a urld" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "eeee",
  };
  sc_config_node *data = NULL;
  sc_config_rooms rooms;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    OK(data_from(&data, t->env, texts[i]));
    sc_config_rooms_begin(&rooms, data, "o");
    rooms_are(t, &rooms, NULL, 0);
    STOP_IF_FAILED;
    sc_config_tree_drop(t->env, data);
    data = NULL;
  }
done:
  sc_config_tree_drop(t->env, data);
}

static void the_count_covers_all_rooms_on_servers_with_a_key(sc_test *t) {
  static const char text[] = "d1:od12:http://a.bcdd1:#1:?1:Rd1:Xi1e1:y" ROOM "ee3:urld1:#0:1:Rd1:z" ROOM
                             "ee4:url2d1:#i1e1:Rd1:z" ROOM "ee4:url3d1:#0:eee";
  sc_config_node *data = NULL;
  OK(data_from(&data, t->env, text));
  CHECK(sc_config_rooms_count(data, "o") == 3);
done:
  sc_config_tree_drop(t->env, data);
}

static sc_status a_community(sc_community *out, unsigned server, unsigned room) {
  char url[32];
  char name[8];
  uint8_t key[SC_KEY_BYTES];
  memset(key, (int)server, sizeof key);
  snprintf(url, sizeof url, "http://server%03u.org", server);
  snprintf(name, sizeof name, "%03u", room);
  return sc_community_make(out, sc_bytes_text(url), sc_bytes_text(name), key);
}

static sc_status put_room(sc_config *config, const sc_community *community, int64_t x) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, config);
  sc_config_room_begin(&record, keys, &change, "o", community);
  sc_config_write_nonzero(&record, "x", x);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

/* From each room, and each gap between rooms, to the next existing room. Few rooms are walked as bytes, many
 * as trees. */
static void goes_on_after(sc_test *t, sc_config *config, unsigned servers, unsigned rooms) {
  const sc_config_node *data = sc_config_data(config);
  for (unsigned place = 0; place < servers * rooms; place++) {
    unsigned after = place + 1;
    sc_config_rooms walk;
    sc_config_fields fields;
    sc_community at, next;
    OK(a_community(&at, place / rooms, 2 * (place % rooms)));
    OK(sc_config_rooms_begin_after(&walk, t->env, data, "o", &at));
    bool found = sc_config_rooms_next(&next, &fields, &walk);
    CHECK(found == (after < servers * rooms));
    if (!found)
      continue;
    OK(a_community(&at, after / rooms, 2 * (after % rooms)));
    CHECK(strcmp(next.url, at.url) == 0 && strcmp(next.room, at.room) == 0);
    SAME(SC_BYTES(at.key), SC_BYTES(next.key));
    if (after % rooms == 0)
      continue;
    OK(a_community(&at, place / rooms, 2 * (place % rooms) + 1));
    OK(sc_config_rooms_begin_after(&walk, t->env, data, "o", &at));
    CHECK(sc_config_rooms_next(&at, &fields, &walk) && strcmp(next.room, at.room) == 0);
  }
done:;
}

static void a_walk_resumes_after_any_room(sc_test *t) {
  static const struct { unsigned servers, rooms; } sizes[] = {{2, 2}, {1, 150}, {60, 2}};
  sc_config *config = NULL;
  for (size_t i = 0; i < (t->torture ? 1 : 3); i++) {
    sc_community community;
    OK(device_new(&config, t->env, (sc_bytes){0}));
    for (unsigned server = 0; server < sizes[i].servers; server++)
      for (unsigned room = 0; room < sizes[i].rooms; room++) {
        OK(a_community(&community, server, 2 * room));
        OK(put_room(config, &community, 1));
      }
    goes_on_after(t, config, sizes[i].servers, sizes[i].rooms);
    STOP_IF_FAILED;
    CHECK(sc_config_rooms_count(sc_config_data(config), "o") == sizes[i].servers * sizes[i].rooms);
    sc_config_free(config);
    config = NULL;
  }
done:
  sc_config_free(config);
}

static void a_walk_resumes_after_a_missing_server(sc_test *t) {
  static const char text[] = "d1:od12:http://b.bcdd" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "eeee";
  static const char *const expected[] = {"http://b.bcd/x"};
  sc_config_node *data = NULL;
  sc_config_rooms rooms;
  sc_community after;
  OK(data_from(&data, t->env, text));
  OK(sc_community_make(&after, sc_bytes_text("http://a.org"), sc_bytes_text("z"), NULL));
  OK(sc_config_rooms_begin_after(&rooms, t->env, data, "o", &after));
  rooms_are(t, &rooms, expected, 1);
  STOP_IF_FAILED;
  OK(sc_community_make(&after, sc_bytes_text("http://c.org"), sc_bytes_text("a"), NULL));
  OK(sc_config_rooms_begin_after(&rooms, t->env, data, "o", &after));
  rooms_are(t, &rooms, NULL, 0);
done:
  sc_config_tree_drop(t->env, data);
}

static void a_room_is_found_together_with_its_servers_key(sc_test *t) {
  static const char text[] = "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "1:yi1eeeee";
  sc_config_node *data = NULL;
  sc_config_fields fields;
  sc_community community;
  OK(data_from(&data, t->env, text));
  OK(sc_community_make(&community, sc_bytes_text("HTTP://A.bcd:80/"), sc_bytes_text("X"), NULL));
  OK(sc_config_rooms_find(&community, &fields, t->env, data, "o"));
  SAME(sc_bytes_text(KEY_A), SC_BYTES(community.key));
  CHECK(sc_config_read_integer(&fields, "x") == 1);
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_find(&community, &fields, t->env, data, "b"));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("y"), NULL));
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_find(&community, &fields, t->env, data, "o"));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bce"), sc_bytes_text("x"), NULL));
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_find(&community, &fields, t->env, data, "o"));
done:
  sc_config_tree_drop(t->env, data);
}

static void a_room_without_a_good_key_is_not_found(sc_test *t) {
  static const char text[] = "d1:od12:http://a.bcdd1:#1:?1:Rd1:x" ROOM "eeee";
  sc_config_node *data = NULL;
  sc_config_fields fields;
  sc_community community;
  OK(data_from(&data, t->env, text));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"), NULL));
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_find(&community, &fields, t->env, data, "o"));
done:
  sc_config_tree_drop(t->env, data);
}

static void a_server_is_found_without_rooms(sc_test *t) {
  static const char text[] = "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "e12:http://b.bcdd1:#1:?eee";
  sc_config_node *data = NULL;
  sc_community community;
  OK(data_from(&data, t->env, text));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"), NULL));
  OK(sc_config_rooms_server(&community, t->env, data, "o"));
  SAME(sc_bytes_text(KEY_A), SC_BYTES(community.key));
  OK(sc_community_make(&community, sc_bytes_text("http://b.bcd"), sc_bytes_text("x"), NULL));
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_server(&community, t->env, data, "o"));
  OK(sc_community_make(&community, sc_bytes_text("http://c.bcd"), sc_bytes_text("x"), NULL));
  FAILS(SC_ERR_NOT_FOUND, sc_config_rooms_server(&community, t->env, data, "o"));
done:
  sc_config_tree_drop(t->env, data);
}

static void a_community_must_be_in_its_normal_form(sc_test *t) {
  sc_community community;
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"), NULL));
  OK(sc_config_check_community(&community));
  community.room[0] = 'X';
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_config_check_community(&community));
  community.room_len = sizeof community.room;
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_config_check_community(&community));
  community.url[0] = 'H';
  FAILS(SC_ERR_COMMUNITY_URL, sc_config_check_community(&community));
  community.url_len = sizeof community.url;
  FAILS(SC_ERR_COMMUNITY_URL, sc_config_check_community(&community));
done:;
}

static void the_last_key_written_wins(sc_test *t) {
  sc_config *config = NULL;
  sc_community community;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"),
                       (const uint8_t *)KEY_A));
  OK(put_room(config, &community, 1));
  OK(device_set(config, PATH3("o", "http://a.bcd", "?"), sc_config_integer(1)));
  OK(sc_community_make(&community, sc_bytes_text("http://a.bcd"), sc_bytes_text("y"),
                       (const uint8_t *)KEY_B));
  OK(put_room(config, &community, 2));
  device_data_is(t, "d1:od12:http://a.bcdd" WITH_KEY(KEY_B) "1:?i1e1:Rd1:xd1:xi1ee1:yd1:xi2eeeeee", config);
done:
  sc_config_free(config);
}

static void a_server_without_rooms_can_be_removed(sc_test *t) {
  static const char text[] = "d1:od12:http://a.bcdd" WITH_KEY(KEY_A) "1:Rd1:x" ROOM "1:y" ROOM "eeee";
  static const char *const left[] = {"http://a.bcd/y"};
  sc_config_node *data = NULL;
  sc_config_rooms rooms;
  sc_community x, y;
  OK(data_from(&data, t->env, text));
  OK(sc_community_make(&x, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"), NULL));
  OK(sc_community_make(&y, sc_bytes_text("http://a.bcd"), sc_bytes_text("y"), NULL));
  OK(sc_config_rooms_erase(&data, t->env, "o", &x));
  OK(sc_config_rooms_erase(&data, t->env, "o", &x));
  OK(sc_config_rooms_tidy(&data, t->env, "o", &x));
  sc_config_rooms_begin(&rooms, data, "o");
  rooms_are(t, &rooms, left, 1);
  STOP_IF_FAILED;
  OK(sc_config_rooms_erase(&data, t->env, "o", &y));
  CHECK(data != NULL);
  OK(sc_config_rooms_tidy(&data, t->env, "o", &y));
  CHECK(data == NULL);
done:
  sc_config_tree_drop(t->env, data);
}

SUITE(config_community_rooms, "config/community_rooms",
      {"rooms are listed by server, then by room", rooms_are_listed_by_server_then_by_room},
      {"invalid rooms are skipped", invalid_rooms_are_skipped},
      {"the count covers all rooms on servers with a key", the_count_covers_all_rooms_on_servers_with_a_key},
      {"a walk resumes after any room", a_walk_resumes_after_any_room},
      {"a walk resumes after a missing server", a_walk_resumes_after_a_missing_server},
      {"a room is found together with its server's key", a_room_is_found_together_with_its_servers_key},
      {"a room without a good key is not found", a_room_without_a_good_key_is_not_found},
      {"a server is found without rooms", a_server_is_found_without_rooms},
      {"a community must be in its normal form", a_community_must_be_in_its_normal_form},
      {"the last key written wins", the_last_key_written_wins},
      {"a server without rooms can be removed", a_server_without_rooms_can_be_removed});
