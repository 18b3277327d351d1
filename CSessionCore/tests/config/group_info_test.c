#include "session-core/config/group_info.h"

#include "replay.h"
#include "support/test.h"

static const uint8_t group_key[32] = {7};
static const uint8_t picture_key[32] = {8};

static void group_pair(sc_ed25519_pair *out, sc_id *group, uint8_t seed_byte) {
  uint8_t seed[32];
  memset(seed, seed_byte, sizeof seed);
  sc_ed25519_pair_from_seed(out, seed);
  sc_id_make(group, SC_ID_GROUP, out->public_key);
}

/* With the group's encryption key. */
static sc_status make_info(sc_group_info **out, const sc_env *env, bool admin, sc_bytes dump) {
  const sc_bytes key = SC_BYTES(group_key);
  sc_ed25519_pair pair;
  sc_id group;
  group_pair(&pair, &group, 0x11);
  sc_status status = sc_group_info_new(out, env, &group, admin ? &pair : NULL, dump);
  if (status == SC_OK)
    status = sc_config_replace_keys(sc_group_info_config(*out), &key, 1, false);
  return status;
}

static sc_status fill(sc_group_info *info) {
  sc_config_picture picture = {sc_bytes_text("http://a.b/c"), SC_BYTES(picture_key)};
  sc_status status = sc_group_info_set_name(info, sc_bytes_text("Name"));
  if (status == SC_OK)
    status = sc_group_info_set_description(info, sc_bytes_text("About"));
  if (status == SC_OK)
    status = sc_group_info_set_picture(info, &picture);
  if (status == SC_OK)
    status = sc_group_info_set_created(info, 1700000000);
  if (status == SC_OK)
    status = sc_group_info_set_expiry(info, 3600);
  if (status == SC_OK)
    status = sc_group_info_set_delete_before(info, 1700000001);
  if (status == SC_OK)
    status = sc_group_info_set_delete_attachments_before(info, 1700000002);
  return status;
}

static void is_filled(sc_test *t, const sc_group_info *info) {
  sc_config_picture picture = sc_group_info_picture(info);
  SAME(sc_bytes_text("Name"), sc_group_info_name(info));
  SAME(sc_bytes_text("About"), sc_group_info_description(info));
  SAME(sc_bytes_text("http://a.b/c"), picture.url);
  SAME(SC_BYTES(picture_key), picture.key);
  CHECK(sc_group_info_created(info) == 1700000000 && sc_group_info_expiry(info) == 3600);
  CHECK(sc_group_info_delete_before(info) == 1700000001);
  CHECK(sc_group_info_delete_attachments_before(info) == 1700000002);
  CHECK(!sc_group_info_is_destroyed(info));
done:;
}

static void members_read_what_an_admin_wrote(sc_test *t) {
  sc_group_info *admin = NULL, *member = NULL;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_buffer dump;
  sc_config_outgoing_init(&out, t->env);
  sc_buffer_init(&dump, t->env);
  OK(make_info(&admin, t->env, true, (sc_bytes){0}));
  OK(make_info(&member, t->env, false, (sc_bytes){0}));
  CHECK(sc_config_namespace(sc_group_info_config(admin)) == 13);
  SAME(sc_bytes_text("groups::Info"), sc_config_domain(sc_group_info_config(admin)));
  OK(fill(admin));
  is_filled(t, admin);
  OK(sc_config_push(&out, sc_group_info_config(admin), 1));
  sc_config_incoming incoming = {sc_bytes_text("h1"), sc_config_stored_message(&out.messages, 0)};
  OK(sc_config_merge(&effect, NULL, sc_group_info_config(member), &incoming, 1, 1));
  CHECK(effect == SC_CONFIG_ADOPTED);
  is_filled(t, member);
  OK(sc_config_dump(&dump, sc_group_info_config(member), 1));
  sc_group_info_free(member);
  member = NULL;
  OK(make_info(&member, t->env, false, sc_buffer_bytes(&dump)));
  is_filled(t, member);
  FAILS(SC_ERR_CONFIG_READ_ONLY, sc_group_info_destroy(member));
  OK(sc_group_info_destroy(admin));
  CHECK(sc_group_info_is_destroyed(admin) && !sc_group_info_is_destroyed(member));
done:
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  sc_group_info_free(admin);
  sc_group_info_free(member);
}

static void empty_values_are_erased(sc_test *t) {
  sc_group_info *info = NULL;
  sc_config_picture none = {0};
  OK(make_info(&info, t->env, true, (sc_bytes){0}));
  OK(sc_group_info_set_name(info, sc_bytes_text("")));
  OK(sc_group_info_set_picture(info, &none));
  OK(sc_group_info_set_created(info, -1));
  CHECK(!sc_config_needs_push(sc_group_info_config(info)));
  OK(fill(info));
  OK(sc_group_info_set_name(info, sc_bytes_text("")));
  OK(sc_group_info_set_description(info, sc_bytes_text("")));
  OK(sc_group_info_set_picture(info, &none));
  OK(sc_group_info_set_expiry(info, 0));
  CHECK(sc_group_info_name(info).len == 0 && sc_group_info_description(info).len == 0);
  CHECK(sc_group_info_picture(info).url.len == 0 && sc_group_info_expiry(info) == 0);
done:
  sc_group_info_free(info);
}

static void times_in_any_unit_are_stored_in_seconds(sc_test *t) {
  sc_group_info *info = NULL;
  OK(make_info(&info, t->env, true, (sc_bytes){0}));
  OK(sc_group_info_set_created(info, 1700000000123));
  OK(sc_group_info_set_delete_before(info, 1700000001123456));
  CHECK(sc_group_info_created(info) == 1700000000 && sc_group_info_delete_before(info) == 1700000001);
done:
  sc_group_info_free(info);
}

static void texts_have_limits(sc_test *t) {
  static const char text[2001] = {0};
  sc_group_info *info = NULL;
  sc_config_picture picture = {sc_bytes_make(text, 224), SC_BYTES(picture_key)};
  OK(make_info(&info, t->env, true, (sc_bytes){0}));
  FAILS(SC_ERR_CONFIG_NAME, sc_group_info_set_name(info, sc_bytes_make(text, 101)));
  FAILS(SC_ERR_UTF8, sc_group_info_set_name(info, sc_bytes_text("\xff")));
  FAILS(SC_ERR_CONFIG_DESCRIPTION, sc_group_info_set_description(info, sc_bytes_make(text, 2001)));
  FAILS(SC_ERR_CONFIG_PICTURE, sc_group_info_set_picture(info, &picture));
  CHECK(!sc_config_needs_push(sc_group_info_config(info)));
  OK(sc_group_info_set_name(info, sc_bytes_make(text, 100)));
  OK(sc_group_info_set_description(info, sc_bytes_make(text, 2000)));
  picture.url.len = 223;
  OK(sc_group_info_set_picture(info, &picture));
done:
  sc_group_info_free(info);
}

static void only_the_groups_own_key_makes_an_admin(sc_test *t) {
  sc_group_info *info = NULL;
  sc_ed25519_pair pair, other;
  sc_id group, account;
  group_pair(&other, &group, 0x22);
  group_pair(&pair, &group, 0x11);
  FAILS(SC_ERR_KEY_MISMATCH, sc_group_info_new(&info, t->env, &group, &other, (sc_bytes){0}));
  sc_id_make(&account, SC_ID_STANDARD, pair.public_key);
  FAILS(SC_ERR_ID_KIND, sc_group_info_new(&info, t->env, &account, &pair, (sc_bytes){0}));
  FAILS(SC_ERR_CONFIG_DUMP, sc_group_info_new(&info, t->env, &group, &pair, sc_bytes_text("de")));
  CHECK(info == NULL);
  OK(make_info(&info, t->env, false, (sc_bytes){0}));
  FAILS(SC_ERR_KEY_MISMATCH, sc_config_set_signer(sc_group_info_config(info), &other));
  FAILS(SC_ERR_CONFIG_READ_ONLY, sc_group_info_set_name(info, sc_bytes_text("x")));
  OK(sc_config_set_signer(sc_group_info_config(info), &pair));
  OK(sc_group_info_set_name(info, sc_bytes_text("x")));
done:
  sc_group_info_free(info);
}

/* Both configs are signed with the group's key. */
static void a_replayed_members_config_is_not_accepted_as_info(sc_test *t) {
  sc_group_info *info = NULL;
  sc_config *members = NULL;
  OK(make_info(&info, t->env, false, (sc_bytes){0}));
  sc_config *config = sc_group_info_config(info);
  OK(replay_forger(&members, t->env, 0x11));
  OK(replay_set(members, "m", "somebody"));
  FAILS(SC_ERR_CONFIG_OTHER_KIND, replay(members, config));
  OK(replay_set(members, "o", NULL));
  OK(replay_set(members, "!", NULL));
  FAILS(SC_ERR_CONFIG_OTHER_KIND, replay(members, config));
  CHECK(sc_config_seqno(config) == 0 && !sc_group_info_is_destroyed(info));
done:
  sc_config_free(members);
  sc_group_info_free(info);
}

static void an_info_config_may_contain_keys_of_other_configs(sc_test *t) {
  static const char *const either[] = {"n", "c"};
  sc_group_info *info = NULL;
  sc_config *other = NULL;
  for (size_t i = 0; i < sizeof either / sizeof either[0]; i++) {
    OK(make_info(&info, t->env, false, (sc_bytes){0}));
    OK(replay_forger(&other, t->env, 0x11));
    OK(replay_set(other, "m", NULL));
    OK(replay(other, sc_group_info_config(info)));
    OK(replay_set(other, "m", "somebody"));
    OK(replay_set(other, either[i], NULL));
    OK(replay(other, sc_group_info_config(info)));
    CHECK(sc_config_seqno(sc_group_info_config(info)) == 2);
    sc_config_free(other);
    sc_group_info_free(info);
    other = NULL;
    info = NULL;
  }
done:
  sc_config_free(other);
  sc_group_info_free(info);
}

SUITE(config_group_info, "config/group_info",
      {"members read what an admin wrote", members_read_what_an_admin_wrote},
      {"empty values are erased", empty_values_are_erased},
      {"times in any unit are stored in seconds", times_in_any_unit_are_stored_in_seconds},
      {"texts have limits", texts_have_limits},
      {"only the group's own key makes an admin", only_the_groups_own_key_makes_an_admin},
      {"a replayed members config is not accepted as info",
       a_replayed_members_config_is_not_accepted_as_info},
      {"an info config may contain keys of other configs", an_info_config_may_contain_keys_of_other_configs});
