#include "config/convo_info_volatile.h"

#include "convos.h"

/* Fields */

static void each_kind_is_stored_in_its_own_section(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count];
  sc_convo found;
  all_sorts(convos, 1699999999999);
  OK(a_fresh(&info, t->env));
  OK(set_all(info, 1699999999999, now));
  synced_is(t, SORTS("1699999999999"), info);
  STOP_IF_FAILED;
  for (size_t i = 0; i < sort_count; i++) {
    OK(get(&found, info, &convos[i]));
    CHECK(same_place(&found, &convos[i]));
    CHECK(found.last_read_ms == 1699999999999 && !found.unread && !found.archived);
  }
  CHECK(sc_config_needs_push(sc_convo_info_config(info)));
done:
  sc_convo_info_free(info);
}

static void each_kind_is_read_from_its_own_section(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count];
  sc_convo found;
  size_t count;
  all_sorts(convos, 0);
  OK(a_saved(&info, t->env, SORTS("7"), "de"));
  OK(sc_convo_info_first(&found, info));
  for (size_t i = 0; i < sort_count; i++) {
    CHECK(same_place(&found, &convos[i]) && found.last_read_ms == 7 && !found.archived);
    FAILS(i + 1 < sort_count ? SC_OK : SC_ERR_NOT_FOUND, sc_convo_info_next(&found, info));
  }
  SAME(sc_bytes_text("http://a.bcd"), sc_community_url(&convos[2].community));
  for (int kind = SC_CONVO_CONTACT; kind <= SC_CONVO_LEGACY_GROUP; kind++) {
    OK(sc_convo_info_count(&count, info, (sc_convo_kind)kind));
    CHECK(count == (kind == SC_CONVO_BLINDED ? 2 : 1));
  }
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_count(&count, info, (sc_convo_kind)5));
done:
  sc_convo_info_free(info);
}

static void unread_is_a_flag(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 1699999999999);
  sc_convo found;
  convo.unread = true;
  OK(a_fresh(&info, t->env));
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ri1699999999999e1:ui1eeee", info);
  STOP_IF_FAILED;
  OK(get(&found, info, &convo));
  CHECK(found.unread);
  convo.unread = false;
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ri1699999999999eeee", info);
  STOP_IF_FAILED;
  sc_convo_info_free(info);
  info = NULL;
  OK(a_saved(&info, t->env, "d1:1d33:\x05" A32 "d1:ri-5e1:ui-3eeee", "de"));
  OK(get(&found, info, &convo));
  CHECK(found.unread && found.last_read_ms == 0);
done:
  sc_convo_info_free(info);
}

static void a_time_before_1970_is_ignored(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', -1);
  convo.unread = true;
  OK(a_fresh(&info, t->env));
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ui1eeee", info);
done:
  sc_convo_info_free(info);
}

/* In seconds, as newer clients write it, and in milliseconds. */
static void the_pro_expiry_is_read_in_both_units(sc_test *t) {
  static const char *const texts[] = {
      "d1:1d33:\x05" A32 "d1:ei1700000000e1:g32:" B32 "eee",
      "d1:1d33:\x05" A32 "d1:ei1700000000999e1:g32:" B32 "eee",
      "d1:1d33:\x05" A32 "d1:ei1000000000000e1:g32:" B32 "eee",
  };
  static const int64_t seconds[] = {1700000000, 1700000000, 1000000000000};
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 0);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    OK(a_saved(&info, t->env, texts[i], "de"));
    OK(get(&convo, info, &convo));
    CHECK(convo.pro_expiry_s == seconds[i]);
    SAME(sc_bytes_text(B32), SC_BYTES(convo.pro_tag));
    sc_convo_info_free(info);
    info = NULL;
  }
done:
  sc_convo_info_free(info);
}

static void incomplete_pro_data_is_ignored(sc_test *t) {
  static const char *const texts[] = {
      "d1:1d33:\x05" A32 "d1:ei1700000000eeee",
      "d1:1d33:\x05" A32 "d1:g32:" B32 "eee",
      "d1:1d33:\x05" A32 "d1:ei0e1:g32:" B32 "eee",
      "d1:1d33:\x05" A32 "d1:ei-1e1:g32:" B32 "eee",
      "d1:1d33:\x05" A32 "d1:ei1700000000e1:g31:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbeee",
      "d1:1d33:\x05" A32 "d1:e1:x1:g32:" B32 "eee",
  };
  static const uint8_t zeros[SC_CONVO_PRO_TAG_BYTES];
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 0);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    OK(a_saved(&info, t->env, texts[i], "de"));
    memset(convo.pro_tag, 1, sizeof convo.pro_tag);
    OK(get(&convo, info, &convo));
    CHECK(convo.pro_expiry_s == 0);
    SAME(SC_BYTES(zeros), SC_BYTES(convo.pro_tag));
    sc_convo_info_free(info);
    info = NULL;
  }
done:
  sc_convo_info_free(info);
}

static void unknown_fields_are_kept(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 1699999999999);
  OK(a_saved(&info, t->env, "d1:1d33:\x05" A32 "d1:?1:x1:ei5e1:g1:x1:ri7e1:ui1eee1:?i1ee", "de"));
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:?1:x1:ei5e1:g1:x1:ri1699999999999eee1:?i1ee", info);
done:
  sc_convo_info_free(info);
}

static void setting_equal_values_changes_nothing(sc_test *t) {
  sc_convo_info *info = NULL;
  OK(a_saved(&info, t->env, SORTS("1699999999999"), "de"));
  OK(set_all(info, 1699999999999, now));
  CHECK(sc_config_state_of(sc_convo_info_config(info)) == SC_CONFIG_CLEAN);
  CHECK(!sc_config_needs_dump(sc_convo_info_config(info)));
done:
  sc_convo_info_free(info);
}

static void a_blank_conversation_is_not_stored(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count];
  all_sorts(convos, 0);
  OK(a_fresh(&info, t->env));
  for (size_t i = 0; i < sort_count; i++) {
    FAILS(SC_ERR_NOT_FOUND, get(&convos[i], info, &convos[i]));
    OK(sc_convo_info_set(info, &convos[i], now));
  }
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
  CHECK(sc_config_state_of(sc_convo_info_config(info)) == SC_CONFIG_CLEAN);
done:
  sc_convo_info_free(info);
}

static void a_missing_conversation_can_be_made(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo;
  sc_id id = saved_id(SC_ID_GROUP, 'a');
  OK(a_saved(&info, t->env, SORTS("7"), "de"));
  OK(sc_convo_info_get_or_make(&convo, info, SC_CONVO_GROUP, &id));
  CHECK(convo.last_read_ms == 7);
  id = saved_id(SC_ID_GROUP, 'b');
  OK(sc_convo_info_get_or_make(&convo, info, SC_CONVO_GROUP, &id));
  CHECK(convo.last_read_ms == 0 && convo.kind == SC_CONVO_GROUP);
  SAME(SC_BYTES(id.bytes), SC_BYTES(convo.id.bytes));
  OK(sc_convo_info_get_or_make_community(&convo, info, sc_bytes_text("HTTP://A.bcd"), sc_bytes_text("X"),
                                         (const uint8_t *)B32));
  CHECK(convo.last_read_ms == 7);
  SAME(sc_bytes_text(B32), SC_BYTES(convo.community.key));
  OK(sc_convo_info_get_or_make_community(&convo, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("y"),
                                         (const uint8_t *)B32));
  CHECK(convo.last_read_ms == 0 && convo.kind == SC_CONVO_COMMUNITY);
  SAME(sc_bytes_text(B32), SC_BYTES(convo.community.key));
  synced_is(t, SORTS("7"), info);
done:
  sc_convo_info_free(info);
}

/* Walking */

static void conversations_are_listed_in_order(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count], convo;
  size_t count = 0;
  all_sorts(convos, 7);
  OK(a_saved(&info, t->env, SORTS("7"), "de"));
  sc_status status = sc_convo_info_first(&convo, info);
  for (; status == SC_OK && count < sort_count; status = sc_convo_info_next(&convo, info), count++)
    CHECK(same_place(&convo, &convos[count]) && convo.last_read_ms == 7 && !convo.archived);
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(count == sort_count);
done:
  sc_convo_info_free(info);
}

static void conversations_can_be_erased_during_a_walk(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo;
  bool erased;
  size_t seen = 0;
  OK(a_saved(&info, t->env, SORTS("7"), "de"));
  sc_status status = sc_convo_info_first(&convo, info);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, info), seen++) {
    if (convo.kind == SC_CONVO_COMMUNITY)
      OK(sc_convo_info_erase_community(&erased, info, sc_community_url(&convo.community),
                                       sc_community_room(&convo.community)));
    else
      OK(sc_convo_info_erase(&erased, info, convo.kind, &convo.id));
    CHECK(erased);
  }
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(seen == sort_count);
  synced_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void a_room_without_the_key_of_its_server_is_erased(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo;
  bool erased = false;
  OK(a_saved(&info, t->env, "d1:od12:http://a.bcdd1:Rd1:xd1:ri7eeeeee", "de"));
  OK(sc_convo_info_get_or_make_community(&convo, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("x"),
                                         (const uint8_t *)B32));
  CHECK(convo.last_read_ms == 7);
  SAME(sc_bytes_text(B32), SC_BYTES(convo.community.key));
  OK(sc_convo_info_erase_community(&erased, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("x")));
  CHECK(erased);
  synced_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void a_missing_conversation_is_not_erased(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_id id = saved_id(SC_ID_STANDARD, 'b');
  bool erased = true;
  OK(a_saved(&info, t->env, SORTS("7"), "de"));
  OK(sc_convo_info_erase(&erased, info, SC_CONVO_CONTACT, &id));
  CHECK(!erased);
  erased = true;
  OK(sc_convo_info_erase_community(&erased, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("y")));
  CHECK(!erased);
  CHECK(sc_config_state_of(sc_convo_info_config(info)) == SC_CONFIG_CLEAN);
done:
  sc_convo_info_free(info);
}

/* Bad input */

static void a_section_that_is_not_a_dict_counts_as_empty_and_is_replaced(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count];
  size_t count = 9;
  all_sorts(convos, 1699999999999);
  OK(a_saved(&info, t->env, "d1:1i1e1:C1:x1:bli1ee1:g0:1:oi5ee", "de"));
  FAILS(SC_ERR_NOT_FOUND, sc_convo_info_first(&convos[0], info));
  for (size_t i = 0; i < sort_count; i++) {
    FAILS(SC_ERR_NOT_FOUND, get(&convos[i], info, &convos[i]));
    OK(sc_convo_info_count(&count, info, convos[i].kind));
    CHECK(count == 0);
  }
  OK(set_all(info, 1699999999999, now));
  synced_is(t, SORTS("1699999999999"), info);
done:
  sc_convo_info_free(info);
}

/* Another prefix, another length, no dict; a url not in normal form. */
#define ODD                                                                                                  \
  "d1:1d33:\x03" A32 "d1:ri7ee3:\x05"                                                                        \
  "aad1:ri7ee33:\x05" A32 "i7e34:\x05" A32 "ad1:ri7eee"                                                      \
  "1:od12:HTTP://a.bcdd1:#32:" A32 "1:Rd1:xd1:ri7eeeeee"

static void invalid_conversations_are_skipped_and_kept(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 7);
  size_t count;
  OK(a_saved(&info, t->env, ODD, "de"));
  FAILS(SC_ERR_NOT_FOUND, sc_convo_info_first(&convo, info));
  FAILS(SC_ERR_NOT_FOUND, get(&convo, info, &convo));
  OK(sc_convo_info_count(&count, info, SC_CONVO_CONTACT));
  CHECK(count == 4);
  OK(sc_convo_info_age(info, now));
  synced_is(t, ODD, info);
done:
  sc_convo_info_free(info);
}

static void fields_of_the_wrong_kind_are_ignored(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 0);
  OK(a_saved(&info, t->env, "d1:1d33:\x05" A32 "d1:e1:x1:gi1e1:r1:x1:u1:xeee", "de"));
  OK(get(&convo, info, &convo));
  CHECK(convo.last_read_ms == 0 && !convo.unread && convo.pro_expiry_s == 0);
done:
  sc_convo_info_free(info);
}

static void a_time_far_in_the_future_is_not_archived(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 0);
  OK(a_saved(&info, t->env, "d1:1d33:\x05" A32 "d1:ri9223372036854775807eeee", "de"));
  OK(get(&convo, info, &convo));
  CHECK(convo.last_read_ms == INT64_MAX);
  OK(sc_convo_info_age(info, UINT64_MAX));
  OK(get(&convo, info, &convo));
  CHECK(!convo.archived);
done:
  sc_convo_info_free(info);
}

static void each_kind_accepts_only_its_own_ids(sc_test *t) {
  static const sc_id_kind prefixes[] = {SC_ID_UNBLINDED, SC_ID_GROUP,      SC_ID_STANDARD,
                                        SC_ID_VERSION,   SC_ID_BLINDED_15, SC_ID_BLINDED_25};
  static const unsigned good[] = {1 << 2, 1 << 1, 0, 1 << 4 | 1 << 5, 1 << 2};
  sc_convo_info *info = NULL;
  bool erased;
  OK(a_fresh(&info, t->env));
  for (unsigned kind = SC_CONVO_CONTACT; kind <= SC_CONVO_LEGACY_GROUP; kind++) {
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && kind != SC_CONVO_COMMUNITY; i++) {
      sc_status expected = good[kind] & 1U << i ? SC_OK : SC_ERR_ID_KIND;
      sc_convo convo = a_convo((sc_convo_kind)kind, prefixes[i], 'a', 0);
      FAILS(expected, sc_convo_info_get_or_make(&convo, info, (sc_convo_kind)kind, &convo.id));
      FAILS(expected == SC_OK ? SC_ERR_NOT_FOUND : expected,
            sc_convo_info_get(&convo, info, (sc_convo_kind)kind, &convo.id));
      FAILS(expected, sc_convo_info_set(info, &convo, now));
      FAILS(expected, sc_convo_info_erase(&erased, info, (sc_convo_kind)kind, &convo.id));
    }
  }
done:
  sc_convo_info_free(info);
}

static void a_community_has_no_id_and_a_group_no_room(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_convo(SC_CONVO_COMMUNITY, SC_ID_STANDARD, 'a', (int64_t)now);
  bool erased;
  OK(a_fresh(&info, t->env));
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_get(&convo, info, SC_CONVO_COMMUNITY, &convo.id));
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_get_or_make(&convo, info, SC_CONVO_COMMUNITY, &convo.id));
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_erase(&erased, info, SC_CONVO_COMMUNITY, &convo.id));
  FAILS(SC_ERR_COMMUNITY_URL, sc_convo_info_set(info, &convo, now));
  convo = a_room("http://a.bcd", "x", (int64_t)now);
  convo.community.room[0] = '/';
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_convo_info_set(info, &convo, now));
  convo = a_room("http://a.bcd", "x", (int64_t)now);
  convo.community.room[0] = 'X';
  FAILS(SC_ERR_COMMUNITY_ROOM, sc_convo_info_set(info, &convo, now));
  convo = a_room("http://a.bcd", "x", (int64_t)now);
  convo.community.url[7] = 'A';
  FAILS(SC_ERR_COMMUNITY_URL, sc_convo_info_set(info, &convo, now));
  FAILS(SC_ERR_COMMUNITY_URL,
        sc_convo_info_get_community(&convo, info, sc_bytes_text("a.bcd"), sc_bytes_text("x")));
  FAILS(SC_ERR_COMMUNITY_ROOM,
        sc_convo_info_get_community(&convo, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("")));
  FAILS(SC_ERR_COMMUNITY_URL, sc_convo_info_get_or_make_community(&convo, info, sc_bytes_text("a.bcd"),
                                                                  sc_bytes_text("x"), (const uint8_t *)A32));
  FAILS(SC_ERR_COMMUNITY_URL,
        sc_convo_info_erase_community(&erased, info, sc_bytes_text("a.bcd"), sc_bytes_text("x")));
  convo = a_contact('a', (int64_t)now);
  convo.kind = (sc_convo_kind)5;
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_set(info, &convo, now));
  FAILS(SC_ERR_ARGUMENT, sc_convo_info_next(&convo, info));
  CHECK(sc_config_state_of(sc_convo_info_config(info)) == SC_CONFIG_CLEAN);
done:
  sc_convo_info_free(info);
}

static void an_invalid_dump_is_refused(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_keypair account;
  worked_account(&account);
  FAILS(SC_ERR_CONFIG_DUMP, sc_convo_info_new(&info, t->env, &account, sc_bytes_text("x")));
  CHECK(info == NULL);
  FAILS(SC_ERR_CONFIG_DUMP, a_saved(&info, t->env, "de", "d1:1dee"));
  CHECK(info == NULL);
done:
  sc_convo_info_free(info);
}

SUITE(config_convo_info_volatile, "config/convo_info_volatile",
      {"each kind is stored in its own section", each_kind_is_stored_in_its_own_section},
      {"each kind is read from its own section", each_kind_is_read_from_its_own_section},
      {"unread is a flag", unread_is_a_flag},
      {"a time before 1970 is ignored", a_time_before_1970_is_ignored},
      {"the Pro expiry is read in both units", the_pro_expiry_is_read_in_both_units},
      {"incomplete Pro data is ignored", incomplete_pro_data_is_ignored},
      {"unknown fields are kept", unknown_fields_are_kept},
      {"setting equal values changes nothing", setting_equal_values_changes_nothing},
      {"a blank conversation is not stored", a_blank_conversation_is_not_stored},
      {"a missing conversation can be made", a_missing_conversation_can_be_made},
      {"conversations are listed in order", conversations_are_listed_in_order},
      {"conversations can be erased during a walk", conversations_can_be_erased_during_a_walk},
      {"a room without the key of its server is erased", a_room_without_the_key_of_its_server_is_erased},
      {"a missing conversation is not erased", a_missing_conversation_is_not_erased},
      {"a section that is not a dict counts as empty and is replaced",
       a_section_that_is_not_a_dict_counts_as_empty_and_is_replaced},
      {"invalid conversations are skipped and kept", invalid_conversations_are_skipped_and_kept},
      {"fields of the wrong kind are ignored", fields_of_the_wrong_kind_are_ignored},
      {"a time far in the future is not archived", a_time_far_in_the_future_is_not_archived},
      {"each kind accepts only its own ids", each_kind_accepts_only_its_own_ids},
      {"a community has no id and a group no room", a_community_has_no_id_and_a_group_no_room},
      {"an invalid dump is refused", an_invalid_dump_is_refused});
