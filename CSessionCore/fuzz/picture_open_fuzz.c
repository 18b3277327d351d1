/* A sealed picture of the fuzzer's, or a genuine one that it changed. Input: mode 1, then the file, or
 * picture ‖ changes. */
#include "fuzz.h"
#include "fuzz_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes mode = fuzz_take(&input, 1);
  if (mode.len == 0)
    return 0;
  sc_buffer genuine, sealed, opened;
  uint8_t key[SC_PICTURE_KEY_BYTES] = {0};
  sc_buffer_init(&genuine, NULL);
  sc_buffer_init(&sealed, NULL);
  sc_buffer_init(&opened, NULL);

  sc_bytes picture = {NULL, 0};
  bool raw = mode.ptr[0] % 2 == 0;
  if (raw) {
    REQUIRE(sc_buffer_append(&sealed, input) == SC_OK);
  } else {
    picture = fuzz_take(&input, input.len / 2);
    REQUIRE(sc_picture_seal(&genuine, key, fuzz_env(), picture) == SC_OK);
    REQUIRE(sc_buffer_append(&sealed, sc_buffer_bytes(&genuine)) == SC_OK);
    fuzz_change(&sealed, input);
  }

  bool same = !raw && sc_bytes_same(sc_buffer_bytes(&genuine), sc_buffer_bytes(&sealed));
  sc_status status = sc_picture_open(&opened, SC_BYTES(key), sc_buffer_bytes(&sealed));
  REQUIRE((status == SC_OK) == same);
  if (same)
    REQUIRE(sc_bytes_same(picture, sc_buffer_bytes(&opened)));
  else
    REQUIRE(opened.len == 0 && status == (sealed.len < 28 ? SC_ERR_FILE_FORMAT : SC_ERR_FILE_DAMAGED));
  sc_buffer_free(&genuine);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
  return 0;
}
