#include <sodium.h>

#include "crypto/scalar.h"
#include "crypto/seal.h"
#include "crypto/sealed.h"
#include "support/test.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

typedef struct people {
  sc_keypair alice;
  sc_keypair bob;
  sc_keypair eve;
} people;

static void pair_from(sc_keypair *out, const char *seed) {
  uint8_t bytes[32];
  sc_test_hex_into(bytes, sizeof bytes, seed);
  sc_keypair_from_seed(out, bytes);
}

static people meet(void) {
  people these;
  pair_from(&these.alice, "0123456789abcdef0123456789abcdef00000000000000000000000000000000");
  pair_from(&these.bob, "00112233445566778899aabbccddeeff00000000000000000000000000000000");
  pair_from(&these.eve, "0000000000000000000000000000000000000000000000000000000000000000");
  return these;
}

/* Seals any inner part, as a rule-breaking sender would. */
static sc_status seal_inner(sc_buffer *out, const sc_env *env, const uint8_t recipient[32], sc_bytes inner) {
  sc_x25519_pair ephemeral;
  uint8_t nonce[crypto_box_NONCEBYTES];
  uint8_t keys[64];
  sc_x25519_pair_generate(&ephemeral, env);
  memcpy(keys, ephemeral.public_key, 32);
  memcpy(keys + 32, recipient, 32);
  sc_status status = sc_blake2b(nonce, sizeof nonce, sc_bytes_make(NULL, 0), SC_BYTES(keys));
  uint8_t *room;
  if (status == SC_OK)
    status = sc_buffer_extend(&room, out, 32 + 16 + inner.len);
  if (status != SC_OK)
    return status;
  memcpy(room, ephemeral.public_key, 32);
  int failed = crypto_box_easy(room + 32, inner.ptr, inner.len, nonce, recipient, ephemeral.secret);
  return failed == 0 ? SC_OK : SC_ERR_KEY_INVALID;
}

static void a_sealed_message_has_the_known_bytes(sc_test *t) {
  sc_buffer sealed, expected;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&expected, t->env);
  sc_keypair from;
  uint8_t recipient[33], ephemeral[32];
  pair_from(&from, "d52777ad38a89d47287ab0bb3ba7f5b3dab1649568ec078dd64c05294b65df4f");
  sc_test_hex_into(recipient, 33, "057ae5fb1ba3cf721190ede6cdaec0840afafb7d2a543b5d992b6f4172cbde6467");
  sc_test_hex_into(ephemeral, 32, "3fc3a08a6c9f6e740ff5c8e1d37cf9c2be9ecd2fc11681a4d2a79f792ecc5f21");
  OK(sc_test_hex(&expected, "fdbd9e82dcfcafb191624e78f364829661e6b854f3101add10d9188f43aa723eb518a1a5f7281e54"
                            "3b81065b38457e91110cf5b9158b21342c645c0722ebe8b4606fdb93204647b11967b68c1bb150d6"
                            "66274a81c4ca857dd26e8d1e0d6da10742b47abbd682d4a7d06f0f1626b358b0a0acdb116a6a725f"
                            "7becc223af17f63b73a4d8e16b4bd9700475442e504efcbb3f5a5a10d7"));
  sc_test_env env;
  sc_test_env_init(&env, 1);
  sc_test_env_script(&env, SC_BYTES(ephemeral));
  OK(sc_seal(&sealed, &env.env, &from, SC_BYTES(recipient), sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
  CHECK(env.script.len == 0 && env.script_shortage == 0);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&expected);
}

static void a_deterministic_message_has_the_known_bytes(sc_test *t) {
  people these = meet();
  sc_buffer sealed, expected;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&expected, t->env);
  sc_id bob;
  sc_id_make(&bob, SC_ID_STANDARD, these.bob.x.public_key);
  OK(sc_test_hex(&expected, "208f96785db92319bc7a14afecc01e17bde912d17bbb32834c03ea63b1862c2a1b730e0725ef75b2"
                            "f1a276db584c59a0ed9b5497bcb9f4effa893b5cb8b04dbe7a6ab457ebf972f03b006dd4572980a7"
                            "25399616d40184b86aa3b7b218bdc6dd7c1adccda8ef4897f0f458492240b39079c27a6c791067ab"
                            "26a03067a7602b50f0434639906f93e548f909d5286edde365ebddc146"));
  OK(sc_seal_deterministic(&sealed, &these.alice, SC_BYTES(bob.bytes), sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&expected);
}

static void the_signed_content_has_the_known_bytes(sc_test *t) {
  sc_buffer made, expected;
  sc_buffer_init(&made, t->env);
  sc_buffer_init(&expected, t->env);
  sc_keypair from;
  uint8_t recipient[33];
  pair_from(&from, "d52777ad38a89d47287ab0bb3ba7f5b3dab1649568ec078dd64c05294b65df4f");
  sc_test_hex_into(recipient, 33, "057ae5fb1ba3cf721190ede6cdaec0840afafb7d2a543b5d992b6f4172cbde6467");
  OK(sc_test_hex(&expected, "68656c6c6fcb332e7b620b10458d0ea6f91c317fb640becf8dfae92754996fdaf7a375fe426f3023"
                            "4cf1b5b830b9d42098b201f90440ce03bccc46d8d75a7b48b03ad996d47953670a1390a154f7a243"
                            "8e3bb9666b29b23a69a2cceace44794283742a5804"));
  OK(sc_seal_sign(&made, &from, SC_BYTES(recipient), sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&made));
  OK(sc_seal_sign(&made, &from, sc_bytes_make(recipient + 1, 32), sc_bytes_text("hello")));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&made));
done:
  sc_buffer_free(&made);
  sc_buffer_free(&expected);
}

static void a_recipient_reads_the_message_and_the_sender(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  static uint8_t text[5000];
  memset(text, 'x', sizeof text);
  static const size_t lengths[] = {0, 1, 63, 64, 200, sizeof text};
  sc_id alice, bob;
  sc_id_make(&alice, SC_ID_STANDARD, these.alice.x.public_key);
  sc_id_make(&bob, SC_ID_STANDARD, these.bob.x.public_key);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    sc_bytes message = sc_bytes_make(text, lengths[i]);
    sc_bytes recipient = i % 2 == 0 ? SC_BYTES(bob.bytes) : SC_BYTES(these.bob.x.public_key);
    sc_sender sender;
    OK(sc_seal(&sealed, t->env, &these.alice, recipient, message));
    CHECK(sealed.len == message.len + SC_SEAL_OVERHEAD);
    OK(sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
    SAME(message, sc_buffer_bytes(&opened));
    SAME(SC_BYTES(these.alice.ed.public_key), SC_BYTES(sender.ed25519_public));
    SAME(SC_BYTES(alice.bytes), SC_BYTES(sender.id.bytes));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void only_the_deterministic_form_repeats(sc_test *t) {
  people these = meet();
  sc_buffer first, second;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&second, t->env);
  sc_bytes bob = SC_BYTES(these.bob.x.public_key);
  sc_bytes message = sc_bytes_text("hello");
  OK(sc_seal(&first, t->env, &these.alice, bob, message));
  OK(sc_seal(&second, t->env, &these.alice, bob, message));
  CHECK(!sc_bytes_same(sc_buffer_bytes(&first), sc_buffer_bytes(&second)));
  OK(sc_seal_deterministic(&first, &these.alice, bob, message));
  OK(sc_seal_deterministic(&second, &these.alice, bob, message));
  SAME(sc_buffer_bytes(&first), sc_buffer_bytes(&second));
  OK(sc_seal_deterministic(&second, &these.alice, bob, sc_bytes_text("hellp")));
  CHECK(memcmp(first.ptr, second.ptr, 32) != 0);
done:
  sc_buffer_free(&first);
  sc_buffer_free(&second);
}

static void sealing_and_opening_allocate_once(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  const sc_test_env *env = t->env->user;
  uint8_t message[200] = {0};
  sc_sender sender;
  size_t before = env->allocations;
  OK(sc_seal(&sealed, t->env, &these.alice, SC_BYTES(these.bob.x.public_key), SC_BYTES(message)));
  CHECK(env->allocations == before + 1);
  OK(sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
  CHECK(env->allocations == before + 2);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void any_changed_byte_is_detected(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender = {0}, no_sender = {0};
  OK(sc_seal(&sealed, t->env, &these.alice, SC_BYTES(these.bob.x.public_key), sc_bytes_text("hello")));
  for (size_t i = 0; i < sealed.len; i += t->torture ? 32 : 1) {
    sealed.ptr[i] ^= 0x10;
    OK(sc_buffer_append_byte(&opened, 'x'));
    FAILS(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0 && memcmp(&sender, &no_sender, sizeof sender) == 0);
    sealed.ptr[i] ^= 0x10;
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_message_of_the_wrong_length_is_refused(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  OK(sc_seal(&sealed, t->env, &these.alice, SC_BYTES(these.bob.x.public_key), sc_bytes_text("hello")));
  for (size_t len = 0; len < sealed.len; len += t->torture ? 48 : 1) {
    sc_status expected = len < SC_SEAL_OVERHEAD ? SC_ERR_TRUNCATED : SC_ERR_DECRYPT;
    FAILS(expected, sc_seal_open(&opened, &sender, &these.bob.x, sc_bytes_make(sealed.ptr, len)));
    CHECK(opened.len == 0);
  }
  OK(sc_buffer_append_byte(&sealed, 0));
  FAILS(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_TRUNCATED, sc_seal_open(&opened, &sender, &these.bob.x, sc_bytes_make(NULL, 0)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void no_other_account_opens_the_message(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  OK(sc_seal(&sealed, t->env, &these.alice, SC_BYTES(these.bob.x.public_key), sc_bytes_text("hello")));
  FAILS(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &these.eve.x, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &these.alice.x, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void an_account_opens_what_it_sealed_for_itself(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  const sc_bytes bob = SC_BYTES(these.bob.x.public_key);
  OK(sc_seal(&sealed, t->env, &these.bob, bob, sc_bytes_text("note")));
  OK(sc_seal_open_own(&opened, &these.bob, sc_buffer_bytes(&sealed)));
  SAME(sc_bytes_text("note"), sc_buffer_bytes(&opened));
  sealed.ptr[sealed.len - 1] ^= 1;
  FAILS(SC_ERR_DECRYPT, sc_seal_open_own(&opened, &these.bob, sc_buffer_bytes(&sealed)));
  FAILS(SC_ERR_TRUNCATED, sc_seal_open_own(&opened, &these.bob, bob));
  OK(sc_seal(&sealed, t->env, &these.alice, bob, sc_bytes_text("note")));
  FAILS(SC_ERR_KEY_MISMATCH, sc_seal_open_own(&opened, &these.bob, sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_message_cannot_be_forwarded_as_if_written_to_another_recipient(sc_test *t) {
  people these = meet();
  sc_buffer inner, sealed, opened;
  sc_buffer_init(&inner, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  OK(sc_seal_sign(&inner, &these.alice, SC_BYTES(these.bob.x.public_key), sc_bytes_text("for Bob alone")));
  OK(seal_inner(&sealed, t->env, these.eve.x.public_key, sc_buffer_bytes(&inner)));
  FAILS(SC_ERR_SIGNATURE, sc_seal_open(&opened, &sender, &these.eve.x, sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
  sc_buffer_clear(&sealed);
  OK(seal_inner(&sealed, t->env, these.bob.x.public_key, sc_buffer_bytes(&inner)));
  OK(sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&inner);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void any_changed_inner_byte_is_detected(sc_test *t) {
  people these = meet();
  sc_buffer inner, sealed, opened;
  sc_buffer_init(&inner, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  OK(sc_seal_sign(&inner, &these.alice, SC_BYTES(these.bob.x.public_key), sc_bytes_text("hello")));
  for (size_t i = 0; i < inner.len; i += t->torture ? 32 : 1) {
    inner.ptr[i] ^= 1;
    sc_buffer_clear(&sealed);
    OK(seal_inner(&sealed, t->env, these.bob.x.public_key, sc_buffer_bytes(&inner)));
    FAILS(SC_ERR_SIGNATURE, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0);
    inner.ptr[i] ^= 1;
  }
done:
  sc_buffer_free(&inner);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void the_sender_cannot_be_replaced(sc_test *t) {
  people these = meet();
  sc_buffer inner, sealed, opened;
  sc_buffer_init(&inner, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  OK(sc_seal_sign(&inner, &these.eve, SC_BYTES(these.bob.x.public_key), sc_bytes_text("hello")));
  memcpy(inner.ptr + 5, these.alice.ed.public_key, 32);
  OK(seal_inner(&sealed, t->env, these.bob.x.public_key, sc_buffer_bytes(&inner)));
  FAILS(SC_ERR_SIGNATURE, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&inner);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_seal_without_room_for_a_sender_is_truncated(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  uint8_t inner[95] = {0};
  OK(seal_inner(&sealed, t->env, these.bob.x.public_key, SC_BYTES(inner)));
  FAILS(SC_ERR_TRUNCATED, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* A point outside the prime-order group can sign: about every second nonce gives a signature that verifies.
 */
static bool sign_with_mixed_order_key(uint8_t inner[32 + 64], const uint8_t *recipient) {
  static const uint8_t order_two[32] = {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  uint8_t scalar[32] = {5}, key[32], signed_text[64];
  if (crypto_scalarmult_ed25519_base_noclamp(key, scalar) != 0 ||
      crypto_core_ed25519_add(key, key, order_two) != 0)
    return false;
  memcpy(signed_text, key, 32);
  memcpy(signed_text + 32, recipient, 32);
  memcpy(inner, key, 32);
  for (uint8_t i = 1; i < 64; i++) {
    uint8_t nonce[32] = {i};
    sc_scalar_sign(inner + 32, scalar, key, nonce, SC_BYTES(signed_text));
    if (sc_ed25519_verify(SC_BYTES(key), SC_BYTES(signed_text), sc_bytes_make(inner + 32, 64)) == SC_OK)
      return true;
  }
  return false;
}

static void a_sender_with_an_unsafe_key_is_refused(sc_test *t) {
  people these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  uint8_t inner[32 + 64];
  CHECK(sign_with_mixed_order_key(inner, these.bob.x.public_key));
  OK(seal_inner(&sealed, t->env, these.bob.x.public_key, SC_BYTES(inner)));
  FAILS(SC_ERR_KEY_INVALID, sc_seal_open(&opened, &sender, &these.bob.x, sc_buffer_bytes(&sealed)));
  CHECK(opened.len == 0);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_recipient_is_a_key_or_an_account_id(sc_test *t) {
  people these = meet();
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  uint8_t recipient[34];
  memset(recipient, 5, sizeof recipient);
  memcpy(recipient + 1, these.bob.x.public_key, 32);
  sc_bytes message = sc_bytes_text("hello");
  for (size_t len = 0; len <= sizeof recipient; len++) {
    sc_bytes to = sc_bytes_make(recipient, len);
    sc_status expected = len == 32 || len == 33 ? SC_OK : SC_ERR_RECIPIENT;
    FAILS(expected, sc_seal(&out, t->env, &these.alice, to, message));
    FAILS(expected, sc_seal_deterministic(&out, &these.alice, to, message));
    FAILS(expected, sc_seal_sign(&out, &these.alice, to, message));
    CHECK(expected == SC_OK || out.len == 0);
  }
  static const uint8_t prefixes[] = {0x00, 0x03, 0x04, 0x07, 0x15, 0x25, 0x85};
  for (size_t i = 0; i < sizeof prefixes; i++) {
    recipient[0] = prefixes[i];
    sc_bytes to = sc_bytes_make(recipient, 33);
    FAILS(SC_ERR_RECIPIENT, sc_seal(&out, t->env, &these.alice, to, message));
    FAILS(SC_ERR_RECIPIENT, sc_seal_deterministic(&out, &these.alice, to, message));
    FAILS(SC_ERR_RECIPIENT, sc_seal_sign(&out, &these.alice, to, message));
  }
done:
  sc_buffer_free(&out);
}

static void a_recipient_with_an_unsafe_key_is_refused(sc_test *t) {
  people these = meet();
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    uint8_t to[32];
    sc_test_hex_into(to, sizeof to, unsafe_x25519[i]);
    FAILS(SC_ERR_KEY_INVALID, sc_seal(&out, t->env, &these.alice, SC_BYTES(to), sc_bytes_text("hello")));
    CHECK(out.len == 0);
    FAILS(SC_ERR_KEY_INVALID,
          sc_seal_deterministic(&out, &these.alice, SC_BYTES(to), sc_bytes_text("hello")));
    CHECK(out.len == 0);
  }
done:
  sc_buffer_free(&out);
}

static void an_ephemeral_key_of_small_order_is_refused(sc_test *t) {
  people these = meet();
  sc_buffer opened;
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  uint8_t sealed[SC_SEAL_OVERHEAD] = {0};
  for (size_t i = 0; i < unsafe_x25519_count; i++) {
    sc_test_hex_into(sealed, 32, unsafe_x25519[i]);
    FAILS(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &these.bob.x, SC_BYTES(sealed)));
  }
done:
  sc_buffer_free(&opened);
}

static void an_impossible_length_is_refused(sc_test *t) {
  people these = meet();
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  uint8_t byte = 0;
  sc_bytes endless = sc_bytes_make(&byte, SIZE_MAX - 10);
  CHECK(sc_seal_sign(&out, &these.alice, SC_BYTES(these.bob.x.public_key), endless) == SC_ERR_NO_MEMORY);
  CHECK(sc_seal(&out, t->env, &these.alice, SC_BYTES(these.bob.x.public_key), endless) == SC_ERR_NO_MEMORY);
done:
  sc_buffer_free(&out);
}

SUITE(crypto_seal, "crypto/seal",
      {"a sealed message has the known bytes", a_sealed_message_has_the_known_bytes},
      {"a deterministic message has the known bytes", a_deterministic_message_has_the_known_bytes},
      {"the signed content has the known bytes", the_signed_content_has_the_known_bytes},
      {"a recipient reads the message and the sender", a_recipient_reads_the_message_and_the_sender},
      {"only the deterministic form repeats", only_the_deterministic_form_repeats},
      {"sealing and opening allocate once", sealing_and_opening_allocate_once},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a message of the wrong length is refused", a_message_of_the_wrong_length_is_refused},
      {"no other account opens the message", no_other_account_opens_the_message},
      {"an account opens what it sealed for itself", an_account_opens_what_it_sealed_for_itself},
      {"a message cannot be forwarded as if written to another recipient",
       a_message_cannot_be_forwarded_as_if_written_to_another_recipient},
      {"any changed inner byte is detected", any_changed_inner_byte_is_detected},
      {"the sender cannot be replaced", the_sender_cannot_be_replaced},
      {"a seal without room for a sender is truncated", a_seal_without_room_for_a_sender_is_truncated},
      {"a sender with an unsafe key is refused", a_sender_with_an_unsafe_key_is_refused},
      {"a recipient is a key or an account id", a_recipient_is_a_key_or_an_account_id},
      {"a recipient with an unsafe key is refused", a_recipient_with_an_unsafe_key_is_refused},
      {"an ephemeral key of small order is refused", an_ephemeral_key_of_small_order_is_refused},
      {"an impossible length is refused", an_impossible_length_is_refused});
