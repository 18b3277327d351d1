#include <stdio.h>

#include "base/compression.h"
#include "session-core/crypto/box.h"
#include "support/test.h"
#include "support/test_env.h"

/* A group with one key, a member who writes, and buffers. */
typedef struct scene {
  const sc_env *env;
  sc_keypair group;
  sc_keypair author;
  uint8_t key[SC_KEY_BYTES];
  sc_sender sender;
  sc_buffer sealed;
  sc_buffer opened;
  sc_buffer inner;
} scene;

static void set_scene(scene *out, const sc_env *env) {
  memset(out, 0, sizeof *out);
  out->env = env;
  uint8_t seed[SC_ED25519_SEED_BYTES];
  memset(seed, 7, sizeof seed);
  sc_keypair_from_seed(&out->group, seed);
  memset(seed, 0, sizeof seed);
  sc_test_hex_into(seed, SC_SEED_BYTES, "0123456789abcdef0123456789abcdef");
  sc_keypair_from_seed(&out->author, seed);
  memset(out->key, 9, sizeof out->key);
  sc_buffer_init(&out->sealed, env);
  sc_buffer_init(&out->opened, env);
  sc_buffer_init(&out->inner, env);
}

static void leave_scene(scene *scene) {
  sc_buffer_free(&scene->sealed);
  sc_buffer_free(&scene->opened);
  sc_buffer_free(&scene->inner);
}

static sc_status seal(scene *s, sc_bytes message, bool compress, size_t padding) {
  const sc_group_seal_options options = {compress, padding};
  return sc_group_seal(&s->sealed, s->env, &s->author, s->group.ed.public_key, SC_BYTES(s->key), message,
                       &options);
}

static sc_status open_sealed(scene *s) {
  const sc_bytes key = SC_BYTES(s->key);
  return sc_group_open(&s->opened, &s->sender, NULL, s->env, s->group.ed.public_key, &key, 1,
                       sc_buffer_bytes(&s->sealed));
}

static void a_known_message_is_sealed_and_opened(sc_test *t) {
  static const uint8_t nonce[SC_XCHACHA_NONCE_BYTES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                        12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  static const char dict_hex[] = "64303a693165313a6133323a4cb76fdc6d32278e3f83dbf608360ecc6b65727934b85d2fb86"
                                 "862ff98c46ab7313a64353a68656c6c6f31"
                                 "3a7336343a151381ba26743b4b89e127097223bfeb858eec048d1d00ae7a392b80c25b73037"
                                 "747df761e1586fa3528df634b065558443d"
                                 "325d512c428767898ca86269390e65";
  static const char start_hex[] =
      "000102030405060708090a0b0c0d0e0f10111213141516173b776a0233d37f28069a55c4ba90285e";
  static const char end_hex[] = "7b5c992623a4f3a9729a7e8122912df16e";
  uint8_t dict[sizeof dict_hex / 2], start[sizeof start_hex / 2], end[sizeof end_hex / 2];
  sc_test_hex_into(dict, sizeof dict, dict_hex);
  sc_test_hex_into(start, sizeof start, start_hex);
  sc_test_hex_into(end, sizeof end, end_hex);
  scene s;
  set_scene(&s, t->env);
  sc_id author;
  OK(sc_id_parse(&author,
                 sc_bytes_text("05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72")));

  sc_test_env_script(t->env->user, SC_BYTES(nonce));
  OK(seal(&s, sc_bytes_text("hello"), false, SC_GROUP_MESSAGE_PADDING));
  CHECK(s.sealed.len == 256);
  SAME(SC_BYTES(start), sc_bytes_make(s.sealed.ptr, sizeof start));
  SAME(SC_BYTES(end), sc_bytes_make(s.sealed.ptr + s.sealed.len - sizeof end, sizeof end));
  OK(sc_box_open(&s.inner, SC_BYTES(s.key), sc_buffer_bytes(&s.sealed)));
  SAME(SC_BYTES(dict), sc_bytes_make(s.inner.ptr, sizeof dict));
  for (size_t i = sizeof dict; i < s.inner.len; i++)
    CHECK(s.inner.ptr[i] == 0);

  OK(open_sealed(&s));
  SAME(sc_bytes_text("hello"), sc_buffer_bytes(&s.opened));
  SAME(SC_BYTES(author.bytes), SC_BYTES(s.sender.id.bytes));
  SAME(SC_BYTES(s.author.ed.public_key), SC_BYTES(s.sender.ed25519_public));
done:
  leave_scene(&s);
}

/* The same with other inputs. */
static void another_known_message_is_sealed(sc_test *t) {
  static const char dict_hex[] = "64303a693165313a6133323a17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a4008"
                                 "39b85e18080ce313a64353a68656c6c6f31"
                                 "3a7336343ae3552ae89a560e6fa06f4ea2dd141906aee6022292bd8b84face022f10ab694b8"
                                 "11f52625dc74700227e6110f9817c53451b"
                                 "154bbc083e0472a231a32801140b65";
  uint8_t dict[sizeof dict_hex / 2], seed[SC_ED25519_SEED_BYTES];
  sc_test_hex_into(dict, sizeof dict, dict_hex);
  scene s;
  set_scene(&s, t->env);
  memset(seed, 0x11, sizeof seed);
  sc_keypair_from_seed(&s.group, seed);
  memset(seed, 0x33, sizeof seed);
  sc_keypair_from_seed(&s.author, seed);
  OK(seal(&s, sc_bytes_text("hello"), true, SC_GROUP_MESSAGE_PADDING));
  OK(sc_box_open(&s.inner, SC_BYTES(s.key), sc_buffer_bytes(&s.sealed)));
  SAME(SC_BYTES(dict), sc_bytes_make(s.inner.ptr, sizeof dict));
done:
  leave_scene(&s);
}

static void messages_of_many_sizes_survive_a_round_trip(sc_test *t) {
  static uint8_t message[5000];
  static const size_t sizes[] = {1, 2, 91, 92, 93, 347, 348, 349, 1000, 5000};
  static const size_t paddings[] = {0, 1, 2, 255, 256, 4096};
  scene s;
  set_scene(&s, t->env);
  sc_random(t->env, message, sizeof message / 2);
  size_t step = t->torture ? 9 : 1;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i += step) {
    for (size_t p = 0; p < sizeof paddings / sizeof paddings[0]; p += t->torture ? 4 : 1) {
      for (int compress = 0; compress < 2; compress++) {
        sc_bytes text = sc_bytes_make(message, sizes[i]);
        OK(seal(&s, text, compress, paddings[p]));
        CHECK(paddings[p] <= 1 || s.sealed.len % paddings[p] == 0);
        OK(open_sealed(&s));
        SAME(text, sc_buffer_bytes(&s.opened));
      }
    }
  }
done:
  leave_scene(&s);
}

static void a_compressible_message_is_compressed(sc_test *t) {
  static uint8_t text[1000];
  memset(text, 'a', sizeof text);
  scene s;
  set_scene(&s, t->env);
  OK(seal(&s, SC_BYTES(text), true, 0));
  CHECK(s.sealed.len < 300);
  OK(open_sealed(&s));
  SAME(SC_BYTES(text), sc_buffer_bytes(&s.opened));
  OK(seal(&s, SC_BYTES(text), false, 0));
  CHECK(s.sealed.len > 1000);
  /* Random bytes are incompressible, so no frame is smaller. */
  sc_random(t->env, text, sizeof text);
  OK(seal(&s, SC_BYTES(text), true, 0));
  size_t tried = s.sealed.len;
  OK(seal(&s, SC_BYTES(text), false, 0));
  CHECK(s.sealed.len == tried);
done:
  leave_scene(&s);
}

static void default_options_seal_as_other_clients_do(sc_test *t) {
  static uint8_t text[1000];
  memset(text, 'a', sizeof text);
  scene s;
  set_scene(&s, t->env);
  OK(sc_group_seal(&s.sealed, t->env, &s.author, s.group.ed.public_key, SC_BYTES(s.key), SC_BYTES(text),
                   NULL));
  CHECK(s.sealed.len == 256);
  OK(open_sealed(&s));
done:
  leave_scene(&s);
}

static void the_first_matching_key_is_used(sc_test *t) {
  uint8_t wrong[SC_KEY_BYTES] = {1}, longer[64];
  scene s;
  set_scene(&s, t->env);
  memset(longer, 0xaa, sizeof longer);
  memcpy(longer, s.key, sizeof s.key);
  const sc_bytes keys[] = {SC_BYTES(wrong), SC_BYTES(longer), SC_BYTES(s.key)};
  const uint8_t *group = s.group.ed.public_key;
  size_t index = 99;
  OK(sc_group_seal(&s.sealed, t->env, &s.author, group, SC_BYTES(longer), sc_bytes_text("hello"), NULL));
  sc_bytes sealed = sc_buffer_bytes(&s.sealed);
  OK(sc_group_open(&s.opened, &s.sender, &index, t->env, group, keys, 3, sealed));
  CHECK(index == 1);
  OK(sc_group_open(&s.opened, &s.sender, &index, t->env, group, keys + 2, 1, sealed));
  CHECK(index == 0);
  FAILS(SC_ERR_NO_KEY, sc_group_open(&s.opened, &s.sender, &index, t->env, group, keys, 1, sealed));
  FAILS(SC_ERR_NO_KEY, sc_group_open(&s.opened, &s.sender, &index, t->env, group, NULL, 0, sealed));
  CHECK(s.opened.len == 0);
  const sc_bytes odd = sc_bytes_make(longer, 33);
  FAILS(SC_ERR_KEY_SIZE, sc_group_open(&s.opened, &s.sender, &index, t->env, group, &odd, 1, sealed));
  CHECK(index == 0);
done:
  leave_scene(&s);
}

static void invalid_input_is_not_sealed(sc_test *t) {
  static uint8_t message[SC_GROUP_MESSAGE_MAX + 1];
  scene s;
  set_scene(&s, t->env);
  const uint8_t *group = s.group.ed.public_key;
  FAILS(SC_ERR_TOO_LARGE, seal(&s, SC_BYTES(message), true, 256));
  FAILS(SC_ERR_ARGUMENT, seal(&s, sc_bytes_make(NULL, 0), true, 256));
  for (size_t len = 31; len <= 65; len += 34)
    FAILS(SC_ERR_KEY_SIZE, sc_group_seal(&s.sealed, t->env, &s.author, group, sc_bytes_make(message, len),
                                         sc_bytes_text("hello"), NULL));
  CHECK(s.sealed.len == 0);
  OK(seal(&s, sc_bytes_make(message, SC_GROUP_MESSAGE_MAX), true, 256));
  OK(open_sealed(&s));
  CHECK(s.opened.len == SC_GROUP_MESSAGE_MAX);
done:
  leave_scene(&s);
}

static void damaged_messages_match_no_key(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(seal(&s, sc_bytes_text("hello"), false, 256));
  static const size_t places[] = {0, 23, 24, 100, 255};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    s.sealed.ptr[places[i]] ^= 4;
    FAILS(SC_ERR_NO_KEY, open_sealed(&s));
    s.sealed.ptr[places[i]] ^= 4;
  }
  sc_buffer_truncate(&s.sealed, 40);
  FAILS(SC_ERR_NO_KEY, open_sealed(&s));
  sc_buffer_truncate(&s.sealed, 39);
  FAILS(SC_ERR_TRUNCATED, open_sealed(&s));
done:
  leave_scene(&s);
}

static void a_message_belongs_to_one_group(sc_test *t) {
  scene s;
  set_scene(&s, t->env);
  OK(seal(&s, sc_bytes_text("hello"), false, 256));
  s.group.ed.public_key[0] ^= 1;
  FAILS(SC_ERR_SIGNATURE, open_sealed(&s));
  CHECK(s.opened.len == 0);
done:
  leave_scene(&s);
}

/* Forges a message: `form` is its dict, in which these stand for strings.
 *   $A  the author's key         $a  a key that is no point         $o  a key of small order
 *   $S  the author's signature of the body and the group's key
 *   $O  of the body alone        $G  the group's signature
 *   $B  the body */
static sc_status forge(scene *s, const char *form, sc_bytes body) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  uint8_t no_point[SC_KEY_BYTES] = {2}, small_order[SC_KEY_BYTES] = {1};
  sc_buffer bytes, dict;
  sc_buffer_init(&bytes, s->env);
  sc_buffer_init(&dict, s->env);
  sc_status status = sc_buffer_append(&bytes, body);
  if (status == SC_OK)
    status = sc_buffer_append(&bytes, SC_BYTES(s->group.ed.public_key));
  for (const char *at = form; *at != '\0' && status == SC_OK; at++) {
    if (*at != '$') {
      status = sc_buffer_append(&dict, sc_bytes_make(at, 1));
      continue;
    }
    sc_bytes value = body;
    switch (*++at) {
    case 'A':
      value = SC_BYTES(s->author.ed.public_key);
      break;
    case 'a':
      value = SC_BYTES(no_point);
      break;
    case 'o':
      value = SC_BYTES(small_order);
      break;
    case 'S':
      sc_ed25519_sign(signature, &s->author.ed, sc_buffer_bytes(&bytes));
      value = SC_BYTES(signature);
      break;
    case 'O':
      sc_ed25519_sign(signature, &s->author.ed, body);
      value = SC_BYTES(signature);
      break;
    case 'G':
      sc_ed25519_sign(signature, &s->group.ed, sc_buffer_bytes(&bytes));
      value = SC_BYTES(signature);
      break;
    }
    char length[24];
    int digits = snprintf(length, sizeof length, "%zu:", value.len);
    status = sc_buffer_append(&dict, sc_bytes_make(length, (size_t)digits));
    if (status == SC_OK)
      status = sc_buffer_append(&dict, value);
  }
  if (status == SC_OK)
    status = sc_box_seal(&s->sealed, s->env, SC_BYTES(s->key), sc_buffer_bytes(&dict));
  sc_buffer_free(&bytes);
  sc_buffer_free(&dict);
  return status;
}

static void unknown_dict_keys_are_skipped(sc_test *t) {
  static const char *const forms[] = {
      "d0:i1e1:a$A1:d$B1:s$Se",
      "d0:i1e1:!i-5e1:a$A1:blli1eedee1:d$B1:e1:x1:s$S1:tde1:~0:e",
  };
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    OK(forge(&s, forms[i], sc_bytes_text("hello")));
    OK(open_sealed(&s));
    SAME(sc_bytes_text("hello"), sc_buffer_bytes(&s.opened));
  }
done:
  leave_scene(&s);
}

static void malformed_messages_are_refused(sc_test *t) {
  static const struct {
    sc_status status;
    const char *form;
  } cases[] = {
      {SC_ERR_FORMAT, ""},
      {SC_ERR_FORMAT, "hello"},
      {SC_ERR_FORMAT, "le"},
      {SC_ERR_FORMAT, "d0:i1e1:a$A1:d$B1:s$Sex"},
      {SC_ERR_VERSION, "de"},
      {SC_ERR_VERSION, "d0:i2e1:a$A1:d$B1:s$Se"},
      {SC_ERR_VERSION, "d0:i0e1:a$A1:d$B1:s$Se"},
      {SC_ERR_VERSION, "d0:i-1e1:a$A1:d$B1:s$Se"},
      {SC_ERR_VERSION, "d1:a$A1:d$B1:s$Se"},
      {SC_ERR_BT_TYPE, "d0:1:11:a$A1:d$B1:s$Se"},
      {SC_ERR_BT_SYNTAX, "d0:i01e1:a$A1:d$B1:s$Se"},
      {SC_ERR_BT_SYNTAX, "d0:i1e1:a-1:1:d$B1:s$Se"},
      {SC_ERR_FORMAT, "d0:i1ee"},
      {SC_ERR_FORMAT, "d0:i1e1:d$B1:s$Se"},
      {SC_ERR_KEY_SIZE, "d0:i1e1:a$B1:d$B1:s$Se"},
      {SC_ERR_KEY_SIZE, "d0:i1e1:a0:1:d$B1:s$Se"},
      {SC_ERR_BT_TYPE, "d0:i1e1:ai5e1:d$B1:s$Se"},
      {SC_ERR_BT_TYPE, "d0:i1e1:al$Ae1:d$B1:s$Se"},
      {SC_ERR_KEY_INVALID, "d0:i1e1:a$a1:d$B1:s$Se"},
      {SC_ERR_KEY_INVALID, "d0:i1e1:a$o1:d$B1:s$Se"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:d0:1:s$Se"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:s$Se"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:s$S1:z0:e"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:d$B1:s$S1:z$Be"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:d$B1:s$S1:z0:e"},
      {SC_ERR_GROUP_DATA, "d0:i1e1:a$A1:d0:1:s$S1:z$Be"},
      {SC_ERR_BT_TYPE, "d0:i1e1:a$A1:dl$Be1:s$Se"},
      {SC_ERR_FORMAT, "d0:i1e1:a$A1:d$Be"},
      {SC_ERR_SIGNATURE_SIZE, "d0:i1e1:a$A1:d$B1:s$Be"},
      {SC_ERR_BT_ORDER, "d0:i1e1:a$A1:d$B1:d$B1:s$Se"},
      {SC_ERR_BT_ORDER, "d0:i1e1:a$A1:d$B1:s$S1:bi1ee"},
      {SC_ERR_BT_SYNTAX, "d0:i1e1:a$A1:d$B1:s$S1:~i01ee"},
      {SC_ERR_TRUNCATED, "d0:i1e1:a$A1:d$B1:s$S2:~~1:e"},
      {SC_ERR_TRAILING, "d0:i1e1:a$A1:d$B1:s$Sede"},
      {SC_ERR_TRAILING, "d0:i1e1:a$A1:d$B1:s$See"},
      {SC_ERR_SIGNATURE, "d0:i1e1:a$A1:d$B1:s$Ge"},
      {SC_ERR_SIGNATURE, "d0:i1e1:a$A1:d$B1:s$Oe"},
      {SC_ERR_SIGNATURE, "d0:i1e1:a$A1:d5:HELLO1:s$Se"},
  };
  scene s;
  set_scene(&s, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(forge(&s, cases[i].form, sc_bytes_text("hello")));
    FAILS(cases[i].status, open_sealed(&s));
    CHECK(s.opened.len == 0);
  }
done:
  leave_scene(&s);
}

static const char compressed_form[] = "d0:i1e1:a$A1:s$S1:z$Be";

static void a_message_of_zeros_is_refused(sc_test *t) {
  static const uint8_t zeros[100];
  scene s;
  set_scene(&s, t->env);
  OK(sc_box_seal(&s.sealed, t->env, SC_BYTES(s.key), SC_BYTES(zeros)));
  FAILS(SC_ERR_FORMAT, open_sealed(&s));
done:
  leave_scene(&s);
}

static void compressed_messages_are_whole_frames(sc_test *t) {
  static uint8_t text[300];
  memset(text, 'x', sizeof text);
  scene s;
  set_scene(&s, t->env);
  sc_buffer frames;
  sc_buffer_init(&frames, t->env);
  OK(sc_zstd_compress(&frames, sc_bytes_make(NULL, 0), SC_BYTES(text), 1));
  size_t one = frames.len;
  OK(forge(&s, compressed_form, sc_buffer_bytes(&frames)));
  OK(open_sealed(&s));
  SAME(SC_BYTES(text), sc_buffer_bytes(&s.opened));

  OK(sc_buffer_reserve(&frames, one));
  OK(sc_buffer_append(&frames, sc_bytes_make(frames.ptr, one)));
  OK(forge(&s, compressed_form, sc_buffer_bytes(&frames)));
  OK(open_sealed(&s));
  CHECK(s.opened.len == 2 * sizeof text);

  OK(forge(&s, compressed_form, sc_bytes_make(frames.ptr, one + 3)));
  FAILS(SC_ERR_COMPRESSION, open_sealed(&s));
  OK(forge(&s, compressed_form, sc_bytes_make(frames.ptr, one - 1)));
  FAILS(SC_ERR_COMPRESSION, open_sealed(&s));
  OK(forge(&s, compressed_form, sc_bytes_text("this is no frame")));
  FAILS(SC_ERR_COMPRESSION, open_sealed(&s));
  CHECK(s.opened.len == 0);
done:
  sc_buffer_free(&frames);
  leave_scene(&s);
}

static void decompression_stops_at_the_limit(sc_test *t) {
  static uint8_t zeros[SC_GROUP_MESSAGE_MAX + 1];
  scene s;
  set_scene(&s, t->env);
  sc_buffer frame;
  sc_buffer_init(&frame, t->env);
  OK(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), SC_BYTES(zeros), 1));
  OK(forge(&s, compressed_form, sc_buffer_bytes(&frame)));
  FAILS(SC_ERR_TOO_LARGE, open_sealed(&s));
  CHECK(s.opened.len == 0);
done:
  sc_buffer_free(&frame);
  leave_scene(&s);
}

/* A frame refused for its size is refused for its signature first. */
static void nothing_is_decompressed_before_its_author_is_verified(sc_test *t) {
  static uint8_t zeros[SC_GROUP_MESSAGE_MAX + 1];
  scene s;
  set_scene(&s, t->env);
  sc_buffer frame;
  sc_buffer_init(&frame, t->env);
  OK(sc_zstd_compress(&frame, sc_bytes_make(NULL, 0), SC_BYTES(zeros), 1));
  OK(forge(&s, "d0:i1e1:a$A1:s$G1:z$Be", sc_buffer_bytes(&frame)));
  FAILS(SC_ERR_SIGNATURE, open_sealed(&s));
done:
  sc_buffer_free(&frame);
  leave_scene(&s);
}

SUITE(crypto_group_seal, "crypto/group_seal",
      {"a known message is sealed and opened", a_known_message_is_sealed_and_opened},
      {"another known message is sealed", another_known_message_is_sealed},
      {"messages of many sizes survive a round trip", messages_of_many_sizes_survive_a_round_trip},
      {"a compressible message is compressed", a_compressible_message_is_compressed},
      {"default options seal as other clients do", default_options_seal_as_other_clients_do},
      {"the first matching key is used", the_first_matching_key_is_used},
      {"invalid input is not sealed", invalid_input_is_not_sealed},
      {"damaged messages match no key", damaged_messages_match_no_key},
      {"a message belongs to one group", a_message_belongs_to_one_group},
      {"unknown dict keys are skipped", unknown_dict_keys_are_skipped},
      {"malformed messages are refused", malformed_messages_are_refused},
      {"a message of zeros is refused", a_message_of_zeros_is_refused},
      {"compressed messages are whole frames", compressed_messages_are_whole_frames},
      {"decompression stops at the limit", decompression_stops_at_the_limit},
      {"nothing is decompressed before its author is verified",
       nothing_is_decompressed_before_its_author_is_verified});
