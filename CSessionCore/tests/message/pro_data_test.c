#include "message/fields.h"
#include "message/pro_data.h"

#include "cast.h"
#include "support/test.h"

static sc_status hex_content(sc_buffer *out, const char *hex) {
  sc_buffer_clear(out);
  return sc_test_hex(out, hex);
}

/* Compares with the padded form of the hexadecimal text. */
static bool is_padded(sc_bytes padded, const char *hex) {
  uint8_t expected[64];
  size_t len = strlen(hex) / 2;
  sc_test_hex_into(expected, len, hex);
  return padded.len == sc_padded_len(len) && sc_bytes_same(sc_unpadded(padded), sc_bytes_make(expected, len));
}

static void the_received_form_omits_only_the_signature(sc_test *t) {
  sc_buffer content, form;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&form, t->env);
  OK(hex_content(&content, "78058a0101610a020a00c80c05"));
  OK(sc_pro_signed_as_received(&form, t->env, sc_buffer_bytes(&content)));
  CHECK(is_padded(sc_buffer_bytes(&form), "78050a020a00c80c05"));
  OK(hex_content(&content, "8a010161"));
  OK(sc_pro_signed_as_received(&form, t->env, sc_buffer_bytes(&content)));
  CHECK(is_padded(sc_buffer_bytes(&form), ""));
done:
  sc_buffer_free(&content);
  sc_buffer_free(&form);
}

static void the_ordered_form_omits_the_signature_too(sc_test *t) {
  sc_content *parsed = NULL;
  sc_buffer content, form;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&form, t->env);
  OK(hex_content(&content, "78058a010161c80c050a030a0178"));
  OK(sc_content_parse(&parsed, t->env, sc_buffer_bytes(&content)));
  OK(sc_pro_signed_in_order(&form, t->env, sc_content_fields(parsed)));
  CHECK(is_padded(sc_buffer_bytes(&form), "0a030a01787805c80c05"));
  CHECK(sc_content_fields(parsed)->has_pro_sig_for_community_message_only);
done:
  sc_content_free(parsed);
  sc_buffer_free(&content);
  sc_buffer_free(&form);
}

static void a_proofs_generation_is_detected(sc_test *t) {
  cast who;
  letter sent;
  sc_message_pro pro;
  OK(cast_init(&who));
  letter_init(&sent, "hello");
  letter_add_pro(&sent, &who, SC_PRO_GENERATION_A, 5);
  OK(sc_pro_data_read(&pro, &sent.pro));
  CHECK(pro.has_proof && pro.proof.generation == SC_PRO_GENERATION_A && pro.proof.expiry == 5000);
  CHECK(pro.status == SC_PRO_NO_PROOF); /* until it is verified */
  letter_add_pro(&sent, &who, SC_PRO_GENERATION_B, 5);
  OK(sc_pro_data_read(&pro, &sent.pro));
  CHECK(pro.has_proof && pro.proof.generation == SC_PRO_GENERATION_B && pro.proof.expiry == 5);
done:;
}

static void a_proof_whose_expiry_overflows_is_malformed(sc_test *t) {
  cast who;
  letter sent;
  sc_message_pro pro;
  OK(cast_init(&who));
  letter_init(&sent, "hello");
  letter_add_pro(&sent, &who, SC_PRO_GENERATION_B, INT64_MAX);
  OK(sc_pro_data_read(&pro, &sent.pro));
  sent.proof.expiry_unix_ts++; /* a negative number to others */
  FAILS(SC_ERR_PRO_PROOF, sc_pro_data_read(&pro, &sent.pro));
done:;
}

static void a_proof_of_a_later_version_may_have_any_form(sc_test *t) {
  cast who;
  letter sent;
  sc_message_pro pro;
  OK(cast_init(&who));
  letter_init(&sent, "hello");
  letter_add_pro(&sent, &who, SC_PRO_GENERATION_A, 5);
  sent.proof.version = 1;
  sent.proof.sig.len = 1;
  OK(sc_pro_data_read(&pro, &sent.pro));
  CHECK(!pro.has_proof && pro.status == SC_PRO_NO_PROOF && pro.message_features == SC_PRO_MESSAGE_10K);
done:;
}

SUITE(message_pro_data, "message/pro_data",
      {"the received form omits only the signature", the_received_form_omits_only_the_signature},
      {"the ordered form omits the signature too", the_ordered_form_omits_the_signature_too},
      {"a proof's generation is detected", a_proofs_generation_is_detected},
      {"a proof whose expiry overflows is malformed", a_proof_whose_expiry_overflows_is_malformed},
      {"a proof of a later version may have any form", a_proof_of_a_later_version_may_have_any_form});
