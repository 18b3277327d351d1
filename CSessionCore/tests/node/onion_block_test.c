#include <stdio.h>

#include "support/test.h"

#define KEY_HEX "4fb5bbc8ee01026287a746337300c89fda8b9030864bd45d4f64dd7b9ea89212"

/* A block with three bytes of ciphertext and this control part. */
static sc_status make_block(sc_buffer *out, const char *control) {
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_make("\3\0\0\0abc", 7));
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(control)) : status;
}

static sc_status parse(sc_onion_block *out, const sc_buffer *bytes) {
  return sc_onion_block_parse(out, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_buffer_bytes(bytes));
}

static void a_block_names_its_cipher(sc_test *t) {
  uint8_t key[32];
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  sc_test_hex_into(key, 32, KEY_HEX);
  OK(make_block(&bytes, " {\"foo\":[1,{}],\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"xchacha20\"} "));
  OK(parse(&block, &bytes));
  CHECK(block.cipher == SC_HOP_XCHACHA20 && block.hop_number == 0);
  SAME(SC_BYTES(key), SC_BYTES(block.ephemeral_key));
  SAME(sc_bytes_text("abc"), block.sealed);
done:
  sc_buffer_free(&bytes);
}

static void an_unnamed_cipher_is_aes_gcm(sc_test *t) {
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\"}"));
  OK(parse(&block, &bytes));
  CHECK(block.cipher == SC_HOP_AES_GCM);
done:
  sc_buffer_free(&bytes);
}

/* Shorter than a length field; a length beyond the end; JSON missing, truncated, not an object, or with
 * trailing bytes. */
static void a_malformed_block_is_refused(sc_test *t) {
  static const char *const controls[] = {"",     "{",    "[1]",   "null", "\"text\"",
                                         "{} x", "{}{}", "{a:1}", "c{}",  "{\"a\":1,\"a\":2}"};
  sc_onion_block block = {0};
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t len = 0; len < 4; len++)
    FAILS(SC_ERR_ONION_BLOCK,
          sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_bytes_make("\0\0\0", len)));
  FAILS(SC_ERR_ONION_BLOCK,
        sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES, sc_bytes_make("\3\0\0\0{}", 6)));
  FAILS(SC_ERR_ONION_BLOCK, sc_onion_block_parse(&block, SC_ONION_AT_NODE, SC_ONION_MAX_BYTES,
                                                 sc_bytes_make("\xff\xff\xff\xff{}", 6)));
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    OK(make_block(&bytes, controls[i]));
    FAILS(SC_ERR_ONION_BLOCK, parse(&block, &bytes));
  }
  CHECK(block.sealed.ptr == NULL);
done:
  sc_buffer_free(&bytes);
}

static void an_ephemeral_key_is_64_digits(sc_test *t) {
  static const char *const controls[] = {
      "{}",
      "{\"ephemeral_key\":null}",
      "{\"ephemeral_key\":7}",
      "{\"ephemeral_key\":\"\"}",
      "{\"ephemeral_key\":\"4fb5bbc8ee01026287a746337300c89fda8b9030864bd45d4f64dd7b9ea892\"}",
      "{\"ephemeral_key\":\"" KEY_HEX "00\"}",
      "{\"ephemeral_key\":\"zfb5bbc8ee01026287a746337300c89fda8b9030864bd45d4f64dd7b9ea89212\"}",
      "{\"ephemeral_key\":\"T7W7yO4BAmKHp0YzcwDIn9qLkDCGS9RdT2Tde56okhI=\"}",
  };
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    OK(make_block(&bytes, controls[i]));
    FAILS(SC_ERR_ONION_CONTROL, parse(&block, &bytes));
  }
done:
  sc_buffer_free(&bytes);
}

static void servers_read_keys_in_every_encoding(sc_test *t) {
  static const char *const controls[] = {
      "{\"ephemeral_key\":\"" KEY_HEX "\"}",
      "{\"ephemeral_key\":\"T7W7yO4BAmKHp0YzcwDIn9qLkDCGS9RdT2Tde56okhI=\"}",
      "{\"ephemeral_key\":\"T7W7yO4BAmKHp0YzcwDIn9qLkDCGS9RdT2Tde56okhI\"}",
      "{\"ephemeral_key\":\"j645z18qyrbgfb78ea3zgygeu9pezrboo3f7ezkxcuqzz8ie1ejy\"}",
  };
  uint8_t key[32];
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  sc_test_hex_into(key, 32, KEY_HEX);
  for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
    OK(make_block(&bytes, controls[i]));
    OK(sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, sc_buffer_bytes(&bytes)));
    SAME(SC_BYTES(key), SC_BYTES(block.ephemeral_key));
  }
  OK(make_block(&bytes, "{\"ephemeral_key\":\"T7W7yO4BAmKHp0YzcwDIn9qLkDCGS9RdT2Tde56okh\"}"));
  FAILS(SC_ERR_ONION_CONTROL,
        sc_onion_block_parse(&block, SC_ONION_AT_SERVER, SC_ONION_MAX_BYTES, sc_buffer_bytes(&bytes)));
done:
  sc_buffer_free(&bytes);
}

static void an_unknown_or_unsafe_cipher_is_refused(sc_test *t) {
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"rot13\"}"));
  FAILS(SC_ERR_CIPHER, parse(&block, &bytes));
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":\"aes-cbc\"}"));
  FAILS(SC_ERR_CIPHER, parse(&block, &bytes));
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":7}"));
  FAILS(SC_ERR_ONION_CONTROL, parse(&block, &bytes));
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\",\"enc_type\":null}"));
  FAILS(SC_ERR_ONION_CONTROL, parse(&block, &bytes));
done:
  sc_buffer_free(&bytes);
}

typedef struct known_number {
  const char *text;
  unsigned number;
} known_number;

static void a_hop_number_stays_within_its_limits(sc_test *t) {
  static const known_number known[] = {
      {"0", 0},
      {"1", 1},
      {"15", 15},
      {"-1", 0},
      {"-9223372036854775808", 0},
      {"16", 16},
      {"17", 16},
      {"2147483647", 16},
      {"18446744073709551615", 16},
  };
  static const char *const wrong[] = {"1.5", "\"1\"", "true", "null", "[]"};
  char control[160];
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    snprintf(control, sizeof control, "{\"ephemeral_key\":\"" KEY_HEX "\",\"hop_no\":%s}", known[i].text);
    OK(make_block(&bytes, control));
    OK(parse(&block, &bytes));
    CHECK(block.hop_number == known[i].number);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(control, sizeof control, "{\"ephemeral_key\":\"" KEY_HEX "\",\"hop_no\":%s}", wrong[i]);
    OK(make_block(&bytes, control));
    FAILS(SC_ERR_ONION_CONTROL, parse(&block, &bytes));
  }
done:
  sc_buffer_free(&bytes);
}

static void sizes_are_limited(sc_test *t) {
  sc_onion_block block;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(make_block(&bytes, "{\"ephemeral_key\":\"" KEY_HEX "\"}"));
  OK(sc_onion_block_parse(&block, SC_ONION_AT_NODE, bytes.len, sc_buffer_bytes(&bytes)));
  FAILS(SC_ERR_TOO_LARGE,
        sc_onion_block_parse(&block, SC_ONION_AT_NODE, bytes.len - 1, sc_buffer_bytes(&bytes)));
  size_t control = bytes.len - 7;
  for (size_t i = control; i < SC_ONION_MAX_CONTROL_BYTES; i++)
    OK(sc_buffer_append_byte(&bytes, ' '));
  OK(parse(&block, &bytes));
  OK(sc_buffer_append_byte(&bytes, ' '));
  FAILS(SC_ERR_ONION_BLOCK, parse(&block, &bytes));
done:
  sc_buffer_free(&bytes);
}

static sc_onion_block some_block(void) {
  sc_onion_block block = {.cipher = SC_HOP_XCHACHA20, .hop_number = 3, .sealed = sc_bytes_text("abc")};
  memset(block.ephemeral_key, 'k', sizeof block.ephemeral_key);
  return block;
}

static void nodes_relay_in_their_own_form(sc_test *t) {
  static const char known[] = "d4:data3:abc8:enc_type9:xchacha2013:ephemeral_key32:"
                              "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_noi3ee";
  sc_onion_block block = some_block(), read;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_onion_relay_write(&bytes, &block));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&bytes));
  OK(sc_onion_relay_parse(&read, sc_buffer_bytes(&bytes)));
  CHECK(read.cipher == SC_HOP_XCHACHA20 && read.hop_number == 3);
  SAME(block.sealed, read.sealed);
  SAME(SC_BYTES(block.ephemeral_key), SC_BYTES(read.ephemeral_key));
done:
  sc_buffer_free(&bytes);
}

static void a_request_with_too_many_hops_is_not_relayed(sc_test *t) {
  static const char *const far[] = {"16", "9223372036854775807", "18446744073709551615",
                                    "99999999999999999999"};
  sc_onion_block block = some_block();
  sc_buffer bytes;
  char text[160];
  sc_buffer_init(&bytes, t->env);
  block.hop_number = SC_ONION_MAX_HOP_NUMBER;
  OK(sc_onion_relay_write(&bytes, &block));
  OK(sc_onion_relay_parse(&block, sc_buffer_bytes(&bytes)));
  block.hop_number++;
  FAILS(SC_ERR_ONION_HOPS, sc_onion_relay_write(&bytes, &block));
  for (size_t i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_noi%see",
             far[i]);
    FAILS(SC_ERR_ONION_HOPS, sc_onion_relay_parse(&block, sc_bytes_text(text)));
  }
  snprintf(text, sizeof text, "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_noi%see",
           far[3]);
  FAILS(SC_ERR_ONION_BLOCK, sc_onion_relay_parse(&block, sc_bytes_text(text)));
done:
  sc_buffer_free(&bytes);
}

static void a_low_hop_number_counts_as_the_first(sc_test *t) {
  static const char *const dicts[] = {
      "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkke",
      "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_noi0ee",
      "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_noi-5ee",
  };
  sc_onion_block block;
  for (size_t i = 0; i < sizeof dicts / sizeof dicts[0]; i++) {
    OK(sc_onion_relay_parse(&block, sc_bytes_text(dicts[i])));
    CHECK(block.hop_number == 1 && block.cipher == SC_HOP_AES_GCM);
  }
done:;
}

static void an_unreadable_dict_is_refused(sc_test *t) {
  static const char *const no_dicts[] = {"", "d", "le", "{}", "de ", "d1:bi1e1:ai2ee"};
  static const char *const wrong[] = {
      "de",
      "d4:datai1ee",
      "d4:data0:e",
      "d4:data0:13:ephemeral_key3:kkke",
      "d4:data0:8:enc_typei1e13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkke",
      "d4:data0:13:ephemeral_key32:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk6:hop_no1:1e",
  };
  sc_onion_block block;
  for (size_t i = 0; i < sizeof no_dicts / sizeof no_dicts[0]; i++)
    FAILS(SC_ERR_ONION_BLOCK, sc_onion_relay_parse(&block, sc_bytes_text(no_dicts[i])));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    FAILS(SC_ERR_ONION_CONTROL, sc_onion_relay_parse(&block, sc_bytes_text(wrong[i])));
  FAILS(SC_ERR_CIPHER,
        sc_onion_relay_parse(&block, sc_bytes_text("d4:data0:8:enc_type7:aes-cbc13:ephemeral_key32:"
                                                   "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkke")));
  FAILS(SC_ERR_TOO_LARGE, sc_onion_relay_parse(&block, sc_bytes_make("", SC_ONION_MAX_BYTES + 1)));
done:;
}

SUITE(node_onion_block, "node/onion_block", {"a block names its cipher", a_block_names_its_cipher},
      {"an unnamed cipher is AES-GCM", an_unnamed_cipher_is_aes_gcm},
      {"a malformed block is refused", a_malformed_block_is_refused},
      {"an ephemeral key is 64 digits", an_ephemeral_key_is_64_digits},
      {"servers read keys in every encoding", servers_read_keys_in_every_encoding},
      {"an unknown or unsafe cipher is refused", an_unknown_or_unsafe_cipher_is_refused},
      {"a hop number stays within its limits", a_hop_number_stays_within_its_limits},
      {"sizes are limited", sizes_are_limited},
      {"nodes relay in their own form", nodes_relay_in_their_own_form},
      {"a request with too many hops is not relayed", a_request_with_too_many_hops_is_not_relayed},
      {"a low hop number counts as the first", a_low_hop_number_counts_as_the_first},
      {"an unreadable dict is refused", an_unreadable_dict_is_refused});
