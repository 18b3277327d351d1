#include "config/part.h"

#include "config/envelope.h"
#include "config/multipart.h"
#include "support/test.h"
#include "worked_example.h"

/* Splits the known message, which is no config. */
SC_NODISCARD static sc_status split_known(sc_config_stored *out, const sc_env *env) {
  enum { known_len = 160001 };
  sc_keypair account;
  sc_buffer message, padded;
  worked_account(&account);
  sc_buffer_init(&message, env);
  sc_buffer_init(&padded, env);
  uint8_t *room;
  sc_status status = sc_buffer_extend(&room, &message, known_len);
  if (status == SC_OK) {
    room[0] = 'd';
    for (size_t i = 1; i < known_len; i++)
      room[i] = (uint8_t)(7 * (i - 1) + 3);
    status = sc_config_pad(&padded, sc_buffer_bytes(&message), SC_CONFIG_ENCRYPT_OVERHEAD);
  }
  if (status == SC_OK)
    status = sc_config_split(out, worked_key(&account), sc_bytes_text("Contacts"), sc_buffer_bytes(&padded));
  sc_buffer_free(&message);
  sc_buffer_free(&padded);
  return status;
}

static void a_known_message_is_split(sc_test *t) {
  static const char set_hex[] = "10695683ea340cb7f02899a726b09a30413c2f1950354f5beb545cca4834945d";
  static const char *const hashes[] = {
      "ecdd0ed0a2603f108e823c872da0636a353ebd04227f34098d1aac49f3318b60",
      "ba3a1fddfe557d9db339de800d0476686dd701284dd11b54194c68869f69a832",
      "7d4c9eae3f6468b17c1da716ebe5df1b7eb33d6b85f350ba32093dc2e15af5ec",
  };
  static const size_t lengths[] = {76800, 76800, 10470};
  sc_config_stored stored;
  sc_config_stored_init(&stored, t->env);
  uint8_t set[SC_CONFIG_SET_BYTES];
  sc_test_hex_into(set, sizeof set, set_hex);
  OK(split_known(&stored, t->env));
  SAME(SC_BYTES(set), SC_BYTES(stored.set));
  CHECK(sc_config_stored_count(&stored) == 3);
  for (size_t i = 0; i < 3; i++) {
    sc_bytes part = sc_config_stored_message(&stored, i);
    CHECK(part.len == lengths[i]);
    CHECK(is_hashed(hashes[i], part));
  }
done:
  sc_config_stored_free(&stored);
}

static void a_known_part_is_read(sc_test *t) {
  static const char begin_hex[] =
      "6d6c33323a10695683ea340cb7f02899a726b09a30413c2f1950354f5beb545cca4834945d313a02313a0331303338303a";
  uint8_t begin[sizeof begin_hex / 2];
  sc_test_hex_into(begin, sizeof begin, begin_hex);
  sc_keypair account;
  worked_account(&account);
  const sc_bytes key = worked_key(&account);
  sc_config_stored stored;
  sc_buffer plain;
  sc_config_stored_init(&stored, t->env);
  sc_buffer_init(&plain, t->env);
  OK(split_known(&stored, t->env));
  OK(sc_config_decrypt(&plain, &key, 1, sc_bytes_text("Contacts"), sc_config_stored_message(&stored, 2)));
  CHECK(plain.len == 10380 + SC_CONFIG_PART_OVERHEAD);
  SAME(SC_BYTES(begin), sc_bytes_make(plain.ptr, sizeof begin));
  CHECK(plain.ptr[plain.len - 1] == 'e');
  sc_config_part part;
  OK(sc_config_part_read(&part, sc_buffer_bytes(&plain)));
  SAME(SC_BYTES(stored.set), sc_bytes_make(part.set, SC_CONFIG_SET_BYTES));
  CHECK(part.index == 2 && part.count == 3 && part.chunk.len == 10380);
done:
  sc_config_stored_free(&stored);
  sc_buffer_free(&plain);
}

static void every_part_adds_the_same_overhead(sc_test *t) {
  static const size_t lengths[] = {1, 9, 10, 99, 100, 9999, 10000, SC_CONFIG_CHUNK_BYTES};
  static const uint8_t bytes[SC_CONFIG_CHUNK_BYTES] = {1}, set[SC_CONFIG_SET_BYTES] = {2};
  sc_buffer plain;
  sc_buffer_init(&plain, t->env);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    sc_config_part part = {set, 1, 2, sc_bytes_make(bytes, lengths[i])}, read;
    sc_buffer_clear(&plain);
    OK(sc_config_part_append(&plain, &part));
    CHECK(plain.len == lengths[i] + SC_CONFIG_PART_OVERHEAD);
    OK(sc_config_part_read(&read, sc_buffer_bytes(&plain)));
    SAME(part.chunk, read.chunk);
  }
done:
  sc_buffer_free(&plain);
}

#define SET                                                                                                  \
  "33323a"                                                                                                   \
  "1010101010101010101010101010101010101010101010101010101010101010"

static void an_invalid_part_is_not_read(sc_test *t) {
  static const char *const cases[] = {
      "",
      "6d",
      "646c" SET "313a00313a02313a6165",     /* another letter */
      "6d64" SET "313a00313a02313a6165",     /* no list */
      "6d6c" SET "313a00313a01313a6165",     /* one part */
      "6d6c" SET "313a00313a00313a6165",     /* no part */
      "6d6c" SET "313a02313a02313a6165",     /* behind the last */
      "6d6c" SET "313a00313a02303a65",       /* empty */
      "6d6c" SET "313a00313a0265",           /* no chunk */
      "6d6c" SET "313a00313a02313a61303a65", /* a fifth element */
      "6d6c" SET "313a00313a02313a61",       /* no end */
      "6d6c" SET "323a0000313a02313a6165",   /* two bytes of index */
      "6d6c" SET "313a00303a313a6165",       /* no byte of count */
      "6d6c" SET "693065313a02313a6165",     /* a number */
      "6d6c"
      "313a10"
      "313a00313a02313a6165",                      /* a short name */
      "6d6c" SET "313a00313a02313a61650000000000", /* five zeros */
      "6d6c" SET "313a00313a02313a616501",         /* something else */
      "6d6c" SET "313a00313a02313a61650065",
  };
  sc_buffer plain;
  sc_buffer_init(&plain, t->env);
  sc_config_part part;
  OK(sc_test_hex(&plain, "6d6c" SET "313a00313a02313a6165"));
  OK(sc_config_part_read(&part, sc_buffer_bytes(&plain)));
  OK(sc_test_hex(&plain, "00000000"));
  OK(sc_config_part_read(&part, sc_buffer_bytes(&plain)));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&plain);
    OK(sc_test_hex(&plain, cases[i]));
    FAILS(SC_ERR_CONFIG_PART, sc_config_part_read(&part, sc_buffer_bytes(&plain)));
  }
done:
  sc_buffer_free(&plain);
}

static void no_part_is_larger_than_a_stored_message(sc_test *t) {
  static const uint8_t large[SC_STORED_MAX_BYTES + 1] = {'m'};
  sc_config_part part;
  FAILS(SC_ERR_TOO_LARGE, sc_config_part_read(&part, SC_BYTES(large)));
  FAILS(SC_ERR_CONFIG_PART, sc_config_part_read(&part, sc_bytes_make(large, SC_STORED_MAX_BYTES)));
done:;
}

static void invalid_input_is_not_split(sc_test *t) {
  static const uint8_t message[SC_CONFIG_MAX_PADDED_BYTES + 1] = {0};
  static const uint8_t key[SC_KEY_BYTES] = {0};
  const sc_bytes domain = sc_bytes_text("Contacts");
  const sc_bytes smallest = sc_bytes_make(message, SC_CONFIG_CHUNK_BYTES + 1);
  sc_config_stored stored;
  sc_config_stored_init(&stored, t->env);
  FAILS(SC_ERR_ARGUMENT,
        sc_config_split(&stored, SC_BYTES(key), domain, sc_bytes_make(message, SC_CONFIG_CHUNK_BYTES)));
  FAILS(SC_ERR_TOO_LARGE, sc_config_split(&stored, SC_BYTES(key), domain, SC_BYTES(message)));
  FAILS(SC_ERR_KEY_SIZE, sc_config_split(&stored, sc_bytes_make(key, 31), domain, smallest));
  FAILS(SC_ERR_ARGUMENT, sc_config_split(&stored, SC_BYTES(key), sc_bytes_text(""), smallest));
  CHECK(sc_config_stored_count(&stored) == 0);
  OK(sc_config_split(&stored, SC_BYTES(key), domain, smallest));
  CHECK(sc_config_stored_count(&stored) == 2);
  CHECK(sc_config_stored_message(&stored, 1).len == 1 + SC_CONFIG_PART_OVERHEAD + SC_CONFIG_ENCRYPT_OVERHEAD);
done:
  sc_config_stored_free(&stored);
}

SUITE(config_part, "config/part", {"a known message is split", a_known_message_is_split},
      {"a known part is read", a_known_part_is_read},
      {"every part adds the same overhead", every_part_adds_the_same_overhead},
      {"an invalid part is not read", an_invalid_part_is_not_read},
      {"no part is larger than a stored message", no_part_is_larger_than_a_stored_message},
      {"invalid input is not split", invalid_input_is_not_split});
