#include "cast.h"
#include "support/test.h"

/* The signed claims of the nodes 0x33 and 0x44. */
typedef struct deeds {
  sc_storage_change changed[2];
  sc_storage_change unchanged[2];
  sc_storage_member members[2];
  sc_storage_reply reply;
} deeds;

static sc_status make(deeds *out, sc_test *t, const sc_storage_request *request) {
  *out = (deeds){.changed = {{cast_hashes[1], 2, cast_expiries[0]}, {cast_hashes[0], 0, cast_expiries[1]}},
                 .unchanged = {{cast_hashes[1], 0, 7}, {cast_hashes[0], 0, 8}}};
  out->reply.of.members = (sc_storage_members){out->members, 2};
  sc_status status = SC_OK;
  for (uint8_t i = 0; i < 2 && status == SC_OK; i++) {
    sc_keypair node = cast_keys(i == 0 ? 0x33 : 0x44);
    sc_storage_member *member = &out->members[i];
    *member = (sc_storage_member){.changed = {out->changed, 2}, .expiry = cast_expiries[0]};
    member->hash = cast_hashes[1];
    if (request->method == SC_STORAGE_EXPIRE)
      member->unchanged = (sc_storage_changes){out->unchanged, 2};
    status = sc_storage_member_sign(member, t->env, request, &node.ed);
  }
  return status;
}

static sc_status verify(sc_storage_tally *out, sc_test *t, const sc_storage_request *request,
                        const deeds *d) {
  return sc_storage_reply_verify(out, t->env, request, &d->reply, NULL);
}

static void signatures_have_the_known_bytes(sc_test *t) {
  static const char stored[] =
      "qFlR9mzwNur7eFA9SSrSkWWXySOJhYdwzKAX7lInmndVMCsQ/VHoxrfuV4OcYAbbxZCGDehejHnuCefKnlXPDQ==";
  static const char deleted[] =
      "JCU1RJNhBUqYNNvDEN0GBOK/mJp3qI2AY/OXaGK2B73SF+QE0iXnYtcgTh8x8GHhYeSITtWW40buDLlF3P47Bg==";
  sc_storage_request store = cast_any(SC_STORAGE_STORE), delete_all = cast_any(SC_STORAGE_DELETE_ALL);
  sc_storage_member member = {.hash = cast_hashes[0]};
  const sc_storage_change changes[] = {{.hash = cast_hashes[0]}, {.hash = cast_hashes[1], .number = 2}};
  sc_keypair node = cast_keys(0x33);
  char text[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1];
  uint8_t key[32];
  sc_test_hex_into(key, 32, "17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce");
  OK(sc_storage_member_sign(&member, t->env, &store, &node.ed));
  SAME(SC_BYTES(key), SC_BYTES(member.node));
  sc_base64_encode(text, SC_BYTES(member.signature), SC_BASE64_STANDARD);
  SAME(sc_bytes_text(stored), sc_bytes_text(text));
  member.changed = (sc_storage_changes){changes, 2};
  delete_all.of.sweep.where.all = true;
  OK(sc_storage_member_sign(&member, t->env, &delete_all, &node.ed));
  sc_base64_encode(text, SC_BYTES(member.signature), SC_BASE64_STANDARD);
  SAME(sc_bytes_text(deleted), sc_bytes_text(text));
done:;
}

typedef struct known_text {
  sc_storage_method method;
  const char *text;
} known_text;

static void every_member_signs_the_known_text(sc_test *t) {
#define SORTED CAST_HASH_2 CAST_HASH_0
  static const known_text known[] = {
      {SC_STORAGE_STORE, CAST_HASH_2},
      {SC_STORAGE_DELETE, CAST_ACCOUNT CAST_HASH_0 CAST_HASH_2 SORTED},
      {SC_STORAGE_DELETE_ALL, CAST_ACCOUNT "1700000000000" SORTED},
      {SC_STORAGE_DELETE_BEFORE, CAST_ACCOUNT "1700000000000" SORTED},
      {SC_STORAGE_EXPIRE_ALL, CAST_ACCOUNT "1700000000000" SORTED},
      {SC_STORAGE_EXPIRE, CAST_ACCOUNT "17000006000001700000700000" CAST_HASH_0 CAST_HASH_2 SORTED CAST_HASH_2
                                       "7" CAST_HASH_0 "8"},
  };
  sc_buffer text;
  deeds d;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_request request = cast_any(known[i].method);
    OK(make(&d, t, &request));
    OK(sc_storage_member_signed(&text, &request, &d.members[0]));
    SAME(sc_bytes_text(known[i].text), sc_buffer_bytes(&text));
  }
done:
  sc_buffer_free(&text);
}

/* As in a reply to a subaccount that wanted to set a time and may only extend it. */
static void unchanged_expiries_are_signed_in_every_mode(sc_test *t) {
  for (int form = SC_STORAGE_JSON; form <= SC_STORAGE_BT; form++) {
    sc_storage_request request = cast_any(SC_STORAGE_EXPIRE);
    sc_storage_parsed_reply parsed = {0};
    sc_storage_tally tally;
    sc_buffer body;
    deeds d;
    sc_buffer_init(&body, t->env);
    request.of.expire.mode = SC_STORAGE_EXPIRE_SET;
    sc_status status = make(&d, t, &request);
    if (status == SC_OK)
      status = sc_storage_reply_write(&body, (sc_storage_form)form, &request, &d.reply);
    if (status == SC_OK)
      status = sc_storage_reply_parse(&parsed, t->env, &request, sc_buffer_bytes(&body));
    if (status == SC_OK)
      status = sc_storage_reply_verify(&tally, t->env, &request, &parsed.reply, NULL);
    bool both = status == SC_OK && tally.enough && parsed.reply.of.members.list[0].unchanged.count == 2;
    sc_storage_parsed_reply_free(&parsed);
    sc_buffer_free(&body);
    OK(status);
    CHECK(both);
  }
done:;
}

static void changes_are_signed_in_sorted_order(sc_test *t) {
  sc_storage_request sweep = cast_any(SC_STORAGE_DELETE_ALL), all = sweep;
  const sc_storage_change ascending[] = {{.hash = cast_hashes[1], .number = 5}, {.hash = cast_hashes[0]}};
  const sc_storage_change descending[] = {{.hash = cast_hashes[0]}, {.hash = cast_hashes[1], .number = 5}};
  const sc_storage_change twice[] = {{.hash = cast_hashes[0]}, {.hash = cast_hashes[0]}};
  const sc_storage_changes good = {ascending, 2}, bad = {descending, 2}, same = {twice, 2};
  sc_keypair node = cast_keys(0x33);
  all.of.sweep.where.all = true;
  const struct {
    const sc_storage_request *request;
    sc_storage_changes changed, unchanged;
    sc_status status;
  } known[] = {
      {&sweep, good, {0}, SC_OK},  {&sweep, bad, {0}, SC_ERR_ARGUMENT},  {&sweep, same, {0}, SC_ERR_ARGUMENT},
      {&all, bad, {0}, SC_OK},     {&all, good, {0}, SC_ERR_ARGUMENT},   {&all, same, {0}, SC_ERR_ARGUMENT},
      {&sweep, good, good, SC_OK}, {&sweep, good, bad, SC_ERR_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_member member = {.changed = known[i].changed, .unchanged = known[i].unchanged};
    FAILS(known[i].status, sc_storage_member_sign(&member, t->env, known[i].request, &node.ed));
  }
done:;
}

static void a_single_time_is_signed_once(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_EXPIRE);
  sc_storage_member member = {.expiry = 5};
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  request.of.expire.expiry_count = 1;
  OK(sc_storage_member_signed(&text, &request, &member));
  SAME(sc_bytes_text(CAST_ACCOUNT "5" CAST_HASH_0 CAST_HASH_2), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

static void every_reply_verifies(sc_test *t) {
  deeds d;
  sc_storage_tally tally;
  for (int method = SC_STORAGE_STORE; method <= SC_STORAGE_UNREVOKE; method++) {
    sc_storage_request request = cast_any((sc_storage_method)method);
    if (!sc_storage_method_is_recursive(request.method))
      continue;
    OK(make(&d, t, &request));
    OK(verify(&tally, t, &request, &d));
    CHECK(tally.members == 2 && tally.succeeded == 2 && tally.enough);
    d.members[1].signature[9] ^= 1;
    FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
    d.members[1].signature[9] ^= 1;
    d.members[1].node[0] ^= 1;
    FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
  }
done:;
}

static void the_signature_covers_the_change(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_EXPIRE);
  deeds d;
  sc_storage_tally tally;
  OK(make(&d, t, &request));
  d.unchanged[0].expiry++;
  FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
  OK(make(&d, t, &request));
  d.changed[0].expiry++;
  FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
  OK(make(&d, t, &request));
  d.members[0].changed.count--;
  FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
  OK(make(&d, t, &request));
  request.account[5] ^= 1;
  FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
done:;
}

/* It signed another message's hash. */
static void a_node_that_stored_something_else_is_detected(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  deeds d;
  sc_storage_tally tally;
  OK(make(&d, t, &request));
  request.of.store.data = sc_bytes_text("goodbye");
  FAILS(SC_ERR_STORAGE_NODE_SIGNATURE, verify(&tally, t, &request, &d));
done:;
}

typedef struct known_need {
  sc_storage_method method;
  bool enough[3]; /* with so many of two */
} known_need;

static void the_required_number_of_members_depends_on_the_method(sc_test *t) {
  static const known_need known[] = {
      {SC_STORAGE_STORE, {false, true, true}},      {SC_STORAGE_DELETE, {false, true, true}},
      {SC_STORAGE_DELETE_ALL, {false, true, true}}, {SC_STORAGE_DELETE_BEFORE, {false, true, true}},
      {SC_STORAGE_EXPIRE, {false, false, true}},    {SC_STORAGE_EXPIRE_ALL, {false, false, true}},
      {SC_STORAGE_REVOKE, {false, false, true}},    {SC_STORAGE_UNREVOKE, {false, false, true}},
  };
  deeds d;
  sc_storage_tally tally;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_request request = cast_any(known[i].method);
    for (size_t good = 0; good <= 2; good++) {
      OK(make(&d, t, &request));
      d.members[0].failed = good < 2;
      d.members[1].failed = good < 1;
      OK(verify(&tally, t, &request, &d));
      CHECK(tally.members == 2 && tally.succeeded == good && tally.enough == known[i].enough[good]);
    }
  }
done:;
}

static void half_of_three_is_two(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_storage_member members[3];
  deeds d;
  sc_storage_tally tally;
  OK(make(&d, t, &request));
  members[0] = d.members[0];
  members[1] = (sc_storage_member){.node = {1}, .failed = true};
  members[2] = (sc_storage_member){.node = {2}, .failed = true};
  d.reply.of.members = (sc_storage_members){members, 3};
  OK(verify(&tally, t, &request, &d));
  CHECK(tally.members == 3 && tally.succeeded == 1 && !tally.enough);
  members[1] = d.members[1];
  OK(verify(&tally, t, &request, &d));
  CHECK(tally.succeeded == 2 && tally.enough);
done:;
}

/* The storage server's reply for a member whose monitoring client has just left, although it kept the row. */
static void a_store_succeeds_without_a_member_that_failed(sc_test *t) {
  static const char start[] = "\"swarm\":{",
                    failed[] =
                        "\"1000000000000000000000000000000000000000000000000000000000000000\":"
                        "{\"failed\":1,\"query_failure\":1,\"reason\":\"Could not find a stream with ID "
                        "0\"},";
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_storage_parsed_reply parsed = {0};
  sc_storage_tally tally;
  sc_buffer body, with_failure;
  deeds d;
  sc_buffer_init(&body, t->env);
  sc_buffer_init(&with_failure, t->env);
  OK(make(&d, t, &request));
  OK(sc_storage_reply_write(&body, SC_STORAGE_JSON, &request, &d.reply));
  size_t head = 0;
  while (head + strlen(start) <= body.len && memcmp(body.ptr + head, start, strlen(start)) != 0)
    head++;
  head += strlen(start);
  CHECK(head < body.len);
  OK(sc_buffer_append(&with_failure, sc_bytes_make(body.ptr, head)));
  OK(sc_buffer_append(&with_failure, sc_bytes_text(failed)));
  OK(sc_buffer_append(&with_failure, sc_bytes_make(body.ptr + head, body.len - head)));
  OK(sc_storage_reply_parse(&parsed, t->env, &request, sc_buffer_bytes(&with_failure)));
  OK(sc_storage_reply_verify(&tally, t->env, &request, &parsed.reply, NULL));
  CHECK(tally.members == 3 && tally.succeeded == 2 && tally.enough);
done:
  sc_storage_parsed_reply_free(&parsed);
  sc_buffer_free(&with_failure);
  sc_buffer_free(&body);
}

/* The replying node could make up other members. */
static void nodes_outside_the_swarm_do_not_count(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  uint8_t swarm[2][SC_KEY_BYTES] = {{0}};
  const sc_storage_keepers keepers = {.keys = (const uint8_t(*)[SC_KEY_BYTES])swarm, .count = 2, .least = 1};
  sc_keypair first = cast_keys(0x33), third = cast_keys(0x55);
  deeds d;
  sc_storage_tally tally;
  memcpy(swarm[0], first.ed.public_key, SC_KEY_BYTES);
  memcpy(swarm[1], third.ed.public_key, SC_KEY_BYTES);
  OK(make(&d, t, &request));
  OK(sc_storage_reply_verify(&tally, t->env, &request, &d.reply, &keepers));
  CHECK(tally.members == 2 && tally.succeeded == 1);
  d.members[1].signature[0] ^= 1;
  OK(sc_storage_reply_verify(&tally, t->env, &request, &d.reply, &keepers));
  CHECK(tally.succeeded == 1);
  d.members[0].failed = true;
  OK(sc_storage_reply_verify(&tally, t->env, &request, &d.reply, &keepers));
  CHECK(!tally.enough);
done:;
}

static void a_reply_without_members_needs_no_verification(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_reply reply = {0};
  sc_storage_member member = {0};
  sc_storage_tally tally;
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  FAILS(SC_ERR_ARGUMENT, sc_storage_reply_verify(&tally, t->env, &request, &reply, NULL));
  FAILS(SC_ERR_ARGUMENT, sc_storage_member_signed(&text, &request, &member));
  CHECK(text.len == 0);
done:
  sc_buffer_free(&text);
}

/* Nor could it overstate success by omitting the members that failed. */
static void omitted_members_count_as_failed(sc_test *t) {
  static const known_need known[] = {
      {SC_STORAGE_STORE, {false, false, true}},
      {SC_STORAGE_DELETE, {false, true, true}},
      {SC_STORAGE_EXPIRE, {false, false, false}},
      {SC_STORAGE_REVOKE, {false, false, false}},
  };
  uint8_t swarm[3][SC_KEY_BYTES];
  const sc_storage_keepers keepers = {.keys = (const uint8_t(*)[SC_KEY_BYTES])swarm, .count = 3, .least = 2};
  deeds d;
  sc_storage_tally tally;
  for (uint8_t i = 0; i < 3; i++) {
    sc_keypair node = cast_keys((uint8_t)(0x33 + 0x11 * i));
    memcpy(swarm[i], node.ed.public_key, SC_KEY_BYTES);
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_storage_request request = cast_any(known[i].method);
    for (size_t there = 1; there <= 2; there++) {
      OK(make(&d, t, &request));
      d.reply.of.members.count = there;
      OK(sc_storage_reply_verify(&tally, t->env, &request, &d.reply, &keepers));
      CHECK(tally.members == 3 && tally.succeeded == there && tally.enough == known[i].enough[there]);
    }
  }
done:;
}

/* S4: in a private network one of two members may be dead; elsewhere a message is lost with its only keeper.
 */
static void a_swarm_of_two_stores_twice_unless_one_is_enough(sc_test *t) {
  static const struct {
    size_t members, least, stored;
    bool enough;
  } known[] = {{2, 2, 1, false}, {2, 2, 2, true}, {2, 1, 1, true}, {1, 2, 1, true}, {1, 2, 0, false}};
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_keypair nodes[2] = {cast_keys(0x33), cast_keys(0x44)};
  uint8_t swarm[2][SC_KEY_BYTES];
  sc_storage_tally tally;
  deeds d;
  for (size_t i = 0; i < 2; i++)
    memcpy(swarm[i], nodes[i].ed.public_key, SC_KEY_BYTES);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const sc_storage_keepers keepers = {(const uint8_t(*)[SC_KEY_BYTES])swarm, known[i].members,
                                        known[i].least};
    OK(make(&d, t, &request));
    d.reply.of.members.count = known[i].stored;
    OK(sc_storage_reply_verify(&tally, t->env, &request, &d.reply, &keepers));
    CHECK(tally.succeeded == known[i].stored && tally.enough == known[i].enough);
  }
done:;
}

SUITE(network_storage_verify, "network/storage/verify",
      {"S4: a swarm of two stores twice, unless one is enough",
       a_swarm_of_two_stores_twice_unless_one_is_enough},
      {"signatures have the known bytes", signatures_have_the_known_bytes},
      {"every member signs the known text", every_member_signs_the_known_text},
      {"unchanged expiries are signed in every mode", unchanged_expiries_are_signed_in_every_mode},
      {"changes are signed in sorted order", changes_are_signed_in_sorted_order},
      {"a single time is signed once", a_single_time_is_signed_once},
      {"every reply verifies", every_reply_verifies},
      {"the signature covers the change", the_signature_covers_the_change},
      {"a node that stored something else is detected", a_node_that_stored_something_else_is_detected},
      {"a store succeeds without a member that failed", a_store_succeeds_without_a_member_that_failed},
      {"the required number of members depends on the method",
       the_required_number_of_members_depends_on_the_method},
      {"half of three is two", half_of_three_is_two},
      {"nodes outside the swarm do not count", nodes_outside_the_swarm_do_not_count},
      {"a reply without members needs no verification", a_reply_without_members_needs_no_verification},
      {"omitted members count as failed", omitted_members_count_as_failed});
