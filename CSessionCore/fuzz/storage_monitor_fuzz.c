/* Subscriptions, their answers, and events. The first byte of the input chooses. */
#include "fuzz.h"

static void subscriptions(sc_bytes input) {
  const sc_storage_judge judge = {.now = 1700000000000};
  sc_storage_subscription_reader reader;
  sc_storage_subscription read;
  sc_storage_monitor_error error, judged;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  if (sc_storage_subscriptions_begin(&reader, input) != SC_OK)
    return;
  REQUIRE(reader.count > 0 && reader.count <= SC_STORAGE_MAX_SUBSCRIPTIONS);
  for (size_t i = 0; i < reader.count; i++) {
    REQUIRE(sc_storage_subscriptions_next(&read, &error, &reader) == SC_OK);
    REQUIRE(sc_storage_subscription_judge(&judged, fuzz_env(), &read, &judge) == SC_OK);
    REQUIRE(error != SC_STORAGE_MONITOR_OK || sc_storage_subscriptions_write(&written, &read, 1) == SC_OK);
  }
  REQUIRE(sc_storage_subscriptions_next(&read, &error, &reader) == SC_ERR_NOT_FOUND);
  sc_buffer_free(&written);
}

static void answers(sc_bytes input) {
  enum { most = 4 };
  sc_storage_monitor_error errors[most];
  size_t count = (size_t)fuzz_take_byte(&input) % (most + 1);
  sc_status status = sc_storage_monitor_answers_parse(errors, count, input);
  REQUIRE(status == SC_OK || status == SC_ERR_STORAGE_REPLY);
  for (size_t i = 0; status == SC_OK && i < count; i++)
    REQUIRE(errors[i] >= SC_STORAGE_MONITOR_OK && errors[i] <= SC_STORAGE_MONITOR_SWARM);
}

static void event(sc_bytes input) {
  sc_storage_event first, second;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  if (sc_storage_event_parse(&first, input) != SC_OK)
    return;
  REQUIRE(sc_storage_event_write(&written, &first) == SC_OK);
  REQUIRE(sc_storage_event_parse(&second, sc_buffer_bytes(&written)) == SC_OK);
  REQUIRE(sc_bytes_same(first.hash, second.hash) && sc_bytes_same(first.data, second.data));
  sc_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {subscriptions, answers, event};
  REQUIRE(sc_init() == SC_OK);
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 3](input);
  return 0;
}
