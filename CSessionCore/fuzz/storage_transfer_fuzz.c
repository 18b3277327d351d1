/* Transfers between nodes. The first byte of the input chooses: a transfer of messages, revocations, or
 * parts. A transfer that was read and written again reads back the same. */
#include "fuzz.h"

enum { most_things = 64 };

static bool is_inside(sc_bytes part, sc_bytes whole) {
  return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

static void check_message(const sc_storage_kept *message, sc_bytes input) {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  REQUIRE(is_inside(message->hash, input) && is_inside(message->data, input));
  sc_storage_message_hash(hash, message->account, message->number, message->data);
  REQUIRE(sc_bytes_same(message->hash, sc_bytes_text(hash)));
}

static void transfer(sc_bytes input) {
  sc_storage_transfer_reader reader;
  sc_storage_kept list[most_things], again;
  size_t count = 0;
  sc_buffer written;
  sc_status status = sc_storage_transfer_begin(&reader, input);
  while (status == SC_OK && count < most_things &&
         (status = sc_storage_transfer_next(&list[count], &reader)) == SC_OK)
    check_message(&list[count++], input);
  sc_buffer_init(&written, fuzz_env());
  REQUIRE(sc_storage_transfer_write(&written, list, count) == SC_OK);
  REQUIRE(sc_storage_transfer_begin(&reader, sc_buffer_bytes(&written)) == SC_OK);
  for (size_t i = 0; i < count; i++) {
    REQUIRE(sc_storage_transfer_next(&again, &reader) == SC_OK);
    REQUIRE(sc_bytes_same(again.hash, list[i].hash) && sc_bytes_same(again.data, list[i].data));
    REQUIRE(again.number == list[i].number && again.timestamp == list[i].timestamp &&
            again.expiry == list[i].expiry);
  }
  REQUIRE(sc_storage_transfer_next(&again, &reader) == SC_ERR_NOT_FOUND);
  sc_buffer_free(&written);
}

static void revocations(sc_bytes input) {
  sc_storage_transfer_reader reader;
  sc_storage_revocation list[most_things];
  size_t count = 0;
  sc_buffer written;
  sc_status status = sc_storage_revocations_begin(&reader, input);
  while (status == SC_OK && count < most_things &&
         (status = sc_storage_revocations_next(&list[count], &reader)) == SC_OK)
    count++;
  sc_buffer_init(&written, fuzz_env());
  REQUIRE(sc_storage_revocations_write(&written, list, count) == SC_OK);
  REQUIRE(status != SC_ERR_NOT_FOUND || sc_bytes_same(input, sc_buffer_bytes(&written)));
  sc_buffer_free(&written);
}

static void parts(sc_bytes input) {
  sc_bytes list[SC_STORAGE_MAX_PARTS];
  sc_storage_answer answer;
  size_t count;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  sc_status status = sc_storage_parts_parse(list, &count, input);
  REQUIRE(status == SC_OK || count == 0);
  if (status == SC_OK) {
    REQUIRE(sc_storage_parts_write(&written, list, count) == SC_OK);
    REQUIRE(sc_bytes_same(input, sc_buffer_bytes(&written)));
  }
  if (sc_storage_peer_answer_parse(&answer, input) == SC_OK) {
    REQUIRE(status == SC_OK && sc_storage_peer_answer_write(&written, &answer) == SC_OK);
    REQUIRE(sc_bytes_same(input, sc_buffer_bytes(&written)));
  }
  sc_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {transfer, revocations, parts};
  REQUIRE(sc_init() == SC_OK);
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
