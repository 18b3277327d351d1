#include "joined.h"

#define KEY_A (const uint8_t *)A32
#define KEY_B (const uint8_t *)B32
#define URL "http://a.bcd"

static sc_status make(sc_user_community *out, const sc_user_groups *groups, const char *room,
                      const uint8_t *key) {
  return sc_user_groups_get_or_make_community(out, groups, sc_bytes_text("HTTP://A.bcd:80/"),
                                              sc_bytes_text(room), key);
}

static sc_status get(sc_user_community *out, const sc_user_groups *groups, const char *room) {
  return sc_user_groups_get_community(out, groups, sc_bytes_text(URL), sc_bytes_text(room));
}

static void every_field_of_a_community_is_stored(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community, found;
  OK(groups_fresh(&groups, t->env));
  OK(make(&community, groups, "SomeRoom", KEY_A));
  CHECK(!community.other_key);
  community.membership = a_membership();
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(
      t, "d1:od12:" URL "d1:#32:" A32 "1:Rd8:someroomd" MEMBERSHIP_FRONT MEMBERSHIP_BACK "1:n8:SomeRoomeeeee",
      groups);
  STOP_IF_FAILED;
  OK(get(&found, groups, "SOMEROOM"));
  CHECK(same_membership(&community.membership, &found.membership));
  SAME(sc_bytes_text(URL), sc_community_url(&found.community));
  SAME(sc_bytes_text("someroom"), sc_community_room(&found.community));
  SAME(sc_bytes_text("SomeRoom"), sc_bytes_text(found.spelling));
  SAME(sc_bytes_text(A32), SC_BYTES(found.community.key));
  CHECK(!found.other_key);
done:
  sc_user_groups_free(groups);
}

static void a_community_without_fields_is_kept(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  OK(groups_saved(&groups, t->env,
                  "d1:od12:" URL "d1:#32:" A32 "1:Rd1:xd1:!i5e1:+i1e1:?i1e1:@i1e1:ii1e1:ji5e1:n1:Xeeeee"));
  OK(get(&community, groups, "x"));
  community.membership = (sc_membership){0};
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(t, "d1:od12:" URL "d1:#32:" A32 "1:Rd1:xd1:?i1e1:n1:Xeeeee", groups);
done:
  sc_user_groups_free(groups);
}

static void the_spelling_is_kept_until_it_is_set(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  OK(groups_saved(&groups, t->env, "d1:od12:" URL "d1:#32:" A32 "1:Rd4:roomd1:n4:RooMeeeee"));
  OK(make(&community, groups, "ROOM", KEY_A));
  SAME(sc_bytes_text("RooM"), sc_bytes_text(community.spelling));
  OK(sc_user_groups_set_community(groups, &community));
  CHECK(groups_are_clean(groups));
  memcpy(community.spelling, "rOOm", 5);
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(t, "d1:od12:" URL "d1:#32:" A32 "1:Rd4:roomd1:n4:rOOmeeeee", groups);
done:
  sc_user_groups_free(groups);
}

static void a_spelling_of_another_room_is_not_shown(sc_test *t) {
  static const char *const names[] = {"1:n5:other", "1:n5:ro om", "1:ni4e", "1:n0:", "1:n3:roo"};
  sc_user_groups *groups = NULL;
  sc_user_community community;
  char data[256];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(data, sizeof data, "d1:od12:" URL "d1:#32:" A32 "1:Rd4:roomd1:+i1e%seeeee", names[i]);
    OK(groups_saved(&groups, t->env, data));
    OK(get(&community, groups, "room"));
    SAME(sc_bytes_text("room"), sc_bytes_text(community.spelling));
    sc_user_groups_free(groups);
    groups = NULL;
  }
done:
  sc_user_groups_free(groups);
}

static void a_spelling_of_another_room_is_refused(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  OK(groups_fresh(&groups, t->env));
  OK(make(&community, groups, "room", KEY_A));
  memcpy(community.spelling, "other", 6);
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_user_groups_set_community(groups, &community));
  community.spelling[0] = '\0';
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_user_groups_set_community(groups, &community));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

/* A key is replaced only on request. */
static void a_different_key_is_reported(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  OK(groups_saved(&groups, t->env, "d1:od12:" URL "d1:#32:" A32 "1:Rd1:xd1:n1:xeeeee"));
  for (int there = 0; there <= 1; there++) {
    OK(make(&community, groups, there ? "x" : "y", KEY_A));
    CHECK(!community.other_key);
    OK(make(&community, groups, there ? "x" : "y", KEY_B));
    CHECK(community.other_key);
    SAME(sc_bytes_text(A32), SC_BYTES(community.community.key));
  }
  OK(sc_user_groups_set_community(groups, &community));
  CHECK(groups_are_clean(groups));
  memcpy(community.community.key, B32, sizeof community.community.key);
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(t, "d1:od12:" URL "d1:#32:" B32 "1:Rd1:xd1:n1:xeeeee", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_get_or_make_community(&community, groups, sc_bytes_text("http://other.org"),
                                          sc_bytes_text("x"), KEY_A));
  CHECK(!community.other_key);
  SAME(sc_bytes_text(A32), SC_BYTES(community.community.key));
done:
  sc_user_groups_free(groups);
}

/* A merge can leave a room under its server although the server's key is erased. */
static void a_room_without_its_servers_key_is_erased(sc_test *t) {
  sc_user_groups *groups = NULL;
  bool erased = false;
  OK(groups_saved(&groups, t->env, "d1:od12:" URL "d1:Rd1:xd1:+i1e1:n1:Xe1:yd1:n1:yeeeee"));
  OK(sc_user_groups_erase_community(&erased, groups, sc_bytes_text(URL), sc_bytes_text("x")));
  CHECK(erased);
  groups_are(t, "d1:od12:" URL "d1:Rd1:yd1:n1:yeeeee", groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_erase_community(&erased, groups, sc_bytes_text(URL), sc_bytes_text("y")));
  CHECK(erased);
  groups_are(t, "de", groups);
done:
  sc_user_groups_free(groups);
}

static void joining_a_room_without_its_servers_key_keeps_its_record(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  OK(groups_saved(&groups, t->env, "d1:od12:" URL "d1:Rd1:xd1:+i1e1:?i5e1:n1:Xeeeee"));
  FAILS(SC_ERR_NOT_FOUND, get(&community, groups, "x"));
  OK(make(&community, groups, "x", KEY_B));
  CHECK(community.membership.priority == 1 && !community.other_key);
  SAME(sc_bytes_text("X"), sc_bytes_text(community.spelling));
  SAME(sc_bytes_text(B32), SC_BYTES(community.community.key));
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(t, "d1:od12:" URL "d1:#32:" B32 "1:Rd1:xd1:+i1e1:?i5e1:n1:Xeeeee", groups);
done:
  sc_user_groups_free(groups);
}

static void erasing_its_last_room_removes_the_server(sc_test *t) {
  sc_user_groups *groups = NULL;
  bool erased = false;
  OK(groups_saved(&groups, t->env,
                  "d1:od12:" URL "d1:#32:" A32 "1:?i1e1:Rd1:xd1:n1:xe1:yd1:n1:yeee"
                  "12:http://b.bcdd1:#32:" A32 "1:Rd1:xd1:n1:xeeeee"));
  OK(sc_user_groups_erase_community(&erased, groups, sc_bytes_text(URL), sc_bytes_text("X")));
  CHECK(erased);
  groups_are(t,
             "d1:od12:" URL "d1:#32:" A32 "1:?i1e1:Rd1:yd1:n1:yeee12:http://b.bcdd1:#32:" A32
             "1:Rd1:xd1:n1:xeeeee",
             groups);
  STOP_IF_FAILED;
  OK(sc_user_groups_erase_community(&erased, groups, sc_bytes_text(URL), sc_bytes_text("x")));
  CHECK(!erased);
  OK(sc_user_groups_erase_community(&erased, groups, sc_bytes_text(URL), sc_bytes_text("y")));
  CHECK(erased);
  groups_are(t, "d1:od12:http://b.bcdd1:#32:" A32 "1:Rd1:xd1:n1:xeeeee", groups);
done:
  sc_user_groups_free(groups);
}

static void communities_stay_in_order_through_edits(sc_test *t) {
  static const char *const expected[] = {"http://a.bcd/x", "http://a.bcd/y", "http://b.bcd/x"};
  sc_user_groups *groups = NULL;
  sc_user_community community;
  bool erased;
  size_t seen = 0;
  OK(groups_saved(&groups, t->env,
                  "d1:od12:" URL "d1:#32:" A32 "1:Rd1:xd1:n1:xe1:yd1:n1:yeee"
                  "12:http://b.bcdd1:#32:" B32 "1:Rd1:xd1:n1:xeeeee"));
  sc_status status = sc_user_groups_first_community(&community, groups);
  for (; status == SC_OK; status = sc_user_groups_next_community(&community, groups), seen++) {
    char place[SC_COMMUNITY_MAX_URL_CHARS + SC_COMMUNITY_MAX_ROOM_CHARS + 2];
    snprintf(place, sizeof place, "%s/%s", community.community.url, community.community.room);
    SAME(sc_bytes_text(expected[seen]), sc_bytes_text(place));
    CHECK(community.community.key[0] == (seen < 2 ? 'a' : 'b'));
    OK(sc_user_groups_erase_community(&erased, groups, sc_community_url(&community.community),
                                      sc_community_room(&community.community)));
  }
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(seen == 3);
  groups_are(t, "de", groups);
done:
  sc_user_groups_free(groups);
}

/* A url not in normal form, a server with an invalid key or without rooms. */
static void invalid_communities_are_skipped_and_kept(sc_test *t) {
  static const char odd[] = "d1:od12:HTTP://a.bcdd1:#32:" A32 "1:Rd1:xd1:n1:xeee12:http://a.bcdd1:#2:aa"
                            "1:Rd1:xd1:n1:xeee12:http://b.bcdd1:#32:" A32 "eee";
  sc_user_groups *groups = NULL;
  sc_user_community community;
  size_t count;
  OK(groups_saved(&groups, t->env, odd));
  FAILS(SC_ERR_NOT_FOUND, sc_user_groups_first_community(&community, groups));
  FAILS(SC_ERR_NOT_FOUND, get(&community, groups, "x"));
  OK(sc_user_groups_count(&count, groups, SC_GROUP_COMMUNITY));
  CHECK(count == 2);
  OK(sc_user_groups_get_or_make_community(&community, groups, sc_bytes_text("http://b.bcd"),
                                          sc_bytes_text("x"), KEY_A));
  OK(sc_user_groups_set_community(groups, &community));
  groups_are(t,
             "d1:od12:HTTP://a.bcdd1:#32:" A32 "1:Rd1:xd1:n1:xeee12:http://a.bcdd1:#2:aa"
             "1:Rd1:xd1:n1:xeee12:http://b.bcdd1:#32:" A32 "1:Rd1:xd1:n1:xeeeee",
             groups);
done:
  sc_user_groups_free(groups);
}

static void an_invalid_address_is_refused(sc_test *t) {
  sc_user_groups *groups = NULL;
  sc_user_community community;
  bool erased;
  const sc_bytes good = sc_bytes_text(URL), bad = sc_bytes_text("a.bcd"), room = sc_bytes_text("x"),
                 no_room = sc_bytes_text("a/b");
  OK(groups_fresh(&groups, t->env));
  FAILS(SC_ERR_COMMUNITY_URL, sc_user_groups_get_community(&community, groups, bad, room));
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_user_groups_get_community(&community, groups, good, no_room));
  FAILS(SC_ERR_COMMUNITY_URL, sc_user_groups_get_or_make_community(&community, groups, bad, room, KEY_A));
  FAILS(SC_ERR_COMMUNITY_ROOM,
        sc_user_groups_get_or_make_community(&community, groups, good, no_room, KEY_A));
  FAILS(SC_ERR_COMMUNITY_URL, sc_user_groups_erase_community(&erased, groups, bad, room));
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_user_groups_erase_community(&erased, groups, good, no_room));
  OK(make(&community, groups, "x", KEY_A));
  community.community.url[0] = 'H';
  FAILS(SC_ERR_COMMUNITY_URL, sc_user_groups_set_community(groups, &community));
  OK(make(&community, groups, "x", KEY_A));
  community.membership.notify = (sc_config_notify)-1;
  FAILS(SC_ERR_ARGUMENT, sc_user_groups_set_community(groups, &community));
  CHECK(groups_are_clean(groups));
done:
  sc_user_groups_free(groups);
}

SUITE(config_user_communities, "config/user_communities",
      {"every field of a community is stored", every_field_of_a_community_is_stored},
      {"a community without fields is kept", a_community_without_fields_is_kept},
      {"the spelling is kept until it is set", the_spelling_is_kept_until_it_is_set},
      {"a spelling of another room is not shown", a_spelling_of_another_room_is_not_shown},
      {"a spelling of another room is refused", a_spelling_of_another_room_is_refused},
      {"a different key is reported", a_different_key_is_reported},
      {"a room without its server's key is erased", a_room_without_its_servers_key_is_erased},
      {"joining a room without its server's key keeps its record",
       joining_a_room_without_its_servers_key_keeps_its_record},
      {"erasing its last room removes the server", erasing_its_last_room_removes_the_server},
      {"communities stay in order through edits", communities_stay_in_order_through_edits},
      {"invalid communities are skipped and kept", invalid_communities_are_skipped_and_kept},
      {"an invalid address is refused", an_invalid_address_is_refused});
