#include "config/authenticate.h"

#include "group_scene.h"

SC_NODISCARD static sc_status sign(sc_buffer *out, const sc_keypair *signer) {
  const group_field fields[] = {{"a", sc_bytes_text("i1e")}, {"b", sc_bytes_text("de")}};
  return group_forge(out, &signer->ed, fields, 2);
}

static void a_message_signed_by_the_key_is_authentic(sc_test *t) {
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

static void changing_any_signed_byte_breaks_the_signature(sc_test *t) {
  sc_keypair signer;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  group_keypair(&signer, 1);
  OK(sign(&message, &signer));
  for (size_t i = 0; i < message.len; i++) {
    message.ptr[i] ^= 4;
    CHECK(sc_config_authenticate(sc_buffer_bytes(&message), signer.ed.public_key) != SC_OK);
    message.ptr[i] ^= 4;
  }
  for (size_t len = 0; len < message.len; len++)
    CHECK(sc_config_authenticate(sc_bytes_make(message.ptr, len), signer.ed.public_key) != SC_OK);
done:
  sc_buffer_free(&message);
}

static void a_message_without_a_final_signature_is_reported_as_unsigned(sc_test *t) {
  static const char *const texts[] = {"", "d", "de", "le", "d1:ai1ee", "d1:~3:abce", "d1:~i1ee"};
  sc_keypair signer;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  group_keypair(&signer, 1);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    FAILS(SC_ERR_CONFIG_UNSIGNED, sc_config_authenticate(sc_bytes_text(texts[i]), signer.ed.public_key));
  OK(sign(&message, &signer));
  OK(group_append_text(&message, "e"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, sc_config_authenticate(sc_buffer_bytes(&message), signer.ed.public_key));
done:
  sc_buffer_free(&message);
}

/* A sender who cannot sign must not make us parse the content. */
static void nothing_is_read_before_the_signature_is_verified(sc_test *t) {
  sc_keypair signer, other;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  group_keypair(&signer, 1);
  group_keypair(&other, 2);
  const group_field odd = {"a", sc_bytes_text("no bt at all")};
  OK(group_forge(&message, &other.ed, &odd, 1));
  FAILS(SC_ERR_SIGNATURE, sc_config_authenticate(sc_buffer_bytes(&message), signer.ed.public_key));
  OK(sc_config_authenticate(sc_buffer_bytes(&message), other.ed.public_key));
done:
  sc_buffer_free(&message);
}

SUITE(config_authenticate, "config/authenticate",
      {"a message signed by the key is authentic", a_message_signed_by_the_key_is_authentic},
      {"changing any signed byte breaks the signature", changing_any_signed_byte_breaks_the_signature},
      {"a message without a final signature is reported as unsigned",
       a_message_without_a_final_signature_is_reported_as_unsigned},
      {"nothing is read before the signature is verified", nothing_is_read_before_the_signature_is_verified});
