/* Saved guards: no more than there may be, each once, none from the future, and written as they are read. */
#include "fuzz.h"
#include "network/guards/sample_file.h"

enum { today = 20000, longest_future = 120, longest_middle = 12 };

static void check(const sc_sample *sample) {
  REQUIRE(sample->count <= sc_sample_most);
  for (size_t i = 0; i < sample->count; i++) {
    const sc_guard *guard = &sample->guards[i];
    REQUIRE(guard->sampled <= today && guard->confirmed <= today && guard->unlisted <= today);
    REQUIRE(guard->ends <= today + longest_future && guard->back_until <= today + longest_future);
    REQUIRE((guard->number == 0) == (guard->confirmed == 0));
    for (size_t j = 0; j < i; j++) {
      const sc_guard *other = &sample->guards[j];
      REQUIRE(memcmp(guard->key, other->key, SC_KEY_BYTES) != 0);
      REQUIRE(guard->number == 0 || guard->number != other->number);
    }
  }
  REQUIRE(sample->middle_count <= sc_sample_most_middles);
  for (size_t i = 0; i < sample->middle_count; i++) {
    REQUIRE(sample->middles[i].ends <= today + longest_middle &&
            !sc_sample_has(sample, sample->middles[i].key));
    for (size_t j = 0; j < i; j++)
      REQUIRE(memcmp(sample->middles[i].key, sample->middles[j].key, SC_KEY_BYTES) != 0);
  }
  for (size_t i = 0; i < sc_sample_growths; i++)
    REQUIRE(sample->growths[i] <= (i == 0 ? today : sample->growths[i - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_sample sample, again;
  sc_buffer file, second;
  REQUIRE(sc_init() == SC_OK);
  sc_buffer_init(&file, fuzz_env());
  sc_buffer_init(&second, fuzz_env());
  sc_status status = sc_sample_read(&sample, today, sc_bytes_make(data, size));
  REQUIRE((size > SC_SAMPLE_FILE_MOST) == (status == SC_ERR_TOO_LARGE));
  REQUIRE((sample.count > 0) == (status == SC_OK));
  check(&sample);
  if (status == SC_OK) {
    REQUIRE(sc_sample_write(&file, &sample) == SC_OK);
    REQUIRE(sc_sample_read(&again, today, sc_buffer_bytes(&file)) == SC_OK);
    REQUIRE(sc_sample_write(&second, &again) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&file), sc_buffer_bytes(&second)));
  }
  sc_buffer_free(&file);
  sc_buffer_free(&second);
  return 0;
}
