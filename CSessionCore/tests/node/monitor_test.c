#include "network/storage/cast.h"
#include "support/test.h"

static const uint64_t seconds = 1700000000;

static sc_storage_subscription subscription_of_account(void) {
  sc_storage_request request = cast_request(SC_STORAGE_STORE);
  sc_storage_subscription s = {
      .numbers = {0, 2, 3}, .number_count = 3, .with_data = true, .signed_at = seconds};
  memcpy(s.account, request.account, sizeof s.account);
  return s;
}

static sc_status sign(sc_storage_subscription *s, sc_test *t) {
  sc_keypair keys = cast_account();
  sc_storage_signer signer = sc_storage_account_signer(&keys.ed);
  return sc_storage_subscription_sign(s, t->env, &signer);
}

static void the_known_signature_is_made(sc_test *t) {
  static const char known[] =
      "xBaRQXg0+PZQb0+VsQ5TsG7nVX4zw2FPGXaLYBm42uOQQkElFkHz7Ql1lO4oMtHR/mem0KCF2f8IKBlXU6GECg==";
  sc_storage_subscription s = subscription_of_account();
  char text[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1];
  OK(sign(&s, t));
  sc_base64_encode(text, SC_BYTES(s.auth.signature), SC_BASE64_STANDARD);
  SAME(sc_bytes_text(known), sc_bytes_text(text));
done:;
}

static void subscriptions_survive_a_round_trip(sc_test *t) {
  sc_storage_subscription list[] = {subscription_of_account(), subscription_of_account()}, read;
  sc_storage_subscription_reader reader;
  sc_storage_monitor_error error;
  const sc_storage_judge judge = {.now = cast_now};
  sc_keypair group = cast_keys(0x11);
  sc_storage_signer signer = sc_storage_group_signer(&group.ed);
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  list[1].account[0] = 0x03;
  memcpy(list[1].account + 1, group.ed.public_key, SC_KEY_BYTES);
  list[1].numbers[0] = -11;
  OK(sign(&list[0], t));
  OK(sc_storage_subscription_sign(&list[1], t->env, &signer));
  OK(sc_storage_subscriptions_write(&bytes, list, 2));
  OK(sc_storage_subscriptions_begin(&reader, sc_buffer_bytes(&bytes)));
  CHECK(reader.is_list && reader.count == 2);
  for (size_t i = 0; i < 2; i++) {
    OK(sc_storage_subscriptions_next(&read, &error, &reader));
    CHECK(error == SC_STORAGE_MONITOR_OK && read.number_count == 3 && read.numbers[0] == list[i].numbers[0]);
    CHECK(read.with_data && read.signed_at == seconds);
    SAME(SC_BYTES(list[i].account), SC_BYTES(read.account));
    OK(sc_storage_subscription_judge(&error, t->env, &read, &judge));
    CHECK(error == SC_STORAGE_MONITOR_OK);
  }
  FAILS(SC_ERR_NOT_FOUND, sc_storage_subscriptions_next(&read, &error, &reader));
done:
  sc_buffer_free(&bytes);
}

/* The one subscription in a dict, and its error. */
static sc_storage_monitor_error error_of(const char *dict, size_t len) {
  sc_storage_subscription_reader reader;
  sc_storage_subscription read;
  sc_storage_monitor_error error = SC_STORAGE_MONITOR_OK;
  if (sc_storage_subscriptions_begin(&reader, sc_bytes_make(dict, len)) != SC_OK || reader.is_list)
    return SC_STORAGE_MONITOR_SWARM;
  return sc_storage_subscriptions_next(&read, &error, &reader) == SC_OK ? error : SC_STORAGE_MONITOR_SWARM;
}

typedef struct known_error {
  sc_storage_monitor_error error;
  const char *dict;
} known_error;

#define P33 "1:p33:ppppppppppppppppppppppppppppppppp"
#define S64 "1:s64:ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"

/* The reference accepts an account of the wrong size. */
static void a_subscription_error_is_reported(sc_test *t) {
  static const known_error known[] = {
      {SC_STORAGE_MONITOR_OK, "d1:nli0ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_PUBKEY, "d1:nli0ee1:p3:ppp" S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:nli0ee" S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_PUBKEY, "d1:P3:abc1:nli0ee" S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_PUBKEY, "d1:P32:\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
                                  "1:nli0ee" S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:nle" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_NAMESPACES, "d1:nli2ei1ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_NAMESPACES, "d1:nli1ei1ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_NAMESPACES, "d1:nli32768ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_NAMESPACES, "d1:nl1:0e" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:nli0ee" P33 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:nli0ee" P33 S64 "e"},
      {SC_STORAGE_MONITOR_SIGNATURE, "d1:nli0ee" P33 "1:s3:sss1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:di2e1:nli0ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:T3:abc1:nli0ee" P33 S64 "1:ti5ee"},
      {SC_STORAGE_MONITOR_ARGUMENTS, "d1:T36:TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT1:nli0ee" P33 S64 "1:ti5ee"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(error_of(known[i].dict, strlen(known[i].dict)) == known[i].error);
done:;
}

static void a_subscription_names_its_account_once(sc_test *t) {
  sc_keypair keys = cast_account();
  sc_buffer dict;
  sc_buffer_init(&dict, t->env);
  OK(sc_buffer_append(&dict, sc_bytes_text("d1:P32:")));
  OK(sc_buffer_append(&dict, SC_BYTES(keys.ed.public_key)));
  OK(sc_buffer_append(&dict, sc_bytes_text("1:nli0ee" P33 S64 "1:ti5ee")));
  CHECK(error_of((const char *)dict.ptr, dict.len) == SC_STORAGE_MONITOR_ARGUMENTS);
done:
  sc_buffer_free(&dict);
}

static void invalid_subscriptions_are_refused(sc_test *t) {
  static const char *const bad[] = {"", "{}", "i1e", "d", "de ", "1:a"};
  sc_storage_subscription_reader reader;
  sc_buffer many;
  sc_buffer_init(&many, t->env);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_STORAGE_SYNTAX, sc_storage_subscriptions_begin(&reader, sc_bytes_text(bad[i])));
  OK(sc_buffer_append(&many, sc_bytes_text("l")));
  for (size_t i = 0; i <= SC_STORAGE_MAX_SUBSCRIPTIONS; i++)
    OK(sc_buffer_append(&many, sc_bytes_text("de")));
  OK(sc_buffer_append(&many, sc_bytes_text("e")));
  FAILS(SC_ERR_STORAGE_SYNTAX, sc_storage_subscriptions_begin(&reader, sc_buffer_bytes(&many)));
  memmove(many.ptr + 1, many.ptr + 3, many.len - 3);
  many.len -= 2;
  OK(sc_storage_subscriptions_begin(&reader, sc_buffer_bytes(&many)));
  CHECK(reader.count == SC_STORAGE_MAX_SUBSCRIPTIONS);
done:
  sc_buffer_free(&many);
}

static bool is_revoked(void *user, const uint8_t *account, const uint8_t *token) {
  (void)user, (void)account, (void)token;
  return true;
}

/* A group member with the read right. */
static void sign_as_member(sc_storage_subscription *s, uint8_t flags) {
  sc_keypair group = cast_keys(0x11), member = cast_keys(0x22);
  char text[128];
  s->account[0] = 0x03;
  memcpy(s->account + 1, group.ed.public_key, SC_KEY_BYTES);
  s->auth = (sc_storage_auth){.has_signature = true, .has_subaccount = true, .subaccount = {0x03, flags}};
  memcpy(s->auth.subaccount + 4, member.ed.public_key, SC_KEY_BYTES);
  sc_ed25519_sign(s->auth.subaccount_signature, &group.ed, SC_BYTES(s->auth.subaccount));
  memcpy(text, "MONITOR", 7);
  sc_hex_encode(text + 7, SC_BYTES(s->account));
  memcpy(text + 7 + 66, "170000000010,2,3", 17);
  sc_ed25519_sign(s->auth.signature, &member.ed, sc_bytes_text(text));
}

/* The reference lets a removed member keep listening. */
static void a_removed_member_may_not_subscribe(sc_test *t) {
  sc_storage_judge judge = {.now = cast_now};
  sc_storage_subscription s = subscription_of_account();
  sc_storage_monitor_error error;
  sign_as_member(&s, SC_SUBACCOUNT_READ);
  OK(sc_storage_subscription_judge(&error, t->env, &s, &judge));
  CHECK(error == SC_STORAGE_MONITOR_OK);
  judge.is_revoked = is_revoked;
  OK(sc_storage_subscription_judge(&error, t->env, &s, &judge));
  CHECK(error == SC_STORAGE_MONITOR_SIGNATURE);
  judge.is_revoked = NULL;
  sign_as_member(&s, SC_SUBACCOUNT_WRITE);
  OK(sc_storage_subscription_judge(&error, t->env, &s, &judge));
  CHECK(error == SC_STORAGE_MONITOR_SIGNATURE);
done:;
}

static void a_subscription_is_valid_in_its_time_window(sc_test *t) {
  static const uint64_t day = 24 * 60 * 60;
  sc_storage_judge judge = {.now = cast_now};
  sc_storage_subscription s = subscription_of_account();
  sc_storage_monitor_error expected[] = {SC_STORAGE_MONITOR_OK, SC_STORAGE_MONITOR_TIMESTAMP,
                                         SC_STORAGE_MONITOR_OK, SC_STORAGE_MONITOR_TIMESTAMP};
  const uint64_t times[] = {seconds + day, seconds + day + 1, seconds - 14 * day, seconds - 14 * day - 1};
  sc_storage_monitor_error error;
  for (size_t i = 0; i < 4; i++) {
    s.signed_at = times[i];
    OK(sign(&s, t));
    OK(sc_storage_subscription_judge(&error, t->env, &s, &judge));
    CHECK(error == expected[i]);
  }
done:;
}

static void subscriptions_nodes_would_refuse_are_not_written(sc_test *t) {
  sc_storage_subscription s = subscription_of_account(), none = s, backwards = s, many = s;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  none.number_count = 0;
  backwards.numbers[2] = 1;
  many.number_count = SC_STORAGE_MAX_MONITORED + 1;
  FAILS(SC_ERR_STORAGE_PARAMETER, sign(&none, t));
  FAILS(SC_ERR_STORAGE_PARAMETER, sign(&backwards, t));
  FAILS(SC_ERR_STORAGE_PARAMETER, sign(&many, t));
  FAILS(SC_ERR_STORAGE_PARAMETER, sc_storage_subscriptions_write(&bytes, &s, 1));
  FAILS(SC_ERR_STORAGE_PARAMETER, sc_storage_subscriptions_write(&bytes, &s, 0));
  CHECK(bytes.len == 0);
done:
  sc_buffer_free(&bytes);
}

static void replies_survive_a_round_trip(sc_test *t) {
  const sc_storage_monitor_error errors[] = {SC_STORAGE_MONITOR_OK, SC_STORAGE_MONITOR_SWARM,
                                             SC_STORAGE_MONITOR_SIGNATURE};
  sc_storage_monitor_error read[3];
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_storage_monitor_answers_write(&bytes, true, errors, 3));
  OK(sc_storage_monitor_answers_parse(read, 3, sc_buffer_bytes(&bytes)));
  CHECK(memcmp(read, errors, sizeof errors) == 0);
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_monitor_answers_parse(read, 2, sc_buffer_bytes(&bytes)));
  OK(sc_storage_monitor_answers_write(&bytes, false, errors, 1));
  SAME(sc_bytes_text("d7:successi1ee"), sc_buffer_bytes(&bytes));
  OK(sc_storage_monitor_answers_parse(read, 1, sc_buffer_bytes(&bytes)));
  FAILS(SC_ERR_ARGUMENT, sc_storage_monitor_answers_write(&bytes, false, errors, 2));
  OK(sc_storage_monitor_answers_parse(read, 1, sc_bytes_text("d7:errcodei99e5:error1:xe")));
  CHECK(read[0] == SC_STORAGE_MONITOR_ARGUMENTS);
done:
  sc_buffer_free(&bytes);
}

static void invalid_replies_are_refused(sc_test *t) {
  static const char *const bad[] = {"",
                                    "de",
                                    "le",
                                    "d7:successi0ee",
                                    "d7:success1:1e",
                                    "d7:errcodei0ee",
                                    "ldeded",
                                    "li1ee",
                                    "d7:successi1eex",
                                    "ld7:successi1eei1ee"};
  sc_storage_monitor_error read[2] = {SC_STORAGE_MONITOR_SWARM, SC_STORAGE_MONITOR_SWARM};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_STORAGE_REPLY, sc_storage_monitor_answers_parse(read, 1, sc_bytes_text(bad[i])));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_monitor_answers_parse(read, 2, sc_bytes_text("ld7:successi1eee")));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_monitor_answers_parse(read, 0, sc_bytes_text("le")));
  CHECK(read[0] == SC_STORAGE_MONITOR_SWARM && read[1] == SC_STORAGE_MONITOR_SWARM);
done:;
}

static void events_survive_a_round_trip_and_are_verified(sc_test *t) {
  sc_storage_request request = cast_request(SC_STORAGE_STORE);
  sc_storage_event event = {.hash = cast_hashes[1],
                            .number = 2,
                            .timestamp = cast_now,
                            .expiry = cast_now + 1,
                            .has_data = true,
                            .data = sc_bytes_text("hello world")},
                   read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  memcpy(event.account, request.account, sizeof event.account);
  OK(sc_storage_event_write(&bytes, &event));
  OK(sc_storage_event_parse(&read, sc_buffer_bytes(&bytes)));
  CHECK(read.number == 2 && read.timestamp == cast_now && read.expiry == cast_now + 1 && read.has_data);
  SAME(event.data, read.data);
  SAME(event.hash, read.hash);
  event.number = 3;
  OK(sc_storage_event_write(&bytes, &event));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_event_parse(&read, sc_buffer_bytes(&bytes)));
  event.has_data = false;
  OK(sc_storage_event_write(&bytes, &event));
  OK(sc_storage_event_parse(&read, sc_buffer_bytes(&bytes)));
  CHECK(!read.has_data);
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_event_parse(&read, sc_bytes_make(bytes.ptr, bytes.len - 1)));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_event_parse(&read, sc_bytes_text("de")));
done:
  sc_buffer_free(&bytes);
}

SUITE(node_monitor, "node/monitor", {"the known signature is made", the_known_signature_is_made},
      {"subscriptions survive a round trip", subscriptions_survive_a_round_trip},
      {"a subscription error is reported", a_subscription_error_is_reported},
      {"a subscription names its account once", a_subscription_names_its_account_once},
      {"invalid subscriptions are refused", invalid_subscriptions_are_refused},
      {"a removed member may not subscribe", a_removed_member_may_not_subscribe},
      {"a subscription is valid in its time window", a_subscription_is_valid_in_its_time_window},
      {"subscriptions nodes would refuse are not written", subscriptions_nodes_would_refuse_are_not_written},
      {"replies survive a round trip", replies_survive_a_round_trip},
      {"invalid replies are refused", invalid_replies_are_refused},
      {"events survive a round trip and are verified", events_survive_a_round_trip_and_are_verified});
