#include "crypto/multi_seal.h"
#include "group_scene.h"
#include "session-core/base/encoding.h"
#include "support/unsafe_keys.h"

static const char key_0[] = "0f1bd5c27f9bd7ecbda5bb4ad4a94203351cb3ee356cf57718350409011bdd16";
static const char key_1[] = "2db8f7a7ca54ba5b9a50814db98014e00e688a4f140bb59a175e45ed2fbacbc5";

static sc_bytes first_key(const group_scene *s, int person) {
  return sc_group_keys_list(s->people[person].group).keys[0];
}

/* The content of a message under this key, parsed with a reader other than the one under test. */
SC_NODISCARD static sc_status field_of(sc_bytes *out, sc_bytes message, const char *key) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, message);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = sc_bt_find_key(&reader, sc_bytes_text(key));
  return status == SC_OK ? sc_bt_read_raw(out, &reader) : status;
}

static void the_worked_example_is_reproduced(sc_test *t) {
  group_scene s;
  uint8_t hash[32];
  sc_bytes field;
  KNOWN(known_key, "0f1bd5c27f9bd7ecbda5bb4ad4a94203351cb3ee356cf57718350409011bdd16");
  KNOWN(known_hash, "9434e3defd6088a11f25200096489202ef1a57b695bc74976f8a58f4197d2e48");
  KNOWN(known_nonce, "f5db3bdba565cb1ba3c35bde9fbbd65ab460947667399da8");
  KNOWN(known_wrapped, "287e4c465cc9c0749665cc328626d72102d366fdfe3e1f1e365807da728d04d2e42ca8b0d797f1065eb6"
                       "f186a5fe6943");
  KNOWN(known_signature,
        "b73d382128ef503626e435b5fa5d17d56fffe19631dddfdea0e1166a0c216f9d6a41563b05443a5f40d8"
        "8eddcbbb281e527f183f580c2d7c6a0d669935838d05");
  OK(group_set_scene(&s, t->env));
  OK(group_rekey(&s));
  const sc_bytes message = sc_group_keys_pending(s.people[person_a].group);
  CHECK(message.len == 3992);
  OK(sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), message));
  SAME(SC_BYTES(known_hash), SC_BYTES(hash));
  SAME(SC_BYTES(known_key), first_key(&s, person_a));
  OK(field_of(&field, message, "#"));
  SAME(SC_BYTES(known_nonce), sc_bytes_make(field.ptr + 3, field.len - 3));
  OK(field_of(&field, message, "K"));
  SAME(SC_BYTES(known_wrapped), sc_bytes_make(field.ptr + 3, field.len - 3));
  OK(field_of(&field, message, "~"));
  SAME(SC_BYTES(known_signature), sc_bytes_make(field.ptr + 3, field.len - 3));
done:
  group_leave_scene(&s);
}

/* The first entry is M's, the second A's, and the others are junk. */
static void entries_begin_and_end_with_the_known_bytes(sc_test *t) {
  static const struct {
    const char *begin, *end;
  } known[] = {{"83d82e4a", "6f89091d"}, {"ee04721c", "33034597"}, {"764a3c0e", "bc741a36"}};
  group_scene s;
  sc_bytes list, entry;
  sc_bt_reader reader;
  uint8_t expected[4];
  OK(group_set_scene(&s, t->env));
  OK(group_rekey(&s));
  OK(field_of(&list, sc_group_keys_pending(s.people[person_a].group), "k"));
  sc_bt_reader_init(&reader, list);
  OK(sc_bt_enter_list(&reader));
  for (size_t i = 0; i < 3; i++) {
    OK(sc_bt_read_string(&entry, &reader));
    sc_test_hex_into(expected, sizeof expected, known[i].begin);
    SAME(SC_BYTES(expected), sc_bytes_make(entry.ptr, 4));
    sc_test_hex_into(expected, sizeof expected, known[i].end);
    SAME(SC_BYTES(expected), sc_bytes_make(entry.ptr + entry.len - 4, 4));
  }
done:
  group_leave_scene(&s);
}

static void the_next_generation_has_the_known_bytes(sc_test *t) {
  group_scene s;
  uint8_t hash[32], expected[SC_KEY_BYTES];
  int64_t generation;
  KNOWN(known_hash, "2809c5dd4ea1f23e4791f8de228ecf3246c6c813ed25563b06a7eb400e2e217a");
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  CHECK(sc_group_keys_generation(&generation, s.people[person_m].group) && generation == 0);
  OK(group_rekey(&s));
  OK(sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), sc_group_keys_pending(s.people[person_a].group)));
  SAME(SC_BYTES(known_hash), SC_BYTES(hash));
  sc_test_hex_into(expected, sizeof expected, key_1);
  SAME(SC_BYTES(expected), first_key(&s, person_a));
  sc_test_hex_into(expected, sizeof expected, key_0);
  SAME(SC_BYTES(expected), first_key(&s, person_m));
done:
  group_leave_scene(&s);
}

static void the_supplement_has_the_known_bytes(sc_test *t) {
  group_scene s;
  KNOWN(known, "64313a2332343ae39dd87172729ff8d383aff11f99a2c9a5f17fae7ef6b16a313a2b6c38323a74c7fd1006740ccef"
               "2e4795da202"
               "a804b87e0cea4ab02333c9894591445ea433558464137e53380e8ff193d2cba596ef2db734177f704f5140b2e31be"
               "72e3bbac3f8"
               "eed35cf639f3c1f711c8e9d9e1b617d265313a47693065313a7e36343a1673a8c7d1c39b16df3de1b61e7ce0b4162"
               "bd0b52a0699"
               "36570baf594c7a9f165fe099a43cbb8b94c13e64e8d90093e2ac07aa07fbecdaf9de27c1bc2c30210a65");
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(sc_group_keys_supplement(&s.other, s.people[person_a].group, &s.people[person_n].id, 1));
  SAME(SC_BYTES(known), sc_buffer_bytes(&s.other));
  CHECK(s.other.len == 198);
done:
  group_leave_scene(&s);
}

static void a_supplement_gives_new_members_all_keys(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(group_rekey_and_load(&s, "two", LOADED_MS + 1));
  OK(group_rekey(&s)); /* pending, and not yet shared */
  const sc_id recipients[] = {s.people[person_m].id, s.people[person_n].id};
  OK(sc_group_keys_supplement(&s.other, s.people[person_a].group, recipients, 2));
  OK(group_load(&s, person_n, "three", sc_buffer_bytes(&s.other), LOADED_MS + 2));
  CHECK(s.found);
  sc_group_key_list of_m = sc_group_keys_list(s.people[person_m].group);
  sc_group_key_list of_n = sc_group_keys_list(s.people[person_n].group);
  CHECK(of_m.count == 2 && of_n.count == 2);
  for (size_t i = 0; i < 2; i++)
    SAME(of_m.keys[i], of_n.keys[i]);
done:
  group_leave_scene(&s);
}

static void two_admins_produce_identical_messages(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(sc_group_keys_load_admin_key(s.people[person_m].group, SC_BYTES(s.group.ed.secret)));
  OK(sc_group_keys_rekey(s.people[person_a].group, s.members, person_count));
  OK(sc_group_keys_rekey(s.people[person_m].group, s.members, person_count));
  SAME(sc_group_keys_pending(s.people[person_a].group), sc_group_keys_pending(s.people[person_m].group));
  OK(sc_group_keys_supplement(&s.message, s.people[person_a].group, s.members, person_count));
  OK(sc_group_keys_supplement(&s.other, s.people[person_m].group, s.members, person_count));
  SAME(sc_buffer_bytes(&s.message), sc_buffer_bytes(&s.other));
done:
  group_leave_scene(&s);
}

static void every_member_is_given_the_key(sc_test *t) {
  group_scene s;
  sc_group_members *members = NULL;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *group = s.people[person_a].group;
  OK(group_rekey(&s));
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(group)));
  OK(sc_group_members_new(&members, t->env, &s.group_id, &s.group.ed, sc_bytes_make(NULL, 0)));
  for (int i = person_a; i <= person_m; i++) {
    sc_group_member member;
    sc_group_member_init(&member, &s.people[i].id);
    sc_group_member_apply(&member, i == person_m ? SC_GROUP_REMOVE : SC_GROUP_PROMOTION_ACCEPTED);
    OK(sc_group_members_set(members, &member));
  }
  OK(sc_group_keys_rekey(group, s.members, 0));
  OK(sc_group_keys_rekey_members(group, members)); /* a member marked for removal is still included */
  SAME(sc_buffer_bytes(&s.message), sc_group_keys_pending(group));
  FAILS(SC_ERR_CONFIG_READ_ONLY, sc_group_keys_rekey_members(s.people[person_m].group, members));
done:
  sc_group_members_free(members);
  group_leave_scene(&s);
}

/* Cached keys of former members must make no difference. */
static void former_members_do_not_change_the_message(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *group = s.people[person_a].group;
  OK(group_rekey(&s));
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(group)));
  OK(sc_group_keys_rekey(group, s.members, person_count));
  CHECK(!sc_bytes_same(sc_buffer_bytes(&s.message), sc_group_keys_pending(group)));
  OK(sc_group_keys_rekey(group, s.members + 1, 1));
  OK(sc_group_keys_rekey(group, s.members, 0));
  OK(group_rekey(&s));
  SAME(sc_buffer_bytes(&s.message), sc_group_keys_pending(group));
done:
  group_leave_scene(&s);
}

/* The ids need not be curve points: X25519 accepts nearly everything. */
static void make_up_ids(sc_id *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint8_t key[SC_KEY_BYTES] = {(uint8_t)(i >> 8), (uint8_t)i, 9};
    sc_id_make(&out[i], SC_ID_STANDARD, key);
  }
}

static void the_number_of_entries_is_rounded_up(sc_test *t) {
  static const size_t counts[][2] = {{0, 0}, {1, 75}, {74, 75}, {75, 75}, {76, 150}, {77, 150}, {150, 150}};
  group_scene s;
  sc_id ids[150];
  OK(group_set_scene(&s, t->env));
  make_up_ids(ids, 150);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    sc_bytes list;
    OK(sc_group_keys_rekey(s.people[person_a].group, ids, counts[i][0]));
    OK(field_of(&list, sc_group_keys_pending(s.people[person_a].group), "k"));
    CHECK(list.len == 2 + counts[i][1] * 51);
  }
done:
  group_leave_scene(&s);
}

static void members_with_unsafe_keys_are_left_out(sc_test *t) {
  group_scene s;
  sc_id members[2];
  uint8_t key[SC_KEY_BYTES];
  OK(group_set_scene(&s, t->env));
  sc_group_keys *group = s.people[person_a].group;
  sc_test_hex_into(key, sizeof key, unsafe_x25519[0]);
  sc_id_make(&members[0], SC_ID_STANDARD, key);
  members[1] = s.people[person_m].id;
  OK(sc_group_keys_rekey(group, members, 2));
  OK(group_load(&s, person_m, "one", sc_group_keys_pending(group), LOADED_MS));
  CHECK(s.found);
  OK(group_load(&s, person_a, "one", sc_group_keys_pending(group), LOADED_MS));
  OK(sc_group_keys_supplement(&s.other, group, members, 2));
  FAILS(SC_ERR_KEY_INVALID, sc_group_keys_supplement(&s.other, group, members, 1));
  CHECK(s.other.len == 0);
  sc_bytes list;
  OK(sc_group_keys_rekey(group, members, 1));
  OK(field_of(&list, sc_group_keys_pending(group), "k"));
  SAME(sc_bytes_text("le"), list);
done:
  group_leave_scene(&s);
}

static void only_admins_make_messages(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  FAILS(SC_ERR_CONFIG_READ_ONLY, sc_group_keys_rekey(s.people[person_m].group, s.members, person_count));
  FAILS(SC_ERR_CONFIG_READ_ONLY,
        sc_group_keys_supplement(&s.other, s.people[person_m].group, s.members, person_count));
  CHECK(sc_group_keys_pending(s.people[person_m].group).len == 0);
done:
  group_leave_scene(&s);
}

static void a_supplement_needs_a_confirmed_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey(&s));
  FAILS(SC_ERR_CONFIG_KEYLESS,
        sc_group_keys_supplement(&s.other, s.people[person_a].group, s.members, person_count));
done:
  group_leave_scene(&s);
}

static void member_lists_are_checked(sc_test *t) {
  static sc_id many[SC_GROUP_MAX_MEMBERS + 1];
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *group = s.people[person_a].group;
  const sc_id unsorted[] = {s.people[person_a].id, s.people[person_m].id};
  const sc_id twice[] = {s.people[person_m].id, s.people[person_m].id};
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_rekey(group, unsorted, 2));
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_rekey(group, twice, 2));
  FAILS(SC_ERR_ID_KIND, sc_group_keys_rekey(group, &s.group_id, 1));
  make_up_ids(many, SC_GROUP_MAX_MEMBERS + 1);
  FAILS(SC_ERR_TOO_LARGE, sc_group_keys_rekey(group, many, SC_GROUP_MAX_MEMBERS + 1));
  CHECK(sc_group_keys_pending(group).len == 0 && !sc_group_keys_needs_dump(group));

  OK(group_rekey_and_load(&s, "one", LOADED_MS));
  OK(sc_group_keys_supplement(&s.other, group, unsorted, 2)); /* any order */
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_supplement(&s.other, group, unsorted, 0));
  const sc_id again[] = {unsorted[0], unsorted[1], unsorted[0]};
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_supplement(&s.other, group, again, 3));
  FAILS(SC_ERR_ID_KIND, sc_group_keys_supplement(&s.other, group, &s.group_id, 1));
  FAILS(SC_ERR_TOO_LARGE, sc_group_keys_supplement(&s.other, group, many, SC_GROUP_MAX_MEMBERS + 1));
  FAILS(SC_ERR_TOO_LARGE, sc_group_keys_supplement(&s.other, group, many, SC_GROUP_MAX_MEMBERS));
  CHECK(s.other.len == 0);
done:
  group_leave_scene(&s);
}

static void a_full_group_fits_one_stored_message(sc_test *t) {
  static sc_id many[SC_GROUP_MAX_MEMBERS];
  group_scene s;
  size_t count = t->torture ? 3 : SC_GROUP_MAX_MEMBERS;
  OK(group_set_scene(&s, t->env));
  make_up_ids(many, count);
  OK(sc_group_keys_rekey(s.people[person_a].group, many, count));
  CHECK(sc_group_keys_pending(s.people[person_a].group).len <= SC_STORED_MAX_BYTES);
done:
  group_leave_scene(&s);
}

/* Adds a key of any generation to A's, as only another admin's malformed supplement could. */
SC_NODISCARD static sc_status be_given(group_scene *s, const char *generation) {
  char text[128];
  snprintf(text, sizeof text, "ld1:gi%se1:k32:abcdefghijklmnopqrstuvwxyzABCDEF1:ti5eee", generation);
  const sc_bytes nonce = sc_bytes_text("24:abcdefghijklmnopqrstuvwx");
  sc_buffer entry, list;
  sc_buffer_init(&entry, s->env);
  sc_buffer_init(&list, s->env);
  sc_status status = sc_multi_seal_entry(&entry, &s->group.x, sc_id_key(&s->people[person_m].id),
                                         sc_bytes_make(nonce.ptr + 3, 24),
                                         sc_bytes_text("SessionGroupKeyMemberKey"), sc_bytes_text(text));
  snprintf(text, sizeof text, "l%zu:", entry.len);
  if (status == SC_OK)
    status = group_append_text(&list, text);
  if (status == SC_OK)
    status = sc_buffer_append(&list, sc_buffer_bytes(&entry));
  if (status == SC_OK)
    status = group_append_text(&list, "e");
  const group_field fields[] = {{"#", nonce}, {"+", sc_buffer_bytes(&list)}, {"G", sc_bytes_text("i0e")}};
  if (status == SC_OK)
    status = group_forge(&s->other, &s->group.ed, fields, 3);
  sc_buffer_free(&entry);
  sc_buffer_free(&list);
  return status == SC_OK ? group_load(s, person_m, "odd", sc_buffer_bytes(&s->other), LOADED_MS) : status;
}

static void rekey_after(sc_test *t, const char *generation, sc_status ends) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *group = s.people[person_m].group;
  OK(be_given(&s, generation));
  CHECK(s.found);
  OK(sc_group_keys_load_admin_key(group, SC_BYTES(s.group.ed.secret)));
  FAILS(ends, sc_group_keys_rekey(group, s.members, person_count));
  if (ends == SC_OK)
    OK(group_load(&s, person_n, "next", sc_group_keys_pending(group), LOADED_MS));
done:
  group_leave_scene(&s);
}

static void out_of_range_generations_lead_to_valid_ones(sc_test *t) {
  rekey_after(t, "-7", SC_OK);
  rekey_after(t, "4611686018427387903", SC_OK);
}

static void there_is_a_last_generation(sc_test *t) {
  rekey_after(t, "4611686018427387904", SC_ERR_GROUP_GENERATION);
}

SUITE(config_group_keys_rekey, "config/group_keys_rekey",
      {"the worked example is reproduced", the_worked_example_is_reproduced},
      {"entries begin and end with the known bytes", entries_begin_and_end_with_the_known_bytes},
      {"the next generation has the known bytes", the_next_generation_has_the_known_bytes},
      {"the supplement has the known bytes", the_supplement_has_the_known_bytes},
      {"a supplement gives new members all keys", a_supplement_gives_new_members_all_keys},
      {"two admins produce identical messages", two_admins_produce_identical_messages},
      {"every member is given the key", every_member_is_given_the_key},
      {"former members do not change the message", former_members_do_not_change_the_message},
      {"the number of entries is rounded up", the_number_of_entries_is_rounded_up},
      {"members with unsafe keys are left out", members_with_unsafe_keys_are_left_out},
      {"only admins make messages", only_admins_make_messages},
      {"a supplement needs a confirmed key", a_supplement_needs_a_confirmed_key},
      {"member lists are checked", member_lists_are_checked},
      {"a full group fits one stored message", a_full_group_fits_one_stored_message},
      {"out-of-range generations lead to valid ones", out_of_range_generations_lead_to_valid_ones},
      {"there is a last generation", there_is_a_last_generation});
