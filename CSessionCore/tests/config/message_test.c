#include "config/message.h"
#include "revision.h"

static void written_is(sc_test *t, const char *expected, const sc_config_message *message,
                       const sc_config_rules *rules) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_config_message_write(&bytes, message, rules));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&bytes));
done:
  sc_buffer_free(&bytes);
}

static void hash_is(sc_test *t, const char *expected, const sc_config_message *message,
                    const sc_config_rules *rules) {
  uint8_t hash[SC_CONFIG_HASH_BYTES], known[SC_CONFIG_HASH_BYTES];
  sc_test_hex_into(known, sizeof known, expected);
  OK(sc_config_message_hash(hash, message, rules));
  SAME(SC_BYTES(known), SC_BYTES(hash));
done:;
}

static void diff_is(sc_test *t, const char *expected, const sc_config_message *message) {
  sc_buffer diff;
  sc_buffer_init(&diff, t->env);
  OK(sc_config_message_diff(&diff, message));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&diff));
done:
  sc_buffer_free(&diff);
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

static void the_initial_state_has_the_known_bytes_and_hash(sc_test *t) {
  sc_config_message *message = NULL;
  OK(sc_config_message_new(&message, t->env, 0));
  CHECK(sc_config_message_editable(message) && sc_config_message_seqno(message) == 0);
  written_is(t, "d1:#i0e1:&de1:<le1:=dee", message, NULL);
  STOP_IF_FAILED;
  hash_is(t, INITIAL_HASH, message, NULL);
done:
  sc_config_message_free(message);
}

static void new_messages_have_a_valid_seqno(sc_test *t) {
  sc_config_message *message = NULL;
  FAILS(SC_ERR_CONFIG_SEQNO, sc_config_message_new(&message, t->env, -1));
  FAILS(SC_ERR_CONFIG_SEQNO, sc_config_message_new(&message, t->env, SC_CONFIG_MAX_SEQNO + 1));
  CHECK(message == NULL);
  OK(sc_config_message_new(&message, t->env, SC_CONFIG_MAX_SEQNO));
done:
  sc_config_message_free(message);
}

static sc_status set_texts(sc_config_message *message, const char *const (*pairs)[2], size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_config_message_set(message, PATH1(pairs[i][0]), TEXT(pairs[i][1]));
  return status;
}

/* The profile of the worked example: created, then renamed. */
static void the_worked_example_is_reproduced(sc_test *t) {
  static const char *const first[][2] = {{"n", "Kallie"},
                                         {"p", "http://example.org/omg-pic-123.bmp"},
                                         {"q", "secret78901234567890123456789012"}};
  sc_config_message *initial = NULL, *m1 = NULL, *a = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(begin(&initial, t->env));
  OK(sc_config_message_increment(&m1, initial, NULL));
  OK(set_texts(m1, first, 3));
  OK(sc_config_message_set(m1, PATH1("+"), sc_config_integer(9)));
  OK(sc_config_message_write(&bytes, m1, NULL));
  CHECK(bytes.len == 180);
  diff_is(t, "d1:+0:1:n0:1:p0:1:q0:e", m1);
  STOP_IF_FAILED;
  hash_is(t, "9d12fda7a98ec51c11e3b13abc361f82af271b8c6728228dba8cc9d4b7fe42e1", m1, NULL);
  STOP_IF_FAILED;
  OK(sc_config_message_increment(&a, m1, NULL));
  OK(sc_config_message_set(a, PATH1("n"), TEXT("Nibbler")));
  OK(sc_config_message_write(&bytes, a, NULL));
  CHECK(bytes.len == 228);
  hash_is(t, "ecad80272b2fa68171cc6adcf6cba9a26a54d083799a7b9ad7ae76a2f58a09e8", a, NULL);
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(initial);
  sc_config_message_free(m1);
  sc_config_message_free(a);
}

static void group_rules(sc_config_rules *rules, sc_ed25519_pair *pair) {
  uint8_t seed[32];
  memset(seed, 0x11, sizeof seed);
  sc_ed25519_pair_from_seed(pair, seed);
  *rules = (sc_config_rules){.verifier = pair->public_key, .signer = pair};
}

static void the_signed_example_is_reproduced(sc_test *t) {
  sc_config_message *initial = NULL, *group = NULL;
  sc_ed25519_pair pair;
  sc_config_rules rules;
  uint8_t signature[64];
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  group_rules(&rules, &pair);
  sc_test_hex_into(signature, sizeof signature,
                   "a5d08c615c1d5e68722edce95f6b9f6fc331e11a4cc5e3daeca539dc5410f2a8"
                   "b628fc74bad73cb20e16bacc222b6dfc44a9920ecceeba086397c3578c130a02");
  OK(begin(&initial, t->env));
  OK(sc_config_message_increment(&group, initial, &rules));
  OK(sc_config_message_set(group, PATH1("n"), TEXT("Group")));
  OK(sc_config_message_write(&bytes, group, &rules));
  size_t signed_len = strlen("d1:#i1e1:&d1:n5:Groupe1:<lli0e32:") + 32 + strlen("deee1:=d1:n0:e");
  CHECK(bytes.len == signed_len + strlen("1:~64:") + 64 + 1);
  SAME(SC_BYTES(signature), sc_bytes_make(bytes.ptr + signed_len + 6, 64));
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(initial);
  sc_config_message_free(group);
}

static void a_verified_signature_is_written_again_without_the_key(sc_test *t) {
  sc_config_message *initial = NULL, *group = NULL, *received = NULL;
  sc_ed25519_pair pair;
  sc_config_rules admin;
  sc_buffer bytes, again;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&again, t->env);
  group_rules(&admin, &pair);
  sc_config_rules member = {.verifier = admin.verifier};
  OK(begin(&initial, t->env));
  OK(sc_config_message_increment(&group, initial, &admin));
  OK(sc_config_message_write(&bytes, group, &admin));
  OK(sc_config_message_parse(&received, t->env, sc_buffer_bytes(&bytes), &member));
  CHECK(sc_config_message_signature(received).len == 64);
  OK(sc_config_message_write(&again, received, &member));
  SAME(sc_buffer_bytes(&bytes), sc_buffer_bytes(&again));
done:
  sc_buffer_free(&bytes);
  sc_buffer_free(&again);
  sc_config_message_free(initial);
  sc_config_message_free(group);
  sc_config_message_free(received);
}

/* The next message must name the revision by the hash other devices know. */
static void a_message_without_its_signature_is_still_named_by_its_signed_hash(sc_test *t) {
  sc_config_message *initial = NULL, *group = NULL, *kept = NULL, *next = NULL;
  sc_ed25519_pair pair;
  sc_config_rules rules;
  uint8_t published[32], hash[32];
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  group_rules(&rules, &pair);
  OK(begin(&initial, t->env));
  OK(sc_config_message_increment(&group, initial, &rules));
  OK(sc_config_message_hash(published, group, &rules));
  OK(sc_config_message_write(&dump, group, NULL));
  OK(sc_config_message_parse(&kept, t->env, sc_buffer_bytes(&dump), NULL));
  OK(sc_config_message_hash(hash, kept, NULL));
  CHECK(memcmp(published, hash, sizeof hash) != 0);
  OK(sc_config_message_hash(hash, kept, &rules));
  SAME(SC_BYTES(published), SC_BYTES(hash));
  OK(sc_config_message_increment(&next, kept, &rules));
  SAME(SC_BYTES(published), sc_bytes_make(sc_config_message_lagged(next, 1).hash, 32));
  sc_test_hex_into(hash, sizeof hash, INITIAL_HASH);
  SAME(SC_BYTES(hash), sc_bytes_make(sc_config_message_lagged(next, 0).hash, 32));
done:
  sc_buffer_free(&dump);
  sc_config_message_free(initial);
  sc_config_message_free(group);
  sc_config_message_free(kept);
  sc_config_message_free(next);
}

static void a_message_lists_earlier_changes_up_to_the_lag(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  OK(begin(&message, t->env));
  for (int64_t seqno = 1; seqno <= 8; seqno++) {
    OK(follow(&next, message, PATH1("k"), sc_config_integer(seqno), NULL, t->env));
    sc_config_message_free(message);
    message = next;
    next = NULL;
    size_t expected = seqno < SC_CONFIG_LAG ? (size_t)seqno : SC_CONFIG_LAG - 1;
    CHECK(sc_config_message_seqno(message) == seqno);
    CHECK(sc_config_message_lagged_count(message) == expected);
    for (size_t i = 0; i < expected; i++)
      CHECK(sc_config_message_lagged(message, i).seqno == seqno - (int64_t)(expected - i));
    SAME(sc_bytes_text(expected < 2 ? "de" : "d1:k0:e"),
         sc_config_message_lagged(message, expected - 1).diff);
  }
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
}

static void an_undone_edit_leaves_an_empty_diff(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  OK(parse_text(&message, t->env, "d1:#i9e1:&d1:ai1ee1:<le1:=dee", NULL));
  OK(sc_config_message_increment(&next, message, NULL));
  OK(sc_config_message_set(next, PATH1("a"), sc_config_integer(2)));
  OK(sc_config_message_add(next, PATH2("b", "c"), TEXT("x")));
  diff_is(t, "d1:a0:1:bd1:cll1:xeleeee", next);
  STOP_IF_FAILED;
  OK(sc_config_message_set(next, PATH1("a"), sc_config_integer(1)));
  OK(sc_config_message_remove(next, PATH2("b", "c"), TEXT("x")));
  diff_is(t, "de", next);
  STOP_IF_FAILED;
  data_is(t, "d1:ai1ee", next);
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
}

static void unknown_keys_are_carried_over(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  OK(parse_text(&message, t->env,
                "d1:#i9e1:$1:x1:&de1:'i-3e1:<le2:<a0:1:=de1:>li1ee1:xi18446744073709551615ee", NULL));
  OK(sc_config_message_increment(&next, message, NULL));
  sc_config_message_free(message);
  message = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  sc_status status = sc_config_message_write(&bytes, next, NULL);
  static const char begins[] = "d1:#i10e1:$1:x1:&de1:'i-3e1:<lli9e32:";
  static const char ends[] = "deee2:<a0:1:=de1:>li1ee1:xi18446744073709551615ee";
  bool as_expected = status == SC_OK && bytes.len == strlen(begins) + 32 + strlen(ends) &&
                     memcmp(bytes.ptr, begins, strlen(begins)) == 0 &&
                     memcmp(bytes.ptr + bytes.len - strlen(ends), ends, strlen(ends)) == 0;
  sc_buffer_free(&bytes);
  OK(status);
  CHECK(as_expected);
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
}

static void seqnos_are_never_negative_and_never_overflow(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  static const struct {
    const char *text;
    int64_t next;
  } cases[] = {{"d1:#i-9223372036854775808e1:&de1:<le1:=dee", 1},
               {"d1:#i-1e1:&de1:<le1:=dee", 1},
               {"d1:#i0e1:&de1:<le1:=dee", 1},
               {"d1:#i4611686018427387903e1:&de1:<le1:=dee", SC_CONFIG_MAX_SEQNO}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(parse_text(&message, t->env, cases[i].text, NULL));
    OK(sc_config_message_increment(&next, message, NULL));
    CHECK(sc_config_message_seqno(next) == cases[i].next);
    sc_config_message_free(message);
    sc_config_message_free(next);
    message = next = NULL;
  }
  OK(sc_config_message_new(&message, t->env, SC_CONFIG_MAX_SEQNO));
  FAILS(SC_ERR_CONFIG_SEQNO, sc_config_message_increment(&next, message, NULL));
  CHECK(next == NULL);
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
}

static void only_editable_messages_can_be_edited(sc_test *t) {
  sc_config_message *message = NULL, *other = NULL;
  OK(begin(&message, t->env));
  CHECK(!sc_config_message_editable(message));
  FAILS(SC_ERR_STATE, sc_config_message_set(message, PATH1("a"), sc_config_integer(1)));
  FAILS(SC_ERR_STATE, sc_config_message_erase(message, PATH1("a")));
  FAILS(SC_ERR_STATE, sc_config_message_add(message, PATH1("a"), sc_config_integer(1)));
  FAILS(SC_ERR_STATE, sc_config_message_remove(message, PATH1("a"), sc_config_integer(1)));
  OK(sc_config_message_reopen(&other, message, true));
  OK(sc_config_message_erase(other, PATH1("a")));
  sc_config_message_free(message);
  message = NULL;
  FAILS(SC_ERR_STATE, sc_config_message_reopen(&message, other, true));
done:
  sc_config_message_free(message);
  sc_config_message_free(other);
}

static void an_edit_leaves_other_messages_alone(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  OK(parse_text(&message, t->env, "d1:#i9e1:&d1:ad1:bi1eee1:<le1:=dee", NULL));
  OK(sc_config_message_increment(&next, message, NULL));
  OK(sc_config_message_set(next, PATH2("a", "b"), sc_config_integer(2)));
  data_is(t, "d1:ad1:bi1eee", message);
  STOP_IF_FAILED;
  sc_config_message_free(message);
  message = NULL;
  data_is(t, "d1:ad1:bi2eee", next);
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
}

static void values_are_found_by_path(sc_test *t) {
  sc_config_message *message = NULL;
  sc_config_value value;
  OK(parse_text(&message, t->env, "d1:#i9e1:&d1:ad1:b4:texte1:ni-5e1:sl1:xee1:<le1:=dee", NULL));
  OK(sc_config_message_get(&value, message, PATH2("a", "b")));
  CHECK(value.kind == SC_CONFIG_STRING);
  SAME(sc_bytes_text("text"), value.string);
  OK(sc_config_message_get(&value, message, PATH1("n")));
  CHECK(value.kind == SC_CONFIG_INTEGER && value.integer == -5);
  OK(sc_config_message_get(&value, message, PATH1("s")));
  CHECK(value.kind == SC_CONFIG_SET);
  OK(sc_config_message_get(&value, message, PATH1("a")));
  CHECK(value.kind == SC_CONFIG_DICT);
  FAILS(SC_ERR_NOT_FOUND, sc_config_message_get(&value, message, PATH2("a", "c")));
  FAILS(SC_ERR_NOT_FOUND, sc_config_message_get(&value, message, PATH2("s", "x")));
done:
  sc_config_message_free(message);
}

/* Changes not written are dropped, so that a merge does not restore them. */
static void a_frozen_message_lists_no_more_changes_than_its_lag(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL, *frozen = NULL;
  OK(begin(&message, t->env));
  for (int i = 0; i <= SC_CONFIG_LAG; i++) {
    OK(sc_config_message_increment(&next, message, NULL));
    sc_config_message_free(message);
    message = next;
    next = NULL;
  }
  OK(sc_config_message_freeze(&frozen, message, NULL));
  CHECK(sc_config_message_seqno(frozen) == SC_CONFIG_LAG + 1);
  CHECK(sc_config_message_lagged_count(frozen) == SC_CONFIG_LAG - 1);
  CHECK(sc_config_message_lagged(frozen, 0).seqno == 2);
  OK(sc_config_message_increment(&next, frozen, NULL));
  CHECK(sc_config_message_lagged_count(next) == SC_CONFIG_LAG);
done:
  sc_config_message_free(message);
  sc_config_message_free(next);
  sc_config_message_free(frozen);
}

/* As if it had been sent and received. */
static void a_frozen_message_equals_the_received_one(sc_test *t) {
  sc_config_message *initial = NULL, *edited = NULL, *frozen = NULL, *arrived = NULL;
  sc_buffer sent, again;
  uint8_t hashes[2][32];
  sc_buffer_init(&sent, t->env);
  sc_buffer_init(&again, t->env);
  OK(begin(&initial, t->env));
  OK(sc_config_message_increment(&edited, initial, NULL));
  OK(sc_config_message_set(edited, PATH2("a", "b"), TEXT("c")));
  OK(sc_config_message_freeze(&frozen, edited, NULL));
  OK(sc_config_message_set(edited, PATH2("a", "b"), TEXT("later")));
  OK(sc_config_message_write(&sent, frozen, NULL));
  OK(sc_config_message_parse(&arrived, t->env, sc_buffer_bytes(&sent), NULL));
  OK(sc_config_message_hash(hashes[0], frozen, NULL));
  OK(sc_config_message_hash(hashes[1], arrived, NULL));
  SAME(SC_BYTES(hashes[0]), SC_BYTES(hashes[1]));
  CHECK(!sc_config_message_editable(frozen));
  diff_is(t, "d1:ad1:b0:ee", frozen);
  STOP_IF_FAILED;
  sc_config_message_free(edited);
  edited = NULL;
  OK(sc_config_message_freeze(&edited, frozen, NULL));
  OK(sc_config_message_write(&again, edited, NULL));
  SAME(sc_buffer_bytes(&sent), sc_buffer_bytes(&again));
done:
  sc_buffer_free(&sent);
  sc_buffer_free(&again);
  sc_config_message_free(initial);
  sc_config_message_free(edited);
  sc_config_message_free(frozen);
  sc_config_message_free(arrived);
}

SUITE(config_message, "config/message",
      {"the initial state has the known bytes and hash", the_initial_state_has_the_known_bytes_and_hash},
      {"new messages have a valid seqno", new_messages_have_a_valid_seqno},
      {"the worked example is reproduced", the_worked_example_is_reproduced},
      {"the signed example is reproduced", the_signed_example_is_reproduced},
      {"a verified signature is written again without the key",
       a_verified_signature_is_written_again_without_the_key},
      {"a message without its signature is still named by its signed hash",
       a_message_without_its_signature_is_still_named_by_its_signed_hash},
      {"a message lists earlier changes up to the lag", a_message_lists_earlier_changes_up_to_the_lag},
      {"an undone edit leaves an empty diff", an_undone_edit_leaves_an_empty_diff},
      {"unknown keys are carried over", unknown_keys_are_carried_over},
      {"seqnos are never negative and never overflow", seqnos_are_never_negative_and_never_overflow},
      {"only editable messages can be edited", only_editable_messages_can_be_edited},
      {"an edit leaves other messages alone", an_edit_leaves_other_messages_alone},
      {"values are found by path", values_are_found_by_path},
      {"a frozen message lists no more changes than its lag",
       a_frozen_message_lists_no_more_changes_than_its_lag},
      {"a frozen message equals the received one", a_frozen_message_equals_the_received_one});
