#include "crypto/multi_seal.h"
#include "group_scene.h"

#define NONCE "abcdefghijklmnopqrstuvwx"

/* A group with one key, and the parts of its message to build others from. */
typedef struct scene {
  group_scene g;
  sc_bytes nonce, wrapped, list; /* encoded, as they are in the message */
  sc_buffer genuine;
  sc_buffer part;
} scene;

SC_NODISCARD static sc_status raw_field(sc_bytes *out, sc_bytes message, const char *key) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, message);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = sc_bt_find_key(&reader, sc_bytes_text(key));
  return status == SC_OK ? sc_bt_read_raw(out, &reader) : status;
}

SC_NODISCARD static sc_status set_scene(scene *out, const sc_env *env) {
  *out = (scene){.nonce = {NULL, 0}};
  sc_buffer_init(&out->genuine, env);
  sc_buffer_init(&out->part, env);
  sc_status status = group_set_scene(&out->g, env);
  if (status == SC_OK)
    status = group_rekey(&out->g);
  if (status == SC_OK)
    status = sc_buffer_append(&out->genuine, sc_group_keys_pending(out->g.people[person_a].group));
  if (status == SC_OK)
    status = raw_field(&out->nonce, sc_buffer_bytes(&out->genuine), "#");
  if (status == SC_OK)
    status = raw_field(&out->wrapped, sc_buffer_bytes(&out->genuine), "K");
  return status == SC_OK ? raw_field(&out->list, sc_buffer_bytes(&out->genuine), "k") : status;
}

static void leave_scene(scene *scene) {
  group_leave_scene(&scene->g);
  sc_buffer_free(&scene->genuine);
  sc_buffer_free(&scene->part);
}

/* Loads the message in `part` as one person. */
SC_NODISCARD static sc_status load(scene *s, int person) {
  return group_load(&s->g, person, "hash", sc_buffer_bytes(&s->part), LOADED_MS);
}

/* Loads a message of these fields that the group has signed. */
SC_NODISCARD static sc_status load_forged(scene *s, int person, const group_field *fields, size_t count) {
  sc_status status = group_forge(&s->part, &s->g.group.ed, fields, count);
  return status == SC_OK ? load(s, person) : status;
}

static bool is_untouched(const sc_group_keys *keys) {
  return sc_group_keys_active_count(keys) == 0 && sc_group_keys_list(keys).count == 0 &&
         !sc_group_keys_needs_dump(keys) && sc_group_keys_version(keys) == 0;
}

/* Loading fails with this status for A, M and N, and leaves M and N unchanged. */
#define REJECTED(expected, fields)                                                                           \
  do {                                                                                                       \
    for (int person = 0; person < person_count; person++) {                                                  \
      FAILS((expected), load_forged(&s, person, (fields), sizeof(fields) / sizeof(fields)[0]));              \
      CHECK(!s.g.found);                                                                                     \
      CHECK(sc_group_keys_active_count(s.g.people[person].group) == 0);                                      \
      CHECK(person == person_a || is_untouched(s.g.people[person].group));                                   \
    }                                                                                                        \
  } while (0)

static const char *const hash_of_one = "one";

static void members_and_admins_decrypt_the_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, hash_of_one, LOADED_MS));
  OK(group_load(&s, person_n, hash_of_one, sc_buffer_bytes(&s.message), LOADED_MS));
  CHECK(!s.found); /* N is no member yet */
  sc_group_key_list of_a = sc_group_keys_list(s.people[person_a].group);
  sc_group_key_list of_m = sc_group_keys_list(s.people[person_m].group);
  CHECK(of_a.count == 1 && of_m.count == 1 && sc_group_keys_list(s.people[person_n].group).count == 0);
  SAME(of_a.keys[0], of_m.keys[0]);
  for (int i = person_a; i <= person_m; i++) {
    const sc_group_keys *keys = s.people[i].group;
    CHECK(sc_group_keys_active_count(keys) == 1 && sc_group_keys_needs_dump(keys));
    SAME(sc_bytes_text(hash_of_one), sc_group_keys_active(keys, 0).hash);
    SAME(sc_buffer_bytes(&s.message), sc_group_keys_active(keys, 0).content);
  }
done:
  group_leave_scene(&s);
}

static void a_hand_made_message_is_loaded(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const group_field fields[] = {{"#", s.nonce}, {"G", sc_bytes_text("i0e")}, {"K", s.wrapped}, {"k", s.list}};
  for (int person = 0; person < person_count; person++) {
    OK(load_forged(&s, person, fields, 4));
    CHECK(s.g.found == (person != person_n));
  }
  SAME(sc_buffer_bytes(&s.genuine), sc_buffer_bytes(&s.part));
done:
  leave_scene(&s);
}

static void unknown_fields_are_ignored(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const sc_bytes odd = sc_bytes_text("d1:ai1ee");
  const group_field fields[] = {{"!", odd}, {"#", s.nonce},   {"A", odd}, {"G", sc_bytes_text("i0e")},
                                {"H", odd}, {"K", s.wrapped}, {"L", odd}, {"k", s.list},
                                {"z", odd}};
  OK(load_forged(&s, person_m, fields, sizeof fields / sizeof fields[0]));
  CHECK(s.g.found);
done:
  leave_scene(&s);
}

static void missing_or_malformed_fields_are_refused(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const sc_bytes g = sc_bytes_text("i0e"), text = sc_bytes_text("1:x"),
                 nonce23 = sc_bytes_text("23:abcdefghijklmnopqrstuvw");
  const group_field without_nonce[] = {{"G", g}, {"K", s.wrapped}, {"k", s.list}};
  const group_field short_nonce[] = {{"#", nonce23}, {"G", g}, {"K", s.wrapped}, {"k", s.list}};
  const group_field without_generation[] = {{"#", s.nonce}, {"K", s.wrapped}, {"k", s.list}};
  const group_field text_generation[] = {{"#", s.nonce}, {"G", text}, {"K", s.wrapped}, {"k", s.list}};
  const group_field without_wrapped[] = {{"#", s.nonce}, {"G", g}, {"k", s.list}};
  const group_field short_wrapped[] = {{"#", s.nonce}, {"G", g}, {"K", text}, {"k", s.list}};
  const group_field without_list[] = {{"#", s.nonce}, {"G", g}, {"K", s.wrapped}};
  const group_field text_list[] = {{"#", s.nonce}, {"G", g}, {"K", s.wrapped}, {"k", text}};
  const group_field out_of_order[] = {{"G", g}, {"#", s.nonce}, {"K", s.wrapped}, {"k", s.list}};
  const group_field twice[] = {{"#", s.nonce}, {"#", s.nonce}, {"G", g}, {"K", s.wrapped}, {"k", s.list}};
  REJECTED(SC_ERR_GROUP_KEYS, without_nonce);
  REJECTED(SC_ERR_GROUP_KEYS, short_nonce);
  REJECTED(SC_ERR_GROUP_KEYS, without_generation);
  REJECTED(SC_ERR_BT_TYPE, text_generation);
  REJECTED(SC_ERR_GROUP_KEYS, without_wrapped);
  REJECTED(SC_ERR_GROUP_KEYS, short_wrapped);
  REJECTED(SC_ERR_GROUP_KEYS, without_list);
  REJECTED(SC_ERR_BT_TYPE, text_list);
  REJECTED(SC_ERR_GROUP_KEYS, out_of_order);
  REJECTED(SC_ERR_BT_ORDER, twice);
done:
  leave_scene(&s);
}

static void entries_have_one_size_and_come_in_multiples(sc_test *t) {
  static const struct {
    size_t count, len;
    sc_status status;
  } lists[] = {{0, 48, SC_OK},
               {75, 48, SC_OK},
               {150, 48, SC_OK},
               {74, 48, SC_ERR_GROUP_KEYS},
               {76, 48, SC_ERR_GROUP_KEYS},
               {1, 48, SC_ERR_GROUP_KEYS},
               {75, 47, SC_ERR_GROUP_KEYS},
               {75, 49, SC_ERR_GROUP_KEYS},
               {75, 0, SC_ERR_GROUP_KEYS}};
  scene s;
  sc_buffer list;
  sc_buffer_init(&list, t->env);
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    sc_buffer_clear(&list);
    OK(group_append_zeros(&list, lists[i].count, lists[i].len));
    const group_field fields[] = {
        {"#", s.nonce}, {"G", sc_bytes_text("i0e")}, {"K", s.wrapped}, {"k", sc_buffer_bytes(&list)}};
    FAILS(lists[i].status, load_forged(&s, person_m, fields, 4));
    CHECK(!s.g.found);
  }
done:
  sc_buffer_free(&list);
  leave_scene(&s);
}

static void generations_have_limits(sc_test *t) {
  static const struct {
    const char *generation;
    sc_status status;
  } cases[] = {{"i-1e", SC_ERR_GROUP_GENERATION},
               {"i4611686018427387904e", SC_OK},
               {"i4611686018427387905e", SC_ERR_GROUP_GENERATION},
               {"i9223372036854775808e", SC_ERR_BT_RANGE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int supplement = 0; supplement < 2; supplement++) {
      scene s;
      OK(set_scene(&s, t->env));
      const sc_bytes generation = sc_bytes_text(cases[i].generation);
      const group_field rekey[] = {{"#", s.nonce}, {"G", generation}, {"K", s.wrapped}, {"k", s.list}};
      const group_field given[] = {{"#", s.nonce}, {"+", sc_bytes_text("le")}, {"G", generation}};
      FAILS(cases[i].status,
            supplement ? load_forged(&s, person_m, given, 3) : load_forged(&s, person_m, rekey, 4));
    done:
      leave_scene(&s);
      if (t->failed || t->out_of_memory)
        return;
    }
  }
}

static void the_signature_must_be_present_valid_and_last(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const group_field fields[] = {{"#", s.nonce}, {"G", sc_bytes_text("i0e")}, {"K", s.wrapped}, {"k", s.list}};
  OK(group_forge(&s.part, &s.g.group.ed, fields, 4));
  sc_buffer_truncate(&s.part, s.part.len - strlen("1:~64:") - SC_SIGNATURE_BYTES - 1);
  OK(group_append_text(&s.part, "e"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  sc_buffer_truncate(&s.part, s.part.len - 1);
  OK(group_append_text(&s.part, "1:~3:abce"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  OK(group_forge(&s.part, &s.g.people[person_m].keys.ed, fields, 4));
  FAILS(SC_ERR_SIGNATURE, load(&s, person_m));
  OK(group_forge(&s.part, &s.g.group.ed, fields, 4));
  s.part.ptr[s.nonce.len] ^= 1; /* in the nonce */
  FAILS(SC_ERR_SIGNATURE, load(&s, person_m));
  CHECK(is_untouched(s.g.people[person_m].group));
done:
  leave_scene(&s);
}

static void nothing_may_follow_the_signature(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(sc_buffer_append(&s.part, sc_buffer_bytes(&s.genuine)));
  OK(group_append_text(&s.part, "x"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  sc_buffer_truncate(&s.part, s.genuine.len - 1);
  OK(group_append_text(&s.part, "2:~~i1ee"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  sc_buffer_truncate(&s.part, s.genuine.len - 1);
  FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  CHECK(is_untouched(s.g.people[person_m].group));
done:
  leave_scene(&s);
}

/* The signed text is the beginning of a message whose last value only looks like a signature. */
static void a_truncated_signature_is_refused(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const group_field fields[] = {{"#", s.nonce},
                                {"G", sc_bytes_text("i0e")},
                                {"K", s.wrapped},
                                {"k", s.list},
                                {"~", sc_bytes_text("70:")}};
  FAILS(SC_ERR_GROUP_KEYS, load_forged(&s, person_m, fields, 5));
  CHECK(is_untouched(s.g.people[person_m].group));
done:
  leave_scene(&s);
}

/* In a message with every error, the bad signature is reported. */
static void the_signature_is_checked_first(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const group_field fields[] = {{"#", sc_bytes_text("i1e")}, {"+", sc_bytes_text("i1e")}};
  OK(group_forge(&s.part, &s.g.people[person_m].keys.ed, fields, 2));
  FAILS(SC_ERR_SIGNATURE, load(&s, person_m));
  FAILS(SC_ERR_BT_TYPE, load_forged(&s, person_m, fields, 2));
done:
  leave_scene(&s);
}

static void an_invalid_message_is_refused(sc_test *t) {
  static const char *const texts[] = {"", "x", "le", "i1e", "d", "de"};
  scene s;
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    sc_buffer_clear(&s.part);
    OK(group_append_text(&s.part, texts[i]));
    FAILS(SC_ERR_CONFIG_UNSIGNED, load(&s, person_m));
  }
  CHECK(is_untouched(s.g.people[person_m].group));
done:
  leave_scene(&s);
}

static void members_keep_messages_for_others_alive(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(group_load(&s.g, person_m, hash_of_one, sc_buffer_bytes(&s.genuine), LOADED_MS));
  OK(group_append_zeros(&s.part, 0, 0));
  const group_field fields[] = {
      {"#", s.nonce}, {"G", sc_bytes_text("i7e")}, {"K", s.wrapped}, {"k", sc_bytes_text("le")}};
  for (int person = person_m; person <= person_n; person++) {
    OK(load_forged(&s, person, fields, 4));
    CHECK(!s.g.found);
  }
  CHECK(sc_group_keys_active_count(s.g.people[person_m].group) == 2);
  CHECK(sc_group_keys_list(s.g.people[person_m].group).count == 1);
  CHECK(sc_group_keys_active_count(s.g.people[person_n].group) ==
        0); /* a client without a key keeps no message */
done:
  leave_scene(&s);
}

static void an_admin_must_decrypt_the_admin_key(sc_test *t) {
  scene s;
  sc_buffer wrapped;
  sc_buffer_init(&wrapped, t->env);
  OK(set_scene(&s, t->env));
  OK(sc_buffer_append(&wrapped, s.wrapped));
  wrapped.ptr[10] ^= 1;
  const group_field fields[] = {
      {"#", s.nonce}, {"G", sc_bytes_text("i0e")}, {"K", sc_buffer_bytes(&wrapped)}, {"k", s.list}};
  FAILS(SC_ERR_DECRYPT, load_forged(&s, person_a, fields, 4));
  CHECK(!s.g.found && sc_group_keys_active_count(s.g.people[person_a].group) == 0);
  OK(load_forged(&s, person_m, fields, 4)); /* only admins notice */
  CHECK(s.g.found);
done:
  sc_buffer_free(&wrapped);
  leave_scene(&s);
}

static void loading_again_changes_nothing(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, hash_of_one, LOADED_MS));
  sc_group_keys *keys = s.people[person_m].group;
  OK(sc_group_keys_dump(&s.other, keys, SC_GROUP_DUMP_MESSAGES));
  uint64_t version = sc_group_keys_version(keys);
  OK(group_load(&s, person_m, hash_of_one, sc_buffer_bytes(&s.message), LOADED_MS + 1));
  CHECK(s.found && !sc_group_keys_needs_dump(keys) && sc_group_keys_version(keys) == version);
  OK(group_load(&s, person_m, "another hash", sc_buffer_bytes(&s.message), LOADED_MS + 1));
  CHECK(s.found && sc_group_keys_needs_dump(keys) && sc_group_keys_version(keys) == version);
  CHECK(sc_group_keys_active_count(keys) == 2 && sc_group_keys_list(keys).count == 1);
done:
  group_leave_scene(&s);
}

static void an_old_message_is_ignored(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, hash_of_one, LOADED_MS));
  OK(sc_buffer_append(&s.other, sc_buffer_bytes(&s.message)));
  OK(group_rekey_and_load(&s, "two", LOADED_MS + DAY_MS));
  OK(group_rekey_and_load(&s, "three", LOADED_MS + 62 * DAY_MS));
  sc_group_keys *keys = s.people[person_m].group;
  CHECK(sc_group_keys_list(keys).count == 2 && sc_group_keys_active_count(keys) == 2);
  OK(sc_group_keys_dump(&s.message, keys, SC_GROUP_DUMP_KEYS));
  OK(group_load(&s, person_m, hash_of_one, sc_buffer_bytes(&s.other), LOADED_MS));
  CHECK(s.found); /* it held a key, which has expired */
  CHECK(!sc_group_keys_needs_dump(keys));
  CHECK(sc_group_keys_list(keys).count == 2 && sc_group_keys_active_count(keys) == 2);
done:
  group_leave_scene(&s);
}

static void arguments_have_limits(sc_test *t) {
  static const uint8_t zeros[SC_GROUP_KEYS_MAX_BYTES + 1];
  scene s;
  bool found;
  OK(set_scene(&s, t->env));
  sc_group_keys *keys = s.g.people[person_m].group;
  const sc_bytes message = sc_buffer_bytes(&s.genuine), hash = sc_bytes_text("hash");
  const sc_bytes long_hash = sc_bytes_make(zeros, SC_CONFIG_MAX_HASH_BYTES + 1);
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_load(&found, keys, sc_bytes_text(""), message, LOADED_MS, UINT64_MAX));
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_load(&found, keys, long_hash, message, LOADED_MS, UINT64_MAX));
  FAILS(SC_ERR_ARGUMENT, sc_group_keys_load(&found, keys, hash, message, SC_GROUP_TIME_END_MS, UINT64_MAX));
  FAILS(SC_ERR_TOO_LARGE, sc_group_keys_load(&found, keys, hash, SC_BYTES(zeros), LOADED_MS, UINT64_MAX));
  FAILS(SC_ERR_CONFIG_UNSIGNED,
        sc_group_keys_load(&found, keys, hash, sc_bytes_make("l", 1), SC_GROUP_TIME_END_MS - 1, UINT64_MAX));
  CHECK(is_untouched(keys));
done:
  leave_scene(&s);
}

static void the_key_list_may_fill_the_largest_message(sc_test *t) {
  scene s;
  sc_buffer list;
  sc_buffer_init(&list, t->env);
  OK(set_scene(&s, t->env));
  OK(group_append_zeros(&list, 1950, 48));
  const group_field fields[] = {
      {"#", s.nonce}, {"G", sc_bytes_text("i0e")}, {"K", s.wrapped}, {"k", sc_buffer_bytes(&list)}};
  OK(load_forged(&s, person_m, fields, 4));
  CHECK(s.part.len <= SC_GROUP_KEYS_MAX_BYTES && s.part.len > SC_GROUP_KEYS_MAX_BYTES - 400);
done:
  sc_buffer_free(&list);
  leave_scene(&s);
}

/* Supplements. */

/* Appends an encoded entry that gives a member this plaintext under the nonce of these tests. */
SC_NODISCARD static sc_status append_entry(sc_buffer *out, scene *s, int recipient, const char *plaintext) {
  sc_buffer entry;
  char head[24];
  sc_buffer_init(&entry, s->g.env);
  sc_status status =
      sc_multi_seal_entry(&entry, &s->g.group.x, sc_id_key(&s->g.people[recipient].id), sc_bytes_text(NONCE),
                          sc_bytes_text("SessionGroupKeyMemberKey"), sc_bytes_text(plaintext));
  snprintf(head, sizeof head, "%zu:", entry.len);
  if (status == SC_OK)
    status = group_append_text(out, head);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_buffer_bytes(&entry));
  sc_buffer_free(&entry);
  return status;
}

/* Loads a supplement with an entry for others, one for M (or for A, when A loads it), and one more for others
 * of `rest` bytes. */
SC_NODISCARD static sc_status load_given(scene *s, int person, const char *plaintext, size_t rest) {
  sc_buffer list;
  char tail[160];
  sc_buffer_init(&list, s->g.env);
  snprintf(tail, sizeof tail, "%zu:%0*d", rest, (int)rest, 0);
  sc_status status =
      group_append_text(&list, "l68:00000000000000000000000000000000000000000000000000000000000000000000");
  if (status == SC_OK)
    status = append_entry(&list, s, person == person_a ? person_a : person_m, plaintext);
  if (status == SC_OK)
    status = group_append_text(&list, tail);
  if (status == SC_OK)
    status = group_append_text(&list, "e");
  const group_field fields[] = {
      {"#", sc_bytes_text("24:" NONCE)}, {"+", sc_buffer_bytes(&list)}, {"G", sc_bytes_text("i9e")}};
  if (status == SC_OK)
    status = load_forged(s, person, fields, 3);
  sc_buffer_free(&list);
  return status;
}

#define GIVEN(generation, key, time) "d1:gi" generation "e1:k32:" key "1:ti" time "ee"
#define SOME_KEY "abcdefghijklmnopqrstuvwxyzABCDEF"
#define OTHER_KEY "ABCDEFabcdefghijklmnopqrstuvwxyz"

static void a_supplement_brings_keys_with_their_own_times(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(load_given(&s, person_m, "l" GIVEN("3", SOME_KEY, "5") GIVEN("4", OTHER_KEY, "7") "e", 70));
  CHECK(s.g.found);
  sc_group_keys *keys = s.g.people[person_m].group;
  sc_group_key_list list = sc_group_keys_list(keys);
  CHECK(list.count == 2 && sc_group_keys_active_count(keys) == 1);
  SAME(sc_bytes_text(OTHER_KEY), list.keys[0]);
  SAME(sc_bytes_text(SOME_KEY), list.keys[1]);
  OK(sc_group_keys_dump(&s.part, keys, SC_GROUP_DUMP_KEYS));
  SAME(sc_bytes_text("d1:Alli3e4:hasheli4e4:hashee1:Ll" GIVEN("3", SOME_KEY, "5")
                         GIVEN("4", OTHER_KEY, "7") "ee"),
       sc_buffer_bytes(&s.part));
done:
  leave_scene(&s);
}

static void an_admin_needs_no_supplement_and_keeps_it(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  OK(group_load(&s.g, person_a, hash_of_one, sc_buffer_bytes(&s.genuine), LOADED_MS));
  OK(load_given(&s, person_a, "l" GIVEN("3", SOME_KEY, "5") "e", 70));
  CHECK(!s.g.found && sc_group_keys_active_count(s.g.people[person_a].group) == 2);
  OK(load_given(&s, person_a, "not a list, but as long as the shortest one that there is",
                70)); /* an admin does not parse the content */
  OK(load_given(&s, person_n, "l" GIVEN("3", SOME_KEY, "5") "e", 70));
  CHECK(!s.g.found && is_untouched(s.g.people[person_n].group));
done:
  leave_scene(&s);
}

static void a_malformed_supplement_is_refused(sc_test *t) {
  static const char *const wrong[] = {
      "not a list of keys at all, but long enough to be one, I should hope",
      "d1:gi3e1:k32:" SOME_KEY "1:ti5ee",
      "l" GIVEN("3", SOME_KEY, "5") "ex",
      "l" GIVEN("3", SOME_KEY, "5"),
      "ld1:gi3e1:ti5eee 0123456789012345678901234567890123456789012345678",
      "ld1:gi3e1:k31:abcdefghijklmnopqrstuvwxyzABCDE1:ti5eee",
      "ld1:gi3e1:k32:" SOME_KEY "1:z9:unrelatedee",
      "ld1:a9:unrelated1:k32:" SOME_KEY "1:ti5eee",
      "l" GIVEN("3", SOME_KEY, "-1") "e",
      "l" GIVEN("3", SOME_KEY, "9223372036854775808") "e",
      "l" GIVEN("4611686018427387905", SOME_KEY, "5") "e",
      "l" GIVEN("3", SOME_KEY, "5") "i1ee",
  };
  scene s;
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    FAILS(SC_ERR_GROUP_SUPPLEMENT, load_given(&s, person_m, wrong[i], 70));
    CHECK(!s.g.found && is_untouched(s.g.people[person_m].group));
  }
done:
  leave_scene(&s);
}

static void supplement_entries_have_a_minimum_size(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  FAILS(SC_ERR_GROUP_KEYS, load_given(&s, person_m, "l" GIVEN("3", SOME_KEY, "5") "e", 67));
  CHECK(is_untouched(s.g.people[person_m].group));
  OK(load_given(&s, person_m, "l" GIVEN("3", SOME_KEY, "5") "e", 68));
  CHECK(s.g.found);
done:
  leave_scene(&s);
}

static void a_supplement_names_its_generation(sc_test *t) {
  scene s;
  OK(set_scene(&s, t->env));
  const group_field without[] = {{"#", s.nonce}, {"+", sc_bytes_text("le")}};
  REJECTED(SC_ERR_GROUP_KEYS, without);
done:
  leave_scene(&s);
}

static void the_pending_key_is_confirmed_by_its_message(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *keys = s.people[person_a].group;
  OK(group_rekey(&s));
  CHECK(sc_group_keys_list(keys).count == 1 && sc_group_keys_pending(keys).len > 0);
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(keys)));
  uint64_t version = sc_group_keys_version(keys);
  OK(group_load(&s, person_a, hash_of_one, sc_buffer_bytes(&s.message), LOADED_MS));
  CHECK(sc_group_keys_pending(keys).len == 0 && sc_group_keys_list(keys).count == 1);
  CHECK(sc_group_keys_version(keys) != version);
done:
  group_leave_scene(&s);
}

/* Two admins rekey at once: an equal generation calls for another rekey, a later one cancels the pending key.
 */
static void admins_who_rekey_at_once_settle_on_another_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *a = s.people[person_a].group, *m = s.people[person_m].group;
  OK(sc_group_keys_load_admin_key(m, SC_BYTES(s.group.ed.secret)));
  OK(sc_group_keys_rekey(a, s.members, 2));
  OK(sc_group_keys_rekey(m, s.members, person_count));
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(a)));
  OK(sc_buffer_append(&s.other, sc_group_keys_pending(m)));

  OK(group_load(&s, person_a, "of M", sc_buffer_bytes(&s.other), LOADED_MS));
  CHECK(sc_group_keys_pending(a).len > 0 && !sc_group_keys_needs_rekey(a)); /* ours has not arrived yet */
  OK(group_load(&s, person_a, "of A", sc_buffer_bytes(&s.message), LOADED_MS + 1));
  OK(group_load(&s, person_m, "of M", sc_buffer_bytes(&s.other), LOADED_MS));
  OK(group_load(&s, person_m, "of A", sc_buffer_bytes(&s.message), LOADED_MS + 1));
  CHECK(sc_group_keys_needs_rekey(a) && sc_group_keys_needs_rekey(m));
  OK(group_load(&s, person_n, "of M", sc_buffer_bytes(&s.other), LOADED_MS));
  OK(group_load(&s, person_n, "of A", sc_buffer_bytes(&s.message), LOADED_MS));
  CHECK(sc_group_keys_list(s.people[person_n].group).count == 2);
  CHECK(!sc_group_keys_needs_rekey(s.people[person_n].group));
  SAME(sc_group_keys_list(a).keys[0], sc_group_keys_list(m).keys[0]);

  OK(sc_group_keys_rekey(a, s.members, person_count));
  OK(sc_group_keys_rekey(m, s.members, person_count));
  SAME(sc_group_keys_pending(a), sc_group_keys_pending(m));
  sc_buffer_clear(&s.message);
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(a)));
  OK(group_load(&s, person_a, "of both", sc_buffer_bytes(&s.message), LOADED_MS + 2));
  CHECK(!sc_group_keys_needs_rekey(a) && sc_group_keys_pending(a).len == 0);
done:
  group_leave_scene(&s);
}

/* If a node dates a rekeying months ahead, the first key expires only after that time. */
static void a_future_time_expires_no_keys(sc_test *t) {
  static const uint64_t now = 1700000000000, later = now + 2 * SC_GROUP_KEY_EXPIRY_MS;
  group_scene s;
  sc_group_keys **keys = &s.people[person_m].group;
  OK(group_set_scene(&s, t->env));
  OK(group_rekey_and_load(&s, "hash1", now));
  OK(group_rekey_and_load(&s, "hash2", now));
  for (int i = 0; i < 2; i++) {
    OK(group_rekey(&s));
    OK(sc_group_keys_load(&s.found, *keys, sc_bytes_text(i == 0 ? "hash3" : "hash4"),
                          sc_group_keys_pending(s.people[person_a].group), later, i == 0 ? now : later));
    OK(group_load(&s, person_a, i == 0 ? "hash3" : "hash4", sc_group_keys_pending(s.people[person_a].group),
                  now));
    CHECK(s.found && sc_group_keys_list(*keys).count == 3);
  }
done:
  group_leave_scene(&s);
}

static void a_later_generation_cancels_the_pending_key(sc_test *t) {
  group_scene s;
  OK(group_set_scene(&s, t->env));
  sc_group_keys *a = s.people[person_a].group, *m = s.people[person_m].group;
  OK(sc_group_keys_load_admin_key(m, SC_BYTES(s.group.ed.secret)));
  OK(sc_group_keys_rekey(m, s.members, person_count));
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(m)));
  OK(group_load(&s, person_m, "first", sc_buffer_bytes(&s.message), LOADED_MS));
  OK(sc_group_keys_rekey(m, s.members, 1));
  OK(group_rekey(&s)); /* A has not seen it, and makes a first key too */
  CHECK(sc_group_keys_pending(a).len > 0);
  sc_buffer_clear(&s.message);
  OK(sc_buffer_append(&s.message, sc_group_keys_pending(m)));
  OK(group_load(&s, person_a, "second", sc_buffer_bytes(&s.message), LOADED_MS + 1));
  CHECK(sc_group_keys_pending(a).len == 0 && sc_group_keys_list(a).count == 1);
done:
  group_leave_scene(&s);
}

SUITE(config_group_keys_load, "config/group_keys_load",
      {"members and admins decrypt the key", members_and_admins_decrypt_the_key},
      {"a hand-made message is loaded", a_hand_made_message_is_loaded},
      {"unknown fields are ignored", unknown_fields_are_ignored},
      {"missing or malformed fields are refused", missing_or_malformed_fields_are_refused},
      {"entries have one size and come in multiples", entries_have_one_size_and_come_in_multiples},
      {"generations have limits", generations_have_limits},
      {"the signature must be present, valid and last", the_signature_must_be_present_valid_and_last},
      {"nothing may follow the signature", nothing_may_follow_the_signature},
      {"a truncated signature is refused", a_truncated_signature_is_refused},
      {"the signature is checked first", the_signature_is_checked_first},
      {"an invalid message is refused", an_invalid_message_is_refused},
      {"members keep messages for others alive", members_keep_messages_for_others_alive},
      {"an admin must decrypt the admin key", an_admin_must_decrypt_the_admin_key},
      {"loading again changes nothing", loading_again_changes_nothing},
      {"an old message is ignored", an_old_message_is_ignored},
      {"arguments have limits", arguments_have_limits},
      {"the key list may fill the largest message", the_key_list_may_fill_the_largest_message},
      {"a supplement brings keys with their own times", a_supplement_brings_keys_with_their_own_times},
      {"an admin needs no supplement and keeps it", an_admin_needs_no_supplement_and_keeps_it},
      {"a malformed supplement is refused", a_malformed_supplement_is_refused},
      {"supplement entries have a minimum size", supplement_entries_have_a_minimum_size},
      {"a supplement names its generation", a_supplement_names_its_generation},
      {"the pending key is confirmed by its message", the_pending_key_is_confirmed_by_its_message},
      {"admins who rekey at once settle on another key", admins_who_rekey_at_once_settle_on_another_key},
      {"a future time expires no keys", a_future_time_expires_no_keys},
      {"a later generation cancels the pending key", a_later_generation_cancels_the_pending_key});
