#include <stdio.h>

#include "network/storage/cast.h"
#include "support/test.h"

static sc_storage_kept message_of(const char *text, int16_t number, char hash[static 44]) {
  sc_storage_request request = cast_request(SC_STORAGE_STORE);
  sc_storage_kept message = {.number = number, .timestamp = 5, .expiry = 9, .data = sc_bytes_text(text)};
  memcpy(message.account, request.account, sizeof message.account);
  sc_storage_message_hash(hash, message.account, number, message.data);
  message.hash = sc_bytes_make(hash, SC_STORAGE_HASH_CHARS);
  return message;
}

/* Another message's hash drops only that message. */
static void messages_with_their_hash_survive_a_round_trip(sc_test *t) {
  char hashes[3][44];
  sc_storage_kept list[] = {message_of("a", 0, hashes[0]), message_of("b", 2, hashes[1]),
                            message_of("c", -11, hashes[2])};
  sc_storage_transfer_reader reader;
  sc_storage_kept read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  list[1].hash = list[0].hash;
  OK(sc_storage_transfer_write(&bytes, list, 3));
  OK(sc_storage_transfer_begin(&reader, sc_buffer_bytes(&bytes)));
  for (size_t i = 0; i < 3; i += 2) {
    OK(sc_storage_transfer_next(&read, &reader));
    SAME(list[i].data, read.data);
    SAME(list[i].hash, read.hash);
    SAME(SC_BYTES(list[i].account), SC_BYTES(read.account));
    CHECK(read.number == list[i].number && read.timestamp == 5 && read.expiry == 9);
  }
  FAILS(SC_ERR_NOT_FOUND, sc_storage_transfer_next(&read, &reader));
  list[1].hash.len--;
  FAILS(SC_ERR_ARGUMENT, sc_storage_transfer_write(&bytes, list, 3));
done:
  sc_buffer_free(&bytes);
}

/* `middle` is the text between the account and the end of the message. */
static sc_status write_by_hand(sc_buffer *out, size_t account_len, const char *middle) {
  sc_storage_request request = cast_request(SC_STORAGE_STORE);
  char length[16];
  int chars = snprintf(length, sizeof length, "\1ll%zu:", account_len);
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_make(length, (size_t)chars));
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_make(request.account, account_len));
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(middle));
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text("ee")) : status;
}

#define HELLO(hash) "43:" hash "i5ei9e11:hello world"

/* A message without a namespace belongs to one of the old namespaces. */
static void namespaces_are_recovered_from_the_hash(sc_test *t) {
  static const struct {
    const char *middle;
    bool is_kept;
    int16_t number;
  } known[] = {{HELLO(CAST_HASH_0), true, 0},
               {HELLO(CAST_HASH_2), true, 2},
               {HELLO(CAST_HASH_11), true, -11},
               {HELLO(CAST_HASH_11) "i-11e", true, -11},
               {HELLO(CAST_HASH_11) "i2e", false, 0},
               {HELLO(CAST_HASH_2) "i65538e", false, 0},
               {"43:" CAST_HASH_2 "i5ei9e11:hello earth", false, 0},
               {HELLO(CAST_HASH_2) "i2e3:any", true, 2}};
  sc_storage_transfer_reader reader;
  sc_storage_kept read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(write_by_hand(&bytes, SC_STORAGE_ACCOUNT_BYTES, known[i].middle));
    OK(sc_storage_transfer_begin(&reader, sc_buffer_bytes(&bytes)));
    FAILS(known[i].is_kept ? SC_OK : SC_ERR_NOT_FOUND, sc_storage_transfer_next(&read, &reader));
    CHECK(!known[i].is_kept || read.number == known[i].number);
  }
  OK(write_by_hand(&bytes, SC_STORAGE_ACCOUNT_BYTES - 1, HELLO(CAST_HASH_2)));
  OK(sc_storage_transfer_begin(&reader, sc_buffer_bytes(&bytes)));
  FAILS(SC_ERR_NOT_FOUND, sc_storage_transfer_next(&read, &reader));
done:
  sc_buffer_free(&bytes);
}

static sc_status read_all(sc_bytes transfer) {
  sc_storage_transfer_reader reader;
  sc_storage_kept read;
  sc_status status = sc_storage_transfer_begin(&reader, transfer);
  while (status == SC_OK)
    status = sc_storage_transfer_next(&read, &reader);
  return status;
}

static void an_invalid_transfer_is_refused(sc_test *t) {
  static const struct {
    const char *text;
    sc_status why;
  } known[] = {{"", SC_ERR_VERSION},
               {"\2le", SC_ERR_VERSION},
               {"le", SC_ERR_VERSION},
               {"\1", SC_ERR_TRUNCATED},
               {"\1l", SC_ERR_TRUNCATED},
               {"\1de", SC_ERR_BT_TYPE},
               {"\1le ", SC_ERR_TRAILING},
               {"\1li1ee", SC_ERR_BT_TYPE},
               {"\1lli1eee", SC_ERR_BT_TYPE},
               {"\1llee", SC_ERR_BT_TYPE},
               {"\1ll1:a1:bi-1e", SC_ERR_BT_RANGE},
               {"\1le", SC_ERR_NOT_FOUND}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    FAILS(known[i].why, read_all(sc_bytes_text(known[i].text)));
done:;
}

static void revocations_survive_a_round_trip(sc_test *t) {
  sc_storage_revocation list[2] = {{{5, 1}, {3, 7}}, {{3, 2}, {3, 1, 0, 0, 9}}}, read;
  sc_storage_transfer_reader reader;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_storage_revocations_write(&bytes, list, 2));
  OK(sc_storage_revocations_begin(&reader, sc_buffer_bytes(&bytes)));
  for (size_t i = 0; i < 2; i++) {
    OK(sc_storage_revocations_next(&read, &reader));
    SAME(SC_BYTES(list[i].account), SC_BYTES(read.account));
    SAME(SC_BYTES(list[i].token), SC_BYTES(read.token));
  }
  FAILS(SC_ERR_NOT_FOUND, sc_storage_revocations_next(&read, &reader));
  OK(sc_storage_revocations_begin(&reader, sc_bytes_text("l3:abc3:abce")));
  FAILS(SC_ERR_BT_RANGE, sc_storage_revocations_next(&read, &reader));
  FAILS(SC_ERR_BT_TYPE, sc_storage_revocations_begin(&reader, sc_bytes_text("i1e")));
done:
  sc_buffer_free(&bytes);
}

static void parts_survive_a_round_trip(sc_test *t) {
  static uint8_t large[100000];
  const sc_bytes parts[SC_STORAGE_MAX_PARTS + 1] = {SC_BYTES(large), {0}, sc_bytes_text("last")};
  sc_bytes read[SC_STORAGE_MAX_PARTS];
  size_t count;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t n = 0; n <= SC_STORAGE_MAX_PARTS; n++) {
    OK(sc_storage_parts_write(&bytes, parts, n));
    OK(sc_storage_parts_parse(read, &count, sc_buffer_bytes(&bytes)));
    CHECK(count == n);
    for (size_t i = 0; i < n; i++)
      SAME(parts[i], read[i]);
  }
  FAILS(SC_ERR_ARGUMENT, sc_storage_parts_write(&bytes, parts, SC_STORAGE_MAX_PARTS + 1));
  FAILS(SC_ERR_TOO_LARGE, sc_storage_parts_parse(read, &count, sc_bytes_text("l0:0:0:0:0:0:0:0:0:e")));
done:
  sc_buffer_free(&bytes);
}

static void an_invalid_list_of_parts_is_refused(sc_test *t) {
  static const char *const known[] = {"",     "l",  "le ",   "l3:ab", "l01:ae",       "l-1:e",
                                      "l1:a", "de", "li5ee", "llee",  "l999999999:e", "l:e"};
  sc_bytes read[SC_STORAGE_MAX_PARTS];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    size_t count = 7;
    CHECK(sc_storage_parts_parse(read, &count, sc_bytes_text(known[i])) != SC_OK && count == 0);
  }
done:;
}

static void replies_have_a_code(sc_test *t) {
  static const char *const wrong[] = {"l3:200e",   "l2:200:e",  "l3:9990:e",
                                      "l3:2x00:e", "l3:0990:e", "l3:2000:0:e"};
  sc_storage_answer read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_storage_peer_answer_write(&bytes, &(sc_storage_answer){421, sc_bytes_text("elsewhere")}));
  SAME(sc_bytes_text("l3:4219:elsewheree"), sc_buffer_bytes(&bytes));
  OK(sc_storage_peer_answer_parse(&read, sc_buffer_bytes(&bytes)));
  CHECK(read.code == 421);
  SAME(sc_bytes_text("elsewhere"), read.body);
  FAILS(SC_ERR_ARGUMENT, sc_storage_peer_answer_write(&bytes, &(sc_storage_answer){.code = 600}));
  FAILS(SC_ERR_ARGUMENT, sc_storage_peer_answer_write(&bytes, &(sc_storage_answer){.code = 99}));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    FAILS(SC_ERR_STORAGE_REPLY, sc_storage_peer_answer_parse(&read, sc_bytes_text(wrong[i])));
done:
  sc_buffer_free(&bytes);
}

SUITE(node_transfer, "node/transfer",
      {"messages with their hash survive a round trip", messages_with_their_hash_survive_a_round_trip},
      {"namespaces are recovered from the hash", namespaces_are_recovered_from_the_hash},
      {"an invalid transfer is refused", an_invalid_transfer_is_refused},
      {"revocations survive a round trip", revocations_survive_a_round_trip},
      {"parts survive a round trip", parts_survive_a_round_trip},
      {"an invalid list of parts is refused", an_invalid_list_of_parts_is_refused},
      {"replies have a code", replies_have_a_code});
