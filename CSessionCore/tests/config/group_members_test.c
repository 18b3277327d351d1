#include "session-core/config/group_members.h"

#include "config/change.h"
#include "replay.h"
#include "support/test.h"

static sc_id an_id(uint8_t number) {
  sc_id id = {{SC_ID_STANDARD, number}};
  return id;
}

static sc_status make_members(sc_group_members **out, const sc_env *env, bool admin, sc_bytes dump) {
  static const uint8_t seed[32] = {0x11};
  static const uint8_t key[32] = {7};
  const sc_bytes keys = SC_BYTES(key);
  sc_ed25519_pair pair;
  sc_id group;
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_id_make(&group, SC_ID_GROUP, pair.public_key);
  sc_status status = sc_group_members_new(out, env, &group, admin ? &pair : NULL, dump);
  if (status == SC_OK)
    status = sc_config_replace_keys(sc_group_members_config(*out), &keys, 1, false);
  return status;
}

static sc_status add(sc_group_members *members, uint8_t number, const char *name) {
  sc_group_member member;
  sc_id id = an_id(number);
  sc_group_member_init(&member, &id);
  member.name = sc_bytes_text(name);
  return sc_group_members_set(members, &member);
}

static void members_are_stored_and_found(sc_test *t) {
  static const uint8_t picture_key[32] = {8};
  sc_group_members *members = NULL;
  sc_group_member member, found;
  sc_id id = an_id(1), other = an_id(2);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_group_member_init(&member, &id);
  member.name = sc_bytes_text("One");
  member.picture = (sc_config_picture){sc_bytes_text("http://a.b/c"), SC_BYTES(picture_key)};
  member.supplement = true;
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&found, members, &id));
  SAME(sc_bytes_text("One"), found.name);
  SAME(sc_bytes_text("http://a.b/c"), found.picture.url);
  SAME(SC_BYTES(picture_key), found.picture.key);
  CHECK(found.supplement && !found.admin && found.profile_updated == 0);
  CHECK(found.invite == SC_GROUP_NOT_SENT && found.promotion == 0 && found.removal == 0);
  CHECK(memcmp(&found.id, &id, sizeof id) == 0);
  FAILS(SC_ERR_NOT_FOUND, sc_group_members_get(&found, members, &other));
  other.bytes[0] = SC_ID_GROUP;
  FAILS(SC_ERR_ID_KIND, sc_group_members_get(&found, members, &other));
  member.id = other;
  FAILS(SC_ERR_ID_KIND, sc_group_members_set(members, &member));
  FAILS(SC_ERR_ID_KIND, sc_group_members_erase(NULL, members, &other));
done:
  sc_group_members_free(members);
}

static void members_are_listed_in_order(sc_test *t) {
  sc_group_members *members = NULL;
  sc_group_member member;
  size_t count = 0;
  bool erased = false;
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  OK(add(members, 2, "Two"));
  OK(add(members, 1, "One"));
  OK(add(members, 3, "Three"));
  OK(sc_group_members_next(&member, members, NULL));
  SAME(sc_bytes_text("One"), member.name);
  sc_id id = member.id;
  OK(sc_group_members_erase(&erased, members, &id));
  CHECK(erased);
  OK(sc_group_members_erase(&erased, members, &id));
  CHECK(!erased);
  OK(sc_group_members_next(&member, members, &id));
  SAME(sc_bytes_text("Two"), member.name);
  id = member.id;
  OK(sc_group_members_next(&member, members, &id));
  id = member.id;
  FAILS(SC_ERR_NOT_FOUND, sc_group_members_next(&member, members, &id));
  OK(sc_group_members_count(&count, members));
  CHECK(count == 2);
done:
  sc_group_members_free(members);
}

static void every_event_has_its_status(sc_test *t) {
  static const struct {
    sc_group_event event;
    sc_group_member_status status; /* on the device that made the change */
    sc_group_member_status elsewhere;
    bool admin;
  } cases[] = {
      {SC_GROUP_INVITE_NOT_SENT, SC_GROUP_MEMBER_INVITE_SENDING, SC_GROUP_MEMBER_INVITE_NOT_SENT, false},
      {SC_GROUP_INVITE_SENT, SC_GROUP_MEMBER_INVITE_SENT, SC_GROUP_MEMBER_INVITE_SENT, false},
      {SC_GROUP_INVITE_FAILED, SC_GROUP_MEMBER_INVITE_FAILED, SC_GROUP_MEMBER_INVITE_FAILED, false},
      {SC_GROUP_INVITE_ACCEPTED, SC_GROUP_MEMBER_INVITE_ACCEPTED, SC_GROUP_MEMBER_INVITE_ACCEPTED, false},
      {SC_GROUP_PROMOTE, SC_GROUP_MEMBER_PROMOTION_SENDING, SC_GROUP_MEMBER_PROMOTION_NOT_SENT, true},
      {SC_GROUP_PROMOTION_SENT, SC_GROUP_MEMBER_PROMOTION_SENT, SC_GROUP_MEMBER_PROMOTION_SENT, true},
      {SC_GROUP_PROMOTION_FAILED, SC_GROUP_MEMBER_PROMOTION_FAILED, SC_GROUP_MEMBER_PROMOTION_FAILED, true},
      {SC_GROUP_PROMOTION_NOT_SENT, SC_GROUP_MEMBER_PROMOTION_SENDING, SC_GROUP_MEMBER_PROMOTION_NOT_SENT,
       true},
      {SC_GROUP_PROMOTION_ACCEPTED, SC_GROUP_MEMBER_PROMOTION_ACCEPTED, SC_GROUP_MEMBER_PROMOTION_ACCEPTED,
       true},
      {SC_GROUP_REMOVE, SC_GROUP_MEMBER_REMOVED, SC_GROUP_MEMBER_REMOVED, true},
      {SC_GROUP_REMOVE_WITH_MESSAGES, SC_GROUP_MEMBER_REMOVED_WITH_MESSAGES,
       SC_GROUP_MEMBER_REMOVED_WITH_MESSAGES, true},
  };
  sc_group_members *members = NULL;
  sc_group_member member, found;
  sc_id id = an_id(1);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_group_member_init(&member, &id);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_group_member_apply(&member, cases[i].event);
    OK(sc_group_members_set(members, &member));
    OK(sc_group_members_get(&found, members, &id));
    CHECK(found.admin == cases[i].admin);
    CHECK(sc_group_members_status(members, &found) == cases[i].status);
    OK(sc_group_members_set_pending(members, &id, false));
    CHECK(sc_group_members_status(members, &found) == cases[i].elsewhere);
  }
done:
  sc_group_members_free(members);
}

static void unknown_numbers_are_unknown(sc_test *t) {
  sc_group_members *members = NULL;
  sc_group_member member;
  sc_id id = an_id(1);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_group_member_init(&member, &id);
  member.invite = 9;
  CHECK(sc_group_members_status(members, &member) == SC_GROUP_MEMBER_INVITE_UNKNOWN);
  member.admin = true;
  member.promotion = 9;
  CHECK(sc_group_members_status(members, &member) == SC_GROUP_MEMBER_PROMOTION_UNKNOWN);
  member.removal = 9;
  CHECK(sc_group_members_status(members, &member) == SC_GROUP_MEMBER_REMOVED_UNKNOWN);
done:
  sc_group_members_free(members);
}

/* Neither for admins nor for members who have accepted. */
static void admins_and_accepted_members_have_no_invitation_or_supplement(sc_test *t) {
  sc_group_members *members = NULL;
  sc_group_member member, found;
  sc_id id = an_id(1);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_group_member_init(&member, &id);
  member.supplement = true;
  sc_group_member_apply(&member, SC_GROUP_INVITE_SENT);
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&found, members, &id));
  CHECK(found.supplement && found.invite == SC_GROUP_SENT);
  member.admin = true;
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&found, members, &id));
  CHECK(!found.supplement && found.invite == 0);
  sc_group_member_apply(&member, SC_GROUP_INVITE_ACCEPTED);
  CHECK(!member.supplement);
done:
  sc_group_members_free(members);
}

static void pending_members_are_kept_in_the_dump(sc_test *t) {
  sc_group_members *members = NULL, *loaded = NULL, *other = NULL;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_buffer dump;
  sc_id one = an_id(1), two = an_id(2);
  sc_config_outgoing_init(&out, t->env);
  sc_buffer_init(&dump, t->env);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  OK(add(members, 1, "One"));
  CHECK(sc_group_members_is_pending(members, &one) && !sc_group_members_is_pending(members, &two));
  OK(sc_config_dump(&dump, sc_group_members_config(members), 1));
  CHECK(!sc_config_needs_dump(sc_group_members_config(members)));
  OK(sc_group_members_set_pending(members, &two, true));
  CHECK(sc_config_needs_dump(sc_group_members_config(members)));
  OK(make_members(&loaded, t->env, true, sc_buffer_bytes(&dump)));
  CHECK(sc_group_members_is_pending(loaded, &one) && !sc_group_members_is_pending(loaded, &two));
  OK(make_members(&other, t->env, false, (sc_bytes){0}));
  OK(sc_config_push(&out, sc_group_members_config(members), 1));
  sc_config_incoming incoming = {sc_bytes_text("h1"), sc_config_stored_message(&out.messages, 0)};
  OK(sc_config_merge(&effect, NULL, sc_group_members_config(other), &incoming, 1, 1));
  CHECK(effect == SC_CONFIG_ADOPTED && !sc_group_members_is_pending(other, &one));
  OK(sc_group_members_erase(NULL, members, &one));
  CHECK(!sc_group_members_is_pending(members, &one));
done:
  sc_config_outgoing_free(&out);
  sc_buffer_free(&dump);
  sc_group_members_free(members);
  sc_group_members_free(loaded);
  sc_group_members_free(other);
}

static void a_malformed_dump_is_refused(sc_test *t) {
  static const char begins[] = "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*de1:+";
  static const struct {
    const char *extra;
    sc_status status;
  } cases[] = {{"de", SC_OK},
               {"d16:pending_send_idsl2:noee", SC_OK},
               {"d16:pending_send_idsdee", SC_ERR_CONFIG_DUMP},
               {"d16:pending_send_idsli1eee", SC_ERR_CONFIG_DUMP},
               {"le", SC_ERR_CONFIG_DUMP}};
  sc_group_members *members = NULL;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&dump);
    OK(sc_buffer_append(&dump, sc_bytes_text(begins)));
    OK(sc_buffer_append(&dump, sc_bytes_text(cases[i].extra)));
    OK(sc_buffer_append_byte(&dump, 'e'));
    FAILS(cases[i].status, make_members(&members, t->env, true, sc_buffer_bytes(&dump)));
    sc_group_members_free(members);
    members = NULL;
  }
done:
  sc_buffer_free(&dump);
  sc_group_members_free(members);
}

static void read_only_members_change_nothing(sc_test *t) {
  sc_group_members *members = NULL;
  sc_id id = an_id(1);
  OK(make_members(&members, t->env, false, (sc_bytes){0}));
  FAILS(SC_ERR_CONFIG_READ_ONLY, add(members, 1, "One"));
  FAILS(SC_ERR_CONFIG_READ_ONLY, sc_group_members_erase(NULL, members, &id));
  CHECK(!sc_group_members_is_pending(members, &id));
done:
  sc_group_members_free(members);
}

static void names_are_truncated_and_checked(sc_test *t) {
  static const char long_name[] = "0123456789012345678901234567890123456789012345678901234567890123456789"
                                  "01234567890123456789012345678\xc3\xa9";
  static const uint8_t long_url[224] = {'h'};
  static const uint8_t picture_key[32] = {8};
  sc_group_members *members = NULL;
  sc_group_member member;
  sc_id id = an_id(1);
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  OK(add(members, 1, long_name));
  OK(sc_group_members_get(&member, members, &id));
  SAME(sc_bytes_make(long_name, 99), member.name);
  FAILS(SC_ERR_UTF8, add(members, 2, "\xff"));
  member.id = an_id(2);
  member.picture = (sc_config_picture){SC_BYTES(long_url), SC_BYTES(picture_key)};
  FAILS(SC_ERR_CONFIG_PICTURE, sc_group_members_set(members, &member));
  FAILS(SC_ERR_NOT_FOUND, sc_group_members_get(&member, members, &member.id));
  CHECK(!sc_group_members_is_pending(members, &member.id));
done:
  sc_group_members_free(members);
}

/* A member must be removable even if another client has given them an invalid name. */
static void malformed_values_from_other_clients_do_not_block_edits(sc_test *t) {
  static const uint8_t long_url[224] = {'h'};
  static const uint8_t picture_key[32] = {8};
  sc_group_members *members = NULL;
  sc_group_member member;
  sc_config_change change;
  sc_id id = an_id(1);
  sc_bytes keys[] = {sc_bytes_text("m"), SC_BYTES(id.bytes), sc_bytes_text("n")};
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_config_change_begin(&change, sc_group_members_config(members));
  sc_config_change_set(&change, (sc_config_path){keys, 3}, sc_config_string(sc_bytes_text("\xff")));
  keys[2] = sc_bytes_text("p");
  sc_config_change_set(&change, (sc_config_path){keys, 3}, sc_config_string(SC_BYTES(long_url)));
  keys[2] = sc_bytes_text("q");
  sc_config_change_set(&change, (sc_config_path){keys, 3}, sc_config_string(SC_BYTES(picture_key)));
  OK(sc_config_change_end(&change));
  OK(sc_group_members_get(&member, members, &id));
  SAME(sc_bytes_text("\xff"), member.name);
  sc_group_member_apply(&member, SC_GROUP_REMOVE);
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&member, members, &id));
  CHECK(member.removal == SC_GROUP_REMOVED && member.picture.url.len == 224);
  SAME(sc_bytes_text("\xff"), member.name);
done:
  sc_group_members_free(members);
}

static void the_profile_time_is_never_written(sc_test *t) {
  sc_group_members *members = NULL;
  sc_group_member member;
  sc_config_change change;
  sc_id id = an_id(1);
  const sc_bytes path[] = {sc_bytes_text("m"), SC_BYTES(id.bytes), sc_bytes_text("t")};
  OK(make_members(&members, t->env, true, (sc_bytes){0}));
  sc_group_member_init(&member, &id);
  member.profile_updated = 5;
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&member, members, &id));
  CHECK(member.profile_updated == 0);
  sc_config_change_begin(&change, sc_group_members_config(members));
  sc_config_change_set(&change, (sc_config_path){path, 3}, sc_config_integer(1600000000));
  OK(sc_config_change_end(&change));
  member.profile_updated = 5;
  member.admin = true;
  OK(sc_group_members_set(members, &member));
  OK(sc_group_members_get(&member, members, &id));
  CHECK(member.admin && member.profile_updated == 1600000000);
done:
  sc_group_members_free(members);
}

/* Both configs are signed with the group's key. */
static void a_replayed_info_config_is_not_accepted_as_members(sc_test *t) {
  static const char *const only[] = {"n", "o", "c", "E", "d", "D", "!"};
  sc_group_members *members = NULL;
  sc_config *info = NULL;
  OK(make_members(&members, t->env, false, (sc_bytes){0}));
  sc_config *config = sc_group_members_config(members);
  for (size_t i = 0; i < sizeof only / sizeof only[0]; i++) {
    OK(replay_forger(&info, t->env, 0));
    OK(replay_set(info, only[i], NULL));
    FAILS(SC_ERR_CONFIG_OTHER_KIND, replay(info, config));
    CHECK(sc_config_seqno(config) == 0 && sc_config_data(config) == NULL);
    OK(replay_set(info, "m", NULL));
    FAILS(SC_ERR_CONFIG_OTHER_KIND, replay(info, config));
    sc_config_free(info);
    info = NULL;
  }
done:
  sc_config_free(info);
  sc_group_members_free(members);
}

static void a_members_config_may_contain_keys_of_other_configs(sc_test *t) {
  sc_group_members *members = NULL;
  sc_config *other = NULL;
  OK(make_members(&members, t->env, false, (sc_bytes){0}));
  sc_config *config = sc_group_members_config(members);
  OK(replay_forger(&other, t->env, 0));
  OK(replay_set(other, "x", NULL));
  OK(replay(other, config));
  OK(replay_set(other, "n", NULL));
  FAILS(SC_ERR_CONFIG_OTHER_KIND, replay(other, config));
  OK(replay_set(other, "m", "a"));
  OK(replay(other, config));
  CHECK(sc_config_seqno(config) == 3);
done:
  sc_config_free(other);
  sc_group_members_free(members);
}

SUITE(config_group_members, "config/group_members",
      {"members are stored and found", members_are_stored_and_found},
      {"members are listed in order", members_are_listed_in_order},
      {"every event has its status", every_event_has_its_status},
      {"unknown numbers are unknown", unknown_numbers_are_unknown},
      {"admins and accepted members have no invitation or supplement",
       admins_and_accepted_members_have_no_invitation_or_supplement},
      {"pending members are kept in the dump", pending_members_are_kept_in_the_dump},
      {"a malformed dump is refused", a_malformed_dump_is_refused},
      {"read-only members change nothing", read_only_members_change_nothing},
      {"names are truncated and checked", names_are_truncated_and_checked},
      {"malformed values from other clients do not block edits",
       malformed_values_from_other_clients_do_not_block_edits},
      {"a replayed info config is not accepted as members",
       a_replayed_info_config_is_not_accepted_as_members},
      {"a members config may contain keys of other configs",
       a_members_config_may_contain_keys_of_other_configs},
      {"the profile time is never written", the_profile_time_is_never_written});
