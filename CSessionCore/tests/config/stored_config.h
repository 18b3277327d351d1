/* Shared by the tests of config kinds: configs with given data, and the data of a config. */
#ifndef SC_TESTS_CONFIG_STORED_CONFIG_H
#define SC_TESTS_CONFIG_STORED_CONFIG_H

#include "saved.h"

/* 33 and 32 readable bytes. */
#define ALICE                                                                                                \
  "\x05"                                                                                                     \
  "alicealicealicealicealicealice12"
#define BOB                                                                                                  \
  "\x05"                                                                                                     \
  "bobbobbobbobbobbobbobbobbobbob12"
#define KEY "secretkeysecretkeysecretkey12345"

#define TEN "abcdefghij"
#define NINETY TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define HUNDRED NINETY TEN

#define NAME(text) sc_bytes_text(text)
#define TEXT_BYTES(text) sc_bytes_make((text), sizeof(text) - 1)

static inline sc_id id_of(const char *bytes) {
  sc_id id;
  memcpy(id.bytes, bytes, sizeof id.bytes);
  return id;
}

/* The account of these tests. */
static inline sc_keypair own_keys(void) {
  static const uint8_t seed[SC_ED25519_SEED_BYTES] = {7};
  sc_keypair keys;
  sc_keypair_from_seed(&keys, seed);
  return keys;
}

/* The config holds these data; they are left in `bytes`. */
#define HOLDS_DATA(bytes, config, text)                                                                      \
  do {                                                                                                       \
    OK(device_data(&(bytes), (config)));                                                                     \
    SAME(TEXT_BYTES(text), sc_buffer_bytes(&(bytes)));                                                       \
  } while (0)

static inline bool is_untouched(const sc_config *config) {
  return sc_config_state_of(config) == SC_CONFIG_CLEAN && !sc_config_needs_push(config) &&
         !sc_config_needs_dump(config);
}

#endif
