#include "config/authenticate.h"

#include "group_scene.h"

SC_NODISCARD static sc_status sign(sc_buffer *out, const sc_keypair *signer) {
  const group_field fields[] = {{"a", sc_bytes_text("i1e")}, {"b", sc_bytes_text("de")}};
  return group_forge(out, &signer->ed, fields, 2);
}

static void what_the_key_signed_is_authentic(sc_test *t) {
  sc_keypair signer, other;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  group_keypair(&signer, 1);
  group_keypair(&other, 2);
  OK(sign(&message, &signer));
  OK(sc_config_authenticate(sc_buffer_bytes(&message), signer.ed.public_key));
  FAILS(SC_ERR_SIGNATURE, sc_config_authenticate(sc_buffer_bytes(&message), other.ed.public_key));
done:
  sc_buffer_free(&message);
}

static void every_signed_byte_counts(sc_test *t) {
  sc_keypair signer;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  group_keypair(&signer, 1);
  OK(sign(&message, &signer));
  for (size_t i = 0; i + 1 < message.len; i++) {
    message.ptr[i] ^= 4;
    CHECK(sc_config_authenticate(sc_buffer_bytes(&message), signer.ed.public_key) != SC_OK);
    message.ptr[i] ^= 4;
  }
  for (size_t len = 0; len + 1 < message.len; len++)
    CHECK(sc_config_authenticate(sc_bytes_make(message.ptr, len), signer.ed.public_key) != SC_OK);
done:
  sc_buffer_free(&message);
}

static void a_message_without_signature_says_so(sc_test *t) {
  sc_keypair signer;
  group_keypair(&signer, 1);
  const uint8_t *key = signer.ed.public_key;
  FAILS(SC_ERR_CONFIG_UNSIGNED, sc_config_authenticate(sc_bytes_text("de"), key));
  FAILS(SC_ERR_CONFIG_UNSIGNED, sc_config_authenticate(sc_bytes_text("d1:ai1ee"), key));
  FAILS(SC_ERR_SIGNATURE_SIZE, sc_config_authenticate(sc_bytes_text("d1:~3:abce"), key));
  FAILS(SC_ERR_BT_TYPE, sc_config_authenticate(sc_bytes_text("d1:~i1ee"), key));
  FAILS(SC_ERR_BT_TYPE, sc_config_authenticate(sc_bytes_text("le"), key));
  FAILS(SC_ERR_TRUNCATED, sc_config_authenticate(sc_bytes_text(""), key));
done:;
}

SUITE(config_authenticate, "config/authenticate",
      {"what the key signed is authentic", what_the_key_signed_is_authentic},
      {"every signed byte counts", every_signed_byte_counts},
      {"a message without signature says so", a_message_without_signature_says_so});
