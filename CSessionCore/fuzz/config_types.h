/* Shared by the fuzz targets of the kinds of configs. They make a config of each kind from arbitrary data,
 * read it, and set it to what they read. */
#ifndef SC_FUZZ_CONFIG_TYPES_H
#define SC_FUZZ_CONFIG_TYPES_H

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

/* The account the configs belong to. */
static inline const sc_keypair *fuzz_config_account(void) {
  static sc_keypair account;
  static bool ready;
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {1};
  if (ready)
    return &account;
  REQUIRE(sc_init() == SC_OK);
  sc_keypair_from_seed(&account, seed);
  ready = true;
  return &account;
}

static inline void fuzz_append(sc_buffer *out, const char *text) {
  REQUIRE(sc_buffer_append(out, sc_bytes_text(text)) == SC_OK);
}

/* Appends the dump of a clean config with these data, which keeps `extra` beside them. Both are one encoded
 * value, or nothing for an empty dict. */
static inline void fuzz_config_dump(sc_buffer *out, sc_bytes data, sc_bytes extra) {
  sc_buffer message;
  char len[32];
  sc_buffer_init(&message, fuzz_env());
  fuzz_append(&message, "d1:#i1e1:&");
  REQUIRE(sc_buffer_append(&message, data.len > 0 ? data : sc_bytes_text("de")) == SC_OK);
  fuzz_append(&message, "1:<le1:=dee");
  snprintf(len, sizeof len, "%zu:", message.len);
  fuzz_append(out, "d1:!i0e1:$");
  fuzz_append(out, len);
  REQUIRE(sc_buffer_append(out, sc_buffer_bytes(&message)) == SC_OK);
  fuzz_append(out, "1:(le1:)le1:*de1:+");
  REQUIRE(sc_buffer_append(out, extra.len > 0 ? extra : sc_bytes_text("de")) == SC_OK);
  fuzz_append(out, "e");
  sc_buffer_free(&message);
}

/* Writes the config's dump. */
static inline void fuzz_config_save(sc_buffer *out, sc_config *config) {
  REQUIRE(sc_config_dump(out, config, 0) == SC_OK);
  REQUIRE(!sc_config_needs_dump(config));
}

/* Nothing has happened to the config since it was saved. */
static inline void fuzz_config_unchanged(sc_config *config, const sc_buffer *saved) {
  sc_buffer now;
  sc_buffer_init(&now, fuzz_env());
  REQUIRE(!sc_config_needs_dump(config));
  fuzz_config_save(&now, config);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(saved), sc_buffer_bytes(&now)));
  sc_buffer_free(&now);
}

#endif
