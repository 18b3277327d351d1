#include <stdio.h>

#include "config/message.h"
#include "revision.h"

#define HASH_A "32:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "32:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static sc_status merge(sc_config_message **out, sc_config_merged *how, sc_config_message **messages,
                       size_t count, const sc_config_rules *rules) {
  return sc_config_message_merge(out, how, (const sc_config_message *const *)messages, count, rules);
}

static void written_is_same(sc_test *t, const sc_config_message *a, const sc_config_message *b,
                            const sc_config_rules *rules) {
  sc_buffer bytes[2];
  sc_buffer_init(&bytes[0], t->env);
  sc_buffer_init(&bytes[1], t->env);
  OK(sc_config_message_write(&bytes[0], a, rules));
  OK(sc_config_message_write(&bytes[1], b, rules));
  SAME(sc_buffer_bytes(&bytes[0]), sc_buffer_bytes(&bytes[1]));
done:
  sc_buffer_free(&bytes[0]);
  sc_buffer_free(&bytes[1]);
}

static void data_is(sc_test *t, const char *expected, const sc_config_message *message) {
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  OK(sc_config_message_data(&data, message));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&data));
done:
  sc_buffer_free(&data);
}

/* A failed claim in a helper also ends the test. */
#define STOP_IF_FAILED                                                                                       \
  if (t->failed || t->out_of_memory)                                                                         \
  goto done

/* The worked example: a profile, and concurrent edits by two devices. */
typedef struct conflict {
  sc_config_message *base, *a, *b;
} conflict;

static void free_conflict(conflict *c) {
  sc_config_message_free(c->base);
  sc_config_message_free(c->a);
  sc_config_message_free(c->b);
}

static sc_status make_base(sc_config_message **out, const sc_env *env) {
  sc_config_message *initial, *edited = NULL;
  *out = NULL;
  sc_status status = begin(&initial, env);
  if (status == SC_OK)
    status = sc_config_message_increment(&edited, initial, NULL);
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("+"), sc_config_integer(9));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("n"), TEXT("Kallie"));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("p"), TEXT("http://example.org/omg-pic-123.bmp"));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("q"), TEXT("secret78901234567890123456789012"));
  if (status == SC_OK)
    status = send(out, edited, NULL, env);
  sc_config_message_free(edited);
  sc_config_message_free(initial);
  return status;
}

static sc_status make_conflict(conflict *out, const sc_env *env) {
  static const char key[] = "qwert\0yuio1234567890123456789012";
  sc_config_message *edited = NULL;
  *out = (conflict){0};
  sc_status status = make_base(&out->base, env);
  if (status == SC_OK)
    status = follow(&out->a, out->base, PATH1("n"), TEXT("Nibbler"), NULL, env);
  if (status == SC_OK)
    status = sc_config_message_increment(&edited, out->base, NULL);
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("n"), TEXT("Raz"));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("p"), TEXT("http://new.example.com/pic"));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("q"), sc_config_string(sc_bytes_make(key, sizeof key - 1)));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("e"), sc_config_integer(86400));
  if (status == SC_OK)
    status = sc_config_message_set(edited, PATH1("M"), sc_config_integer(1));
  if (status == SC_OK)
    status = send(&out->b, edited, NULL, env);
  sc_config_message_free(edited);
  return status;
}

static void hash_is(sc_test *t, const char *expected, const sc_config_message *message,
                    const sc_config_rules *rules) {
  uint8_t hash[SC_CONFIG_HASH_BYTES], known[SC_CONFIG_HASH_BYTES];
  sc_test_hex_into(known, sizeof known, expected);
  OK(sc_config_message_hash(hash, message, rules));
  SAME(SC_BYTES(known), SC_BYTES(hash));
done:;
}

/* A client without edits of its own writes everything as changed, although nothing has. */
static void the_worked_example_is_merged_with_a_full_diff(sc_test *t) {
  conflict c;
  sc_config_message *merged = NULL, *pushed = NULL;
  sc_config_merged how;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(make_conflict(&c, t->env));
  hash_is(t, "4be39976ba4495c5d8895250e22a0b5126257f6e8d99499ce66c57d956af7f24", c.b, NULL);
  STOP_IF_FAILED;
  OK(merge(&merged, &how, (sc_config_message *[]){c.a, c.b}, 2, NULL));
  CHECK(how.resolved && sc_config_message_seqno(merged) == 3);
  OK(sc_config_message_write(&bytes, merged, NULL));
  CHECK(bytes.len == 345);
  hash_is(t, "f4d66993cd7c00b1ccf3d0a1bb667f5c70cdc70d16e8e4d5d0acd1b853d1dd66", merged, NULL);
  STOP_IF_FAILED;
  OK(sc_config_message_reopen(&pushed, merged, true));
  CHECK(sc_config_message_seqno(pushed) == 3);
  OK(sc_config_message_write(&bytes, pushed, NULL));
  CHECK(bytes.len == 375);
  hash_is(t, "4c7bc1cc830a0a39df677619fc1c0028268d87013a4a237d184fe3d74cf65c4b", pushed, NULL);
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(merged);
  sc_config_message_free(pushed);
  free_conflict(&c);
}

/* With pending edits, only those and later ones are marked as changed. */
static void a_merge_can_be_edited_with_a_diff_of_the_later_edits(sc_test *t) {
  conflict c;
  sc_config_message *merged = NULL, *edited = NULL;
  sc_config_merged how;
  sc_buffer diff;
  sc_buffer_init(&diff, t->env);
  OK(make_conflict(&c, t->env));
  OK(merge(&merged, &how, (sc_config_message *[]){c.a, c.b}, 2, NULL));
  OK(sc_config_message_reopen(&edited, merged, false));
  OK(sc_config_message_diff(&diff, edited));
  SAME(sc_bytes_text("de"), sc_buffer_bytes(&diff));
  OK(sc_config_message_set(edited, PATH1("n"), TEXT("Bender")));
  OK(sc_config_message_diff(&diff, edited));
  SAME(sc_bytes_text("d1:n0:e"), sc_buffer_bytes(&diff));
  CHECK(sc_config_message_seqno(edited) == 3);
done:
  sc_buffer_free(&diff);
  sc_config_message_free(merged);
  sc_config_message_free(edited);
  free_conflict(&c);
}

static void the_order_of_messages_does_not_matter(sc_test *t) {
  conflict c;
  sc_config_message *first = NULL, *other = NULL;
  sc_config_merged how;
  OK(make_conflict(&c, t->env));
  sc_config_message *orders[][5] = {
      {c.b, c.a},         {c.base, c.a, c.b},       {c.b, c.base, c.a},
      {c.a, c.b, c.base}, {c.b, NULL, c.a, c.base}, {c.a, c.b, c.a, c.b, c.base}};
  OK(merge(&first, &how, (sc_config_message *[]){c.a, c.b}, 2, NULL));
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    OK(merge(&other, &how, orders[i], i == 0 ? 2 : i == 5 ? 5 : i == 4 ? 4 : 3, NULL));
    CHECK(how.resolved);
    written_is_same(t, first, other, NULL);
    STOP_IF_FAILED;
    sc_config_message_free(other);
    other = NULL;
  }
done:
  sc_config_message_free(first);
  sc_config_message_free(other);
  free_conflict(&c);
}

static void a_message_that_supersedes_the_others_is_chosen_unchanged(sc_test *t) {
  conflict c;
  sc_config_message *chosen = NULL;
  sc_config_merged how;
  OK(make_conflict(&c, t->env));
  OK(merge(&chosen, &how, (sc_config_message *[]){c.base}, 1, NULL));
  CHECK(!how.resolved && how.chosen == 0);
  sc_config_message_free(chosen);
  chosen = NULL;
  OK(merge(&chosen, &how, (sc_config_message *[]){c.base, c.a, c.base}, 3, NULL));
  CHECK(!how.resolved && how.chosen == 1);
  written_is_same(t, chosen, c.a, NULL);
done:
  sc_config_message_free(chosen);
  free_conflict(&c);
}

static void of_equal_messages_the_first_is_chosen(sc_test *t) {
  conflict c;
  sc_config_message *chosen = NULL;
  sc_config_merged how;
  OK(make_conflict(&c, t->env));
  OK(merge(&chosen, &how, (sc_config_message *[]){NULL, c.base, c.a, c.a}, 4, NULL));
  CHECK(!how.resolved && how.chosen == 2);
done:
  sc_config_message_free(chosen);
  free_conflict(&c);
}

/* Unreadable messages count towards the index. */
static void the_chosen_message_has_the_callers_index(sc_test *t) {
  sc_config_message *chosen = NULL;
  sc_config_merged how;
  OK(merge_texts(&chosen, &how, t->env, (const char *[]){"unreadable", "d1:#i9e1:&de1:<le1:=dee"}, 2, NULL));
  CHECK(!how.resolved && how.chosen == 1);
done:
  sc_config_message_free(chosen);
}

static void merging_no_messages_is_refused(sc_test *t) {
  sc_config_message *merged = NULL;
  sc_config_merged how;
  FAILS(SC_ERR_CONFIG_NONE, merge(&merged, &how, NULL, 0, NULL));
  FAILS(SC_ERR_CONFIG_NONE, merge(&merged, &how, (sc_config_message *[]){NULL, NULL}, 2, NULL));
  CHECK(merged == NULL);
done:;
}

static void an_editable_message_must_be_frozen_first(sc_test *t) {
  sc_config_message *message = NULL, *merged = NULL;
  sc_config_merged how;
  OK(sc_config_message_new(&message, t->env, 1));
  FAILS(SC_ERR_STATE, merge(&merged, &how, &message, 1, NULL));
  CHECK(merged == NULL);
done:
  sc_config_message_free(message);
}

/* Both devices edit, merge and push; they push identical messages, which settles the conflict. */
static void two_idle_clients_write_the_same_bytes(sc_test *t) {
  conflict c;
  sc_config_message *merged[2] = {0}, *pushed[2] = {0}, *settled = NULL;
  sc_config_merged how;
  OK(make_conflict(&c, t->env));
  OK(merge(&merged[0], &how, (sc_config_message *[]){c.a, c.b}, 2, NULL));
  OK(merge(&merged[1], &how, (sc_config_message *[]){c.b, c.base, c.a}, 3, NULL));
  for (int i = 0; i < 2; i++) {
    sc_config_message *edited;
    OK(sc_config_message_reopen(&edited, merged[i], true));
    sc_status status = send(&pushed[i], edited, NULL, t->env);
    sc_config_message_free(edited);
    OK(status);
  }
  written_is_same(t, pushed[0], pushed[1], NULL);
  STOP_IF_FAILED;
  OK(merge(&settled, &how, (sc_config_message *[]){c.a, pushed[0], c.b, pushed[1], c.base}, 5, NULL));
  CHECK(!how.resolved && how.chosen == 1);
done:
  free_all(merged, 2);
  free_all(pushed, 2);
  sc_config_message_free(settled);
  free_conflict(&c);
}

/* Three concurrent messages; then merges by two devices of different pairs of them. */
static void conflicts_of_conflicts_are_resolved(sc_test *t) {
  sc_config_message *base = NULL, *three[3] = {0}, *all = NULL, *pairs[2] = {0}, *both = NULL;
  sc_config_merged how;
  sc_config_value value;
  OK(make_base(&base, t->env));
  OK(follow(&three[0], base, PATH1("x"), TEXT("0"), NULL, t->env));
  OK(follow(&three[1], base, PATH1("y"), TEXT("1"), NULL, t->env));
  OK(follow(&three[2], base, PATH1("z"), TEXT("2"), NULL, t->env));
  OK(merge(&all, &how, three, 3, NULL));
  CHECK(how.resolved);
  OK(sc_config_message_get(&value, all, PATH1("x")));
  OK(sc_config_message_get(&value, all, PATH1("y")));
  OK(sc_config_message_get(&value, all, PATH1("z")));
  OK(merge(&pairs[0], &how, (sc_config_message *[]){three[0], three[1]}, 2, NULL));
  OK(merge(&pairs[1], &how, (sc_config_message *[]){three[2], three[1]}, 2, NULL));
  OK(merge(&both, &how, (sc_config_message *[]){pairs[0], pairs[1], three[0]}, 3, NULL));
  CHECK(how.resolved && sc_config_message_seqno(both) == 4);
  OK(sc_config_message_get(&value, both, PATH1("x")));
  OK(sc_config_message_get(&value, both, PATH1("y")));
  OK(sc_config_message_get(&value, both, PATH1("z")));
done:
  sc_config_message_free(base);
  free_all(three, 3);
  sc_config_message_free(all);
  free_all(pairs, 2);
  sc_config_message_free(both);
}

static void edits_too_far_behind_are_lost(sc_test *t) {
  sc_config_message *merged = NULL;
  sc_config_merged how;
  OK(merge_texts(&merged, &how, t->env,
                 (const char *[]){"d1:#i5e1:&d1:ai1ee1:<le1:=d1:a0:ee", "d1:#i10e1:&de1:<le1:=dee"}, 2,
                 NULL));
  CHECK(!how.resolved && how.chosen == 1);
  sc_config_message_free(merged);
  merged = NULL;
  OK(merge_texts(&merged, &how, t->env,
                 (const char *[]){"d1:#i6e1:&d1:ai1ee1:<le1:=d1:a0:ee", "d1:#i10e1:&de1:<le1:=dee"}, 2,
                 NULL));
  CHECK(how.resolved);
  data_is(t, "d1:ai1ee", merged);
done:
  sc_config_message_free(merged);
}

static void seqnos_near_the_minimum_do_not_overflow(sc_test *t) {
  sc_config_message *merged = NULL;
  sc_config_merged how;
  OK(merge_texts(&merged, &how, t->env,
                 (const char *[]){"d1:#i-9223372036854775808e1:&d1:ai1ee1:<le1:=d1:a0:ee",
                                  "d1:#i-9223372036854775807e1:&de1:<le1:=dee"},
                 2, NULL));
  CHECK(how.resolved && sc_config_message_seqno(merged) == 1);
done:
  sc_config_message_free(merged);
}

/* No seqno is left for another message, so one is chosen. */
static void the_greatest_message_is_chosen_once_seqnos_run_out(sc_test *t) {
  sc_config_message *merged[2] = {0};
  sc_config_merged how;
  const char *texts[] = {"d1:#i4611686018427387904e1:&d1:ai1ee1:<le1:=d1:a0:ee",
                         "d1:#i4611686018427387904e1:&d1:ai2ee1:<le1:=d1:a0:ee"};
  const char *reversed[] = {texts[1], texts[0]};
  OK(merge_texts(&merged[0], &how, t->env, texts, 2, NULL));
  CHECK(!how.resolved);
  size_t chosen = how.chosen;
  OK(merge_texts(&merged[1], &how, t->env, reversed, 2, NULL));
  CHECK(!how.resolved && how.chosen == 1 - chosen);
done:
  free_all(merged, 2);
}

typedef struct group {
  sc_ed25519_pair pair;
  sc_config_rules admin, member;
} group;

static void make_group(group *out) {
  uint8_t seed[32] = {9};
  sc_ed25519_pair_from_seed(&out->pair, seed);
  out->admin = (sc_config_rules){.verifier = out->pair.public_key, .signer = &out->pair};
  out->member = (sc_config_rules){.verifier = out->pair.public_key};
}

static void members_choose_the_greatest_and_admins_merge_and_sign(sc_test *t) {
  group g;
  sc_config_message *initial = NULL, *both[2] = {0}, *result = NULL, *received = NULL;
  sc_config_merged how;
  uint8_t hashes[2][32];
  make_group(&g);
  OK(begin(&initial, t->env));
  OK(follow(&both[0], initial, PATH1("a"), sc_config_integer(1), &g.admin, t->env));
  OK(follow(&both[1], initial, PATH1("b"), sc_config_integer(1), &g.admin, t->env));
  OK(sc_config_message_hash(hashes[0], both[0], &g.member));
  OK(sc_config_message_hash(hashes[1], both[1], &g.member));
  size_t greatest = memcmp(hashes[0], hashes[1], 32) > 0 ? 0 : 1;
  OK(merge(&result, &how, both, 2, &g.member));
  CHECK(!how.resolved && how.chosen == greatest);
  sc_config_message_free(result);
  result = NULL;
  OK(merge(&result, &how, both, 2, &g.admin));
  CHECK(how.resolved);
  data_is(t, "d1:ai1e1:bi1ee", result);
  STOP_IF_FAILED;
  OK(send(&received, result, &g.admin, t->env));
  OK(sc_config_message_hash(hashes[0], result, &g.admin));
  OK(sc_config_message_hash(hashes[1], received, &g.member));
  SAME(SC_BYTES(hashes[0]), SC_BYTES(hashes[1]));
done:
  sc_config_message_free(initial);
  free_all(both, 2);
  sc_config_message_free(result);
  sc_config_message_free(received);
}

static void unknown_keys_are_lost_in_a_merge(sc_test *t) {
  sc_config_message *merged = NULL;
  sc_config_merged how;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(merge_texts(&merged, &how, t->env,
                 (const char *[]){"d1:#i9e1:$0:1:&de1:<le1:=de1:x0:e", "d1:#i9e1:$0:1:&de1:<le1:=de1:y0:e"},
                 2, NULL));
  CHECK(how.resolved);
  OK(sc_config_message_write(&bytes, merged, NULL));
  static const char begins[] = "d1:#i10e1:&de1:<l";
  CHECK(memcmp(bytes.ptr, begins, strlen(begins)) == 0 && bytes.ptr[bytes.len - 3] == 'd');
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(merged);
}

/* Merges two messages with one parent; `first` is made the greater or the lesser. */
static sc_status merge_pair(sc_config_message **out, const sc_env *env, const char *greater,
                            const char *lesser) {
  char texts[2][300];
  const char *both[] = {texts[0], texts[1]};
  sc_config_merged how;
  sc_status status = SC_OK;
  *out = NULL;
  /* Varies an unknown key without effect until the hashes are as wanted. */
  for (int i = 0; i < 64 && status == SC_OK && *out == NULL; i++) {
    sc_config_message *parsed[2] = {0};
    uint8_t hashes[2][32] = {{0}};
    snprintf(texts[0], sizeof texts[0], "d1:#i9e%s1:xi%dee", greater, i);
    snprintf(texts[1], sizeof texts[1], "d1:#i9e%se", lesser);
    for (int j = 0; j < 2 && status == SC_OK; j++) {
      status = parse_text(&parsed[j], env, both[j], NULL);
      if (status == SC_OK)
        status = sc_config_message_hash(hashes[j], parsed[j], NULL);
    }
    if (status == SC_OK && memcmp(hashes[0], hashes[1], 32) > 0)
      status = merge(out, &how, parsed, 2, NULL);
    free_all(parsed, 2);
  }
  return status;
}

/* Of `{c:{x:{n:""}}}` one device removed x, the other added y. */
static void removing_a_section_removes_concurrent_additions(sc_test *t) {
  static const char removes[] = "1:&de1:<le1:=d1:cd1:xd1:n1:-eee";
  static const char adds[] = "1:&d1:cd1:xd1:n0:e1:yd1:n0:eee1:<le1:=d1:cd1:yd1:n0:eee";
  sc_config_message *merged = NULL;
  OK(merge_pair(&merged, t->env, removes, adds));
  data_is(t, "de", merged);
  STOP_IF_FAILED;
  sc_config_message_free(merged);
  merged = NULL;
  OK(merge_pair(&merged, t->env, adds, removes));
  data_is(t, "d1:cd1:yd1:n0:eee", merged);
done:
  sc_config_message_free(merged);
}

static void the_greater_hash_decides_a_value(sc_test *t) {
  sc_config_message *merged = NULL;
  OK(merge_pair(&merged, t->env, "1:&d1:ai1ee1:<le1:=d1:a0:e", "1:&d1:a1:xe1:<le1:=d1:a0:e"));
  data_is(t, "d1:ai1ee", merged);
  STOP_IF_FAILED;
  sc_config_message_free(merged);
  merged = NULL;
  OK(merge_pair(&merged, t->env, "1:&d1:a1:xe1:<le1:=d1:a0:e", "1:&d1:ai1ee1:<le1:=d1:a0:e"));
  data_is(t, "d1:a1:xe", merged);
done:
  sc_config_message_free(merged);
}

static void sets_are_merged_member_by_member(sc_test *t) {
  sc_config_message *merged = NULL;
  OK(merge_pair(&merged, t->env, "1:&d1:sli-2ei3e1:aee1:<le1:=d1:slli-2eeli5eeee",
                "1:&d1:sli3ei5e1:bee1:<le1:=d1:sll1:bel1:aeee"));
  data_is(t, "d1:sli-2ei3e1:bee", merged);
done:
  sc_config_message_free(merged);
}

static void a_value_may_change_its_kind_between_revisions(sc_test *t) {
  sc_config_message *merged = NULL;
  sc_config_merged how;
  OK(merge_texts(&merged, &how, t->env,
                 (const char *[]){"d1:#i9e1:&d1:ki7ee1:<lli7e" HASH_A "d1:kd1:x0:eeeli8e" HASH_B
                                  "d1:k0:eee1:=d1:k0:ee",
                                  "d1:#i8e1:&d1:kd1:xi1eee1:<le1:=d1:kd1:x0:eee"},
                 2, NULL));
  CHECK(how.resolved);
  data_is(t, "d1:ki7ee", merged);
done:
  sc_config_message_free(merged);
}

/* A merged message can be read even if its parents listed many changes. */
static void a_merge_keeps_the_newest_earlier_changes(sc_test *t) {
  enum { messages = 3, each = 120 };
  sc_config_message *parsed[messages] = {0}, *merged = NULL, *received = NULL;
  sc_config_merged how;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (int m = 0; m < messages; m++) {
    char entry[64];
    snprintf(entry, sizeof entry, "d1:#i9e1:&d1:ai%dee1:<l", m);
    sc_buffer_clear(&text);
    OK(sc_buffer_append(&text, sc_bytes_text(entry)));
    for (int i = 0; i < each; i++) {
      snprintf(entry, sizeof entry, "li8e32:%016d%016ddee", m, i);
      OK(sc_buffer_append(&text, sc_bytes_text(entry)));
    }
    OK(sc_buffer_append(&text, sc_bytes_text("e1:=dee")));
    OK(sc_config_message_parse(&parsed[m], t->env, sc_buffer_bytes(&text), NULL));
  }
  OK(merge(&merged, &how, parsed, messages, NULL));
  CHECK(sc_config_message_lagged_count(merged) == SC_CONFIG_MAX_LAGGED);
  CHECK(sc_config_message_lagged(merged, SC_CONFIG_MAX_LAGGED - 1).seqno == 9);
  OK(send(&received, merged, NULL, t->env));
done:
  sc_buffer_free(&text);
  free_all(parsed, messages);
  sc_config_message_free(merged);
  sc_config_message_free(received);
}

SUITE(config_merge, "config/merge",
      {"the worked example is merged with a full diff", the_worked_example_is_merged_with_a_full_diff},
      {"a merge can be edited, with a diff of the later edits",
       a_merge_can_be_edited_with_a_diff_of_the_later_edits},
      {"the order of messages does not matter", the_order_of_messages_does_not_matter},
      {"a message that supersedes the others is chosen unchanged",
       a_message_that_supersedes_the_others_is_chosen_unchanged},
      {"of equal messages the first is chosen", of_equal_messages_the_first_is_chosen},
      {"the chosen message has the caller's index", the_chosen_message_has_the_callers_index},
      {"merging no messages is refused", merging_no_messages_is_refused},
      {"an editable message must be frozen first", an_editable_message_must_be_frozen_first},
      {"two idle clients write the same bytes", two_idle_clients_write_the_same_bytes},
      {"conflicts of conflicts are resolved", conflicts_of_conflicts_are_resolved},
      {"edits too far behind are lost", edits_too_far_behind_are_lost},
      {"seqnos near the minimum do not overflow", seqnos_near_the_minimum_do_not_overflow},
      {"the greatest message is chosen once seqnos run out",
       the_greatest_message_is_chosen_once_seqnos_run_out},
      {"members choose the greatest and admins merge and sign",
       members_choose_the_greatest_and_admins_merge_and_sign},
      {"unknown keys are lost in a merge", unknown_keys_are_lost_in_a_merge},
      {"removing a section removes concurrent additions", removing_a_section_removes_concurrent_additions},
      {"the greater hash decides a value", the_greater_hash_decides_a_value},
      {"sets are merged member by member", sets_are_merged_member_by_member},
      {"a value may change its kind between revisions", a_value_may_change_its_kind_between_revisions},
      {"a merge keeps the newest earlier changes", a_merge_keeps_the_newest_earlier_changes});
