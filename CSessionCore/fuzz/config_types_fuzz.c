/* The kinds of configs, each over data that may be anything. The first byte says which kind; then come the
 * data, as bt, and the dump's extra data. */
#include "config_convo_info.h"
#include "config_user.h"
#include "config_user_groups.h"

static void (*const kinds[])(sc_bytes dump) = {fuzz_convo_info, fuzz_user_groups, fuzz_user_profile,
                                               fuzz_contacts, fuzz_local};

/* Takes one encoded value off the front, or everything if there is no valid value. */
static sc_bytes take_value(sc_bytes *input) {
  sc_bt_reader reader;
  sc_bytes value;
  sc_bt_reader_init(&reader, *input);
  if (sc_bt_read_raw(&value, &reader) != SC_OK)
    return fuzz_take(input, input->len);
  return fuzz_take(input, value.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { largest_input = 32768 };
  sc_bytes input = sc_bytes_make(data, size);
  sc_buffer dump;
  if (size > largest_input)
    return 0;
  sc_buffer_init(&dump, fuzz_env());
  uint8_t kind = fuzz_take_byte(&input);
  sc_bytes stored = take_value(&input);
  fuzz_config_dump(&dump, stored, take_value(&input));
  kinds[kind % (sizeof kinds / sizeof kinds[0])](sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
  return 0;
}
