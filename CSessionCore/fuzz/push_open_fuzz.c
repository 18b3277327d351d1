/* The first byte chooses: the rest is a payload, or what is inside one. */
#include "sealed.h"

static const uint8_t key[SC_KEY_BYTES] = {1};

/* Joining the parts of a split notification gives the same bytes. */
static void check_split(sc_bytes opened) {
  sc_bytes metadata, message;
  if (sc_push_split(&metadata, &message, opened) != SC_OK) {
    REQUIRE(metadata.len == 0 && message.len == 0);
    return;
  }
  sc_buffer again;
  sc_buffer_init(&again, fuzz_env());
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &again);
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, metadata);
  if (message.ptr != NULL)
    sc_bt_write_string(&writer, message);
  sc_bt_end(&writer);
  REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
  REQUIRE(sc_bytes_same(opened, sc_buffer_bytes(&again)));
  sc_buffer_free(&again);
}

static void check_raw(sc_buffer *opened, sc_bytes payload) {
  sc_status status = sc_push_open(opened, SC_BYTES(key), payload);
  REQUIRE((status == SC_ERR_TRUNCATED) == (payload.len < 40));
  REQUIRE(status == SC_OK || opened->len == 0);
  check_split(payload);
}

static bool is_zeros(sc_bytes bytes) {
  for (size_t i = 0; i < bytes.len; i++)
    if (bytes.ptr[i] != 0)
      return false;
  return true;
}

static void check_genuine(sc_buffer *opened, sc_bytes input) {
  size_t padding = fuzz_take_byte(&input);
  sc_buffer payload;
  sc_buffer_init(&payload, fuzz_env());
  REQUIRE(sc_push_seal(&payload, fuzz_env(), SC_BYTES(key), input, padding) == SC_OK);
  REQUIRE(sc_push_open(opened, SC_BYTES(key), sc_buffer_bytes(&payload)) == SC_OK);
  bool zeros = is_zeros(input);
  REQUIRE(zeros ? opened->len >= input.len : opened->len <= input.len);
  size_t same = zeros ? input.len : opened->len;
  REQUIRE(sc_bytes_same(sc_bytes_make(input.ptr, same), sc_bytes_make(opened->ptr, same)));
  REQUIRE(zeros || is_zeros(sc_bytes_make(input.ptr + same, input.len - same)));
  check_split(sc_buffer_bytes(opened));
  payload.ptr[payload.len - 1] ^= 1;
  REQUIRE(sc_push_open(opened, SC_BYTES(key), sc_buffer_bytes(&payload)) == SC_ERR_DECRYPT);
  REQUIRE(opened->len == 0);
  sc_buffer_free(&payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_buffer opened;
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes input = sc_bytes_make(data, size);
  if (fuzz_take_byte(&input) % 2 == 0)
    check_raw(&opened, input);
  else
    check_genuine(&opened, input);
  sc_buffer_free(&opened);
  return 0;
}
