#include "config/convo_info_volatile.h"
#include "convos.h"

/* The latest time that is too old to be set, and a recent one. */
#define OLD "1697408000000"
static const int64_t old = 1697408000000;
static const int64_t recent = 1699999999999;

_Static_assert(1697408000000 == 1700000000000 - SC_CONVO_ARCHIVE_MS, "so long ago");

static sc_config_state state_of(const sc_convo_info *info) {
  return sc_config_state_of(sc_convo_info_config(info));
}

static void all_are(sc_test *t, const sc_convo_info *info, bool archived, int64_t last_read_ms) {
  sc_convo convos[sort_count];
  sc_convo found;
  all_sorts(convos, 0);
  FAILS(archived ? SC_ERR_NOT_FOUND : SC_OK, sc_convo_info_first(&found, info));
  FAILS(archived ? SC_OK : SC_ERR_NOT_FOUND, sc_convo_info_first_archived(&found, info));
  OK(archived ? sc_convo_info_first_archived(&found, info) : sc_convo_info_first(&found, info));
  for (size_t i = 0; i < sort_count; i++) {
    CHECK(same_place(&found, &convos[i]) && found.archived == archived);
    CHECK(found.last_read_ms == last_read_ms);
    OK(get(&convos[i], info, &convos[i]));
    CHECK(convos[i].archived == archived && convos[i].last_read_ms == last_read_ms);
    FAILS(i + 1 < sort_count ? SC_OK : SC_ERR_NOT_FOUND, sc_convo_info_next(&found, info));
  }
done:;
}

/* Setting */

static void a_conversation_last_read_long_ago_is_archived(sc_test *t) {
  sc_convo_info *info = NULL;
  OK(a_fresh(&info, t->env));
  OK(set_all(info, old, now));
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  archive_is(t, SORTS(OLD), info);
  STOP_IF_FAILED;
  all_are(t, info, true, old);
  STOP_IF_FAILED;
  CHECK(state_of(info) == SC_CONFIG_CLEAN && sc_config_needs_dump(sc_convo_info_config(info)));
done:
  sc_convo_info_free(info);
}

static void a_conversation_one_millisecond_younger_is_synced(sc_test *t) {
  sc_convo_info *info = NULL;
  OK(a_fresh(&info, t->env));
  OK(set_all(info, old + 1, now));
  synced_is(t, SORTS("1697408000001"), info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
  STOP_IF_FAILED;
  all_are(t, info, false, old + 1);
done:
  sc_convo_info_free(info);
}

/* Erasing the last room erases its server, but no other. */
static void an_old_synced_conversation_moves_to_the_archive(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo other = a_room("http://a.bcd", "y", recent);
  OK(a_saved(&info, t->env, SORTS("1699999999999"), "de"));
  OK(sc_convo_info_set(info, &other, now));
  OK(set_all(info, old, now));
  synced_is(t, "d1:od12:http://a.bcdd1:#32:" A32 "1:Rd1:yd1:ri1699999999999eeeeee", info);
  STOP_IF_FAILED;
  archive_is(t, SORTS(OLD), info);
  STOP_IF_FAILED;
  CHECK(state_of(info) == SC_CONFIG_DIRTY);
done:
  sc_convo_info_free(info);
}

static void a_newly_read_conversation_leaves_the_archive(sc_test *t) {
  sc_convo_info *info = NULL;
  OK(a_saved(&info, t->env, "de", SORTS(OLD)));
  OK(set_all(info, recent, now));
  synced_is(t, SORTS("1699999999999"), info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

#define WITH_MORE(r) "d1:1d33:\x05" A32 "d1:?1:x1:ei1700000000e1:g32:" B32 "1:ri" r "eeee"

static void leaving_the_archive_keeps_all_fields(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', recent);
  OK(a_saved(&info, t->env, "de", WITH_MORE("5")));
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, WITH_MORE("1699999999999"), info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void setting_the_same_value_changes_nothing(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo other = a_contact('b', recent);
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  OK(a_saved(&info, t->env, "de", SORTS(OLD)));
  OK(set_all(info, old, now));
  CHECK(state_of(info) == SC_CONFIG_CLEAN && !sc_config_needs_dump(sc_convo_info_config(info)));
  all_are(t, info, true, old);
  STOP_IF_FAILED;
  OK(sc_convo_info_set(info, &other, now));
  OK(sc_config_dump(&dump, sc_convo_info_config(info), now));
  OK(set_all(info, old, now));
  CHECK(!sc_config_needs_dump(sc_convo_info_config(info)));
done:
  sc_buffer_free(&dump);
  sc_convo_info_free(info);
}

static void an_unread_conversation_is_not_archived(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', old);
  convo.unread = true;
  OK(a_fresh(&info, t->env));
  OK(sc_convo_info_set(info, &convo, now));
  OK(sc_convo_info_age(info, 2 * now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ri" OLD "e1:ui1eeee", info);
  STOP_IF_FAILED;
  convo.unread = false;
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  convo.unread = true;
  OK(sc_convo_info_set(info, &convo, now));
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

/* Nor until the other side's Pro has been expired for as long. */
static void a_conversation_with_active_pro_is_not_archived(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 7);
  uint64_t over = 1700000000000 + SC_CONVO_ARCHIVE_MS;
  OK(a_saved(&info, t->env, WITH_MORE("5"), "de"));
  OK(sc_convo_info_age(info, over));
  synced_is(t, WITH_MORE("5"), info);
  STOP_IF_FAILED;
  OK(sc_convo_info_set(info, &convo, over));
  synced_is(t, WITH_MORE("7"), info);
  STOP_IF_FAILED;
  OK(sc_convo_info_age(info, over + 1));
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  archive_is(t, WITH_MORE("7"), info);
done:
  sc_convo_info_free(info);
}

static void a_blank_conversation_is_not_stored(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convos[sort_count];
  all_sorts(convos, 0);
  OK(a_saved(&info, t->env, SORTS("1699999999999"), "de"));
  for (size_t i = 0; i < sort_count; i++)
    if (convos[i].id.bytes[0] != SC_ID_BLINDED_15)
      OK(sc_convo_info_set(info, &convos[i], now));
  synced_is(t, "d1:bd33:\x15" A32 "d1:ri1699999999999e1:yi1eeee", info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void an_archived_conversation_can_be_erased(sc_test *t) {
  sc_convo_info *info = NULL;
  bool erased = false;
  sc_id id = saved_id(SC_ID_STANDARD, 'a');
  OK(a_saved(&info, t->env, "de", SORTS(OLD)));
  OK(sc_convo_info_erase(&erased, info, SC_CONVO_CONTACT, &id));
  CHECK(erased);
  OK(sc_convo_info_erase_community(&erased, info, sc_bytes_text("http://a.bcd"), sc_bytes_text("x")));
  CHECK(erased);
  OK(sc_convo_info_erase(&erased, info, SC_CONVO_CONTACT, &id));
  CHECK(!erased && state_of(info) == SC_CONFIG_CLEAN);
  CHECK(sc_config_needs_dump(sc_convo_info_config(info)));
  archive_is(t,
             "d1:Cd33:\x05" A32 "d1:ri" OLD "eee1:bd33:\x15" A32 "d1:ri" OLD "e1:yi1ee33:\x25" A32 "d1:ri" OLD
             "eee1:gd33:\x03" A32 "d1:ri" OLD "eeee",
             info);
done:
  sc_convo_info_free(info);
}

/* Ageing */

static sc_status look_at(sc_buffer *out, sc_convo_info *info) {
  sc_config *config = sc_convo_info_config(info);
  bool needs_dump = sc_config_needs_dump(config);
  sc_status status = sc_config_dump(out, config, now);
  if (needs_dump)
    sc_config_want_dump(config);
  return status == SC_OK ? sc_buffer_append_byte(out, needs_dump) : status;
}

/* A failed push must not age anything: no later step would report another revision. */
static sc_status push_or_nothing(sc_test *t, sc_config_outgoing *out, sc_convo_info *info, uint64_t wall_ms) {
  sc_buffer before, after;
  sc_buffer_init(&before, t->env);
  sc_buffer_init(&after, t->env);
  sc_status looked = look_at(&before, info);
  sc_status status = looked == SC_OK ? sc_config_push(out, sc_convo_info_config(info), wall_ms) : looked;
  if (looked == SC_OK && status != SC_OK) {
    OK(look_at(&after, info));
    SAME(sc_buffer_bytes(&before), sc_buffer_bytes(&after));
  }
done:
  sc_buffer_free(&before);
  sc_buffer_free(&after);
  return status;
}

static void old_conversations_are_archived_before_a_push(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_config_outgoing out;
  sc_convo convo = a_contact('z', (int64_t)now);
  sc_config_outgoing_init(&out, t->env);
  OK(a_saved(&info, t->env, SORTS(OLD), "de"));
  OK(sc_convo_info_set(info, &convo, now));
  OK(push_or_nothing(t, &out, info, now + 1));
  CHECK(out.seqno == 2 && state_of(info) == SC_CONFIG_WAITING);
  synced_is(t, "d1:1d33:\x05zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzd1:ri1700000000000eeee", info);
  STOP_IF_FAILED;
  archive_is(t, SORTS(OLD), info);
done:
  sc_config_outgoing_free(&out);
  sc_convo_info_free(info);
}

/* Storing the same data again needs no new revision, except for clients of 2025. */
static void a_clean_config_ages_before_a_push_only_in_2025_mode(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_config_outgoing out;
  const uint64_t later = now + SC_CONVO_DROP_MS;
  sc_config_outgoing_init(&out, t->env);
  OK(a_saved(&info, t->env, SORTS(OLD), "de"));
  sc_config *config = sc_convo_info_config(info);
  OK(sc_config_push(&out, config, later));
  CHECK(out.seqno == 1 && state_of(info) == SC_CONFIG_CLEAN && !sc_config_needs_dump(config));
  all_are(t, info, false, old);
  STOP_IF_FAILED;
  sc_convo_info_set_ageing(info, SC_CONVO_DROPS);
  OK(sc_config_push(&out, config, now));
  CHECK(out.seqno == 1 && state_of(info) == SC_CONFIG_CLEAN && !sc_config_needs_dump(config));
  OK(push_or_nothing(t, &out, info, later));
  CHECK(out.seqno == 2 && state_of(info) == SC_CONFIG_WAITING);
  synced_is(t, "d1:gd33:\x03" A32 "d1:ri" OLD "eeee", info);
done:
  sc_config_outgoing_free(&out);
  sc_convo_info_free(info);
}

static void nothing_is_archived_before_the_clock_is_set(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('b', 5);
  OK(a_saved(&info, t->env, SORTS("0"), "de"));
  OK(sc_convo_info_age(info, 0));
  OK(sc_convo_info_age(info, SC_CONVO_ARCHIVE_MS));
  CHECK(state_of(info) == SC_CONFIG_CLEAN && !sc_config_needs_dump(sc_convo_info_config(info)));
  OK(sc_convo_info_set(info, &convo, 1000));
  CHECK(state_of(info) == SC_CONFIG_DIRTY);
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void the_greatest_time_does_not_overflow(sc_test *t) {
  sc_convo_info *info = NULL;
  OK(a_saved(&info, t->env, SORTS("1699999999999"), "de"));
  OK(sc_convo_info_age(info, UINT64_MAX));
  all_are(t, info, true, recent);
done:
  sc_convo_info_free(info);
}

/* Merging */

static sc_status merge_from(sc_convo_info *info, sc_config *other, uint64_t wall_ms) {
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_config_outgoing_init(&out, sc_config_env(other));
  sc_status status = sc_config_push(&out, other, 0);
  if (status == SC_OK)
    status = sc_config_merge(&effect, NULL, sc_convo_info_config(info),
                             &(sc_config_incoming){sc_bytes_text("hash"), device_message(&out)}, 1, wall_ms);
  sc_config_outgoing_free(&out);
  return status;
}

static void an_update_from_another_device_leaves_the_archive(sc_test *t) {
  sc_convo_info *info = NULL, *other = NULL;
  sc_convo alone = a_contact('b', old);
  OK(a_fresh(&info, t->env));
  OK(a_fresh(&other, t->env));
  OK(set_all(info, old, now));
  OK(set_all(other, recent, now));
  OK(sc_convo_info_set(info, &alone, now));
  OK(merge_from(info, sc_convo_info_config(other), now));
  synced_is(t, SORTS("1699999999999"), info);
  STOP_IF_FAILED;
  archive_is(t, "d1:1d33:\x05" B32 "d1:ri" OLD "eeee", info);
  CHECK(state_of(info) == SC_CONFIG_CLEAN && sc_config_needs_dump(sc_convo_info_config(info)));
done:
  sc_convo_info_free(info);
  sc_convo_info_free(other);
}

/* Records on both sides lie between records on one side only. */
static void only_synced_conversations_leave_the_archive(sc_test *t) {
  sc_convo_info *info = NULL, *other = NULL;
  const sc_convo archived[] = {a_contact('a', old),
                               a_contact('c', old),
                               a_contact('d', old),
                               a_room("http://a.bcd", "x", old),
                               a_room("http://a.bcd", "z", old),
                               a_room("http://b.bcd", "y", old),
                               a_room("http://c.bcd", "x", old)};
  const sc_convo synced[] = {a_contact('b', recent),
                             a_contact('c', recent),
                             a_contact('e', recent),
                             a_room("http://a.bcd", "y", recent),
                             a_room("http://a.bcd", "z", recent),
                             a_room("http://b.bcd", "x", recent),
                             a_room("http://c.bcd", "x", recent)};
  OK(a_fresh(&info, t->env));
  OK(a_fresh(&other, t->env));
  for (size_t i = 0; i < sizeof archived / sizeof archived[0]; i++)
    OK(sc_convo_info_set(info, &archived[i], now));
  for (size_t i = 0; i < sizeof synced / sizeof synced[0]; i++)
    OK(sc_convo_info_set(other, &synced[i], now));
  OK(merge_from(info, sc_convo_info_config(other), now));
  archive_is(t,
             "d1:1d33:\x05" A32 "d1:ri" OLD "ee33:\x05"
             "dddddddddddddddddddddddddddddddd"
             "d1:ri" OLD "eee1:od12:http://a.bcdd1:#32:" A32 "1:Rd1:xd1:ri" OLD
             "eeee12:http://b.bcdd1:#32:" A32 "1:Rd1:yd1:ri" OLD "eeeeee",
             info);
done:
  sc_convo_info_free(info);
  sc_convo_info_free(other);
}

static void an_old_update_from_another_device_is_archived(sc_test *t) {
  sc_convo_info *info = NULL, *other = NULL;
  OK(a_saved(&info, t->env, "de", "d1:1d33:\x05" A32 "d1:ri6eeee"));
  OK(a_fresh(&other, t->env));
  OK(set_all(other, old, 0));
  OK(merge_from(info, sc_convo_info_config(other), now + 1));
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  all_are(t, info, true, old);
  STOP_IF_FAILED;
  CHECK(state_of(info) == SC_CONFIG_DIRTY);
done:
  sc_convo_info_free(info);
  sc_convo_info_free(other);
}

static void the_archive_outlives_its_object(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_keypair account;
  sc_buffer dump;
  worked_account(&account);
  sc_buffer_init(&dump, t->env);
  OK(a_fresh(&info, t->env));
  device_dump_is(t, "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*de1:+dee", sc_convo_info_config(info));
  STOP_IF_FAILED;
  OK(set_all(info, old, now));
  OK(sc_config_dump(&dump, sc_convo_info_config(info), now));
  SAME(sc_bytes_text("d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*de1:+" SORTS(OLD) "e"),
       sc_buffer_bytes(&dump));
  CHECK(!sc_config_needs_dump(sc_convo_info_config(info)));
  sc_convo_info_free(info);
  info = NULL;
  OK(sc_convo_info_new(&info, t->env, &account, sc_buffer_bytes(&dump)));
  all_are(t, info, true, old);
  STOP_IF_FAILED;
  CHECK(!sc_config_needs_dump(sc_convo_info_config(info)));
done:
  sc_buffer_free(&dump);
  sc_convo_info_free(info);
}

/* As of 2025 */

static void old_times_are_dropped_unless_set_again(sc_test *t) {
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', old);
  OK(a_fresh(&info, t->env));
  sc_convo_info_set_ageing(info, SC_CONVO_DROPS);
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "de", info);
  STOP_IF_FAILED;
  convo.last_read_ms = recent;
  OK(sc_convo_info_set(info, &convo, now));
  convo.last_read_ms = old;
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ri" OLD "eeee", info);
  STOP_IF_FAILED;
  convo.last_read_ms = old - 1;
  OK(sc_convo_info_set(info, &convo, now));
  convo.last_read_ms = old;
  OK(sc_convo_info_set(info, &convo, now));
  synced_is(t, "d1:1d33:\x05" A32 "d1:ri1697407999999eeee", info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

static void all_conversations_but_groups_are_dropped_after_45_days(sc_test *t) {
  sc_convo_info *info = NULL;
  uint64_t then = (uint64_t)(old + SC_CONVO_DROP_MS);
  OK(a_saved(&info, t->env, SORTS(OLD), "de"));
  sc_convo_info_set_ageing(info, SC_CONVO_DROPS);
  OK(sc_convo_info_age(info, then));
  CHECK(state_of(info) == SC_CONFIG_CLEAN);
  OK(sc_convo_info_age(info, then + 1));
  synced_is(t, "d1:gd33:\x03" A32 "d1:ri" OLD "eeee", info);
  STOP_IF_FAILED;
  archive_is(t, "de", info);
done:
  sc_convo_info_free(info);
}

/* The limit */

/* Conversations read at different times, higher ids later, all archived. */
static sc_status archive_many(sc_convo_info *info, size_t count, int64_t first_ms) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    sc_convo convo = a_contact('a', first_ms + (int64_t)i);
    convo.id.bytes[1] = (uint8_t)(i >> 8);
    convo.id.bytes[2] = (uint8_t)i;
    status = sc_convo_info_set(info, &convo, now);
  }
  return status;
}

static void a_full_archive_drops_the_least_recently_read(sc_test *t) {
  enum { each = 56, fit = SC_CONVO_MAX_ARCHIVE_BYTES / each };
  sc_convo_info *info = NULL;
  sc_convo convo = a_contact('a', 0);
  size_t count = 0;
  const int64_t first_ms = 1600000000000;
  if (t->torture)
    SKIP("it takes many conversations");
  OK(a_fresh(&info, t->env));
  sc_config *config = sc_convo_info_config(info);
  OK(archive_many(info, fit - 10, first_ms));
  CHECK(sc_config_tree_size(sc_config_archive(config)) > SC_CONVO_MAX_ARCHIVE_BYTES - 20 * each);
  OK(archive_many(info, fit + 10, first_ms));
  CHECK(sc_config_tree_size(sc_config_archive(config)) <= SC_CONVO_MAX_ARCHIVE_BYTES);
  sc_status status = sc_convo_info_first_archived(&convo, info);
  CHECK(convo.last_read_ms > first_ms + fit / 5 && convo.last_read_ms < first_ms + fit / 3);
  for (; status == SC_OK; count++)
    status = sc_convo_info_next(&convo, info);
  FAILS(SC_ERR_NOT_FOUND, status);
  CHECK(count > fit * 2 / 3);
done:
  sc_convo_info_free(info);
}

SUITE(config_convo_archive, "config/convo_archive",
      {"a conversation last read long ago is archived", a_conversation_last_read_long_ago_is_archived},
      {"a conversation one millisecond younger is synced", a_conversation_one_millisecond_younger_is_synced},
      {"an old synced conversation moves to the archive", an_old_synced_conversation_moves_to_the_archive},
      {"a newly read conversation leaves the archive", a_newly_read_conversation_leaves_the_archive},
      {"leaving the archive keeps all fields", leaving_the_archive_keeps_all_fields},
      {"setting the same value changes nothing", setting_the_same_value_changes_nothing},
      {"an unread conversation is not archived", an_unread_conversation_is_not_archived},
      {"a conversation with active Pro is not archived", a_conversation_with_active_pro_is_not_archived},
      {"a blank conversation is not stored", a_blank_conversation_is_not_stored},
      {"an archived conversation can be erased", an_archived_conversation_can_be_erased},
      {"old conversations are archived before a push", old_conversations_are_archived_before_a_push},
      {"a clean config ages before a push only in 2025 mode",
       a_clean_config_ages_before_a_push_only_in_2025_mode},
      {"nothing is archived before the clock is set", nothing_is_archived_before_the_clock_is_set},
      {"the greatest time does not overflow", the_greatest_time_does_not_overflow},
      {"an update from another device leaves the archive", an_update_from_another_device_leaves_the_archive},
      {"only synced conversations leave the archive", only_synced_conversations_leave_the_archive},
      {"an old update from another device is archived", an_old_update_from_another_device_is_archived},
      {"the archive outlives its object", the_archive_outlives_its_object},
      {"old times are dropped unless set again", old_times_are_dropped_unless_set_again},
      {"all conversations but groups are dropped after 45 days",
       all_conversations_but_groups_are_dropped_after_45_days},
      {"a full archive drops the least recently read", a_full_archive_drops_the_least_recently_read});
