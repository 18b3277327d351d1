#include "pro_data.h"

#include "session-core/message/padding.h"
#include "wire.h"

enum { own_signature_field = 17 };

static bool read_exactly(uint8_t *out, size_t len, protobuf_c_boolean present, ProtobufCBinaryData data) {
  if (!present || data.len != len)
    return false;
  memcpy(out, data.data, len);
  return true;
}

/* To others a later end is a negative number. */
static bool has_end(const Sc__ProProof *proof) {
  return proof->has_expiry_unix_ts && proof->expiry_unix_ts <= INT64_MAX;
}

static sc_status read_proof(sc_pro_proof *out, const Sc__ProProof *proof) {
  *out = (sc_pro_proof){
      .generation = proof->has_version ? SC_PRO_GENERATION_A : SC_PRO_GENERATION_B,
      .version = proof->version,
      .expiry = proof->expiry_unix_ts,
  };
  bool whole = read_exactly(out->tag, sizeof out->tag, proof->has_revocation_tag, proof->revocation_tag) &&
               read_exactly(out->rotating_key, sizeof out->rotating_key, proof->has_rotating_public_key,
                            proof->rotating_public_key) &&
               has_end(proof) &&
               read_exactly(out->signature, sizeof out->signature, proof->has_sig, proof->sig);
  return whole ? SC_OK : SC_ERR_PRO_PROOF;
}

/* A later version may have any form; it counts as none. */
static bool has_readable_proof(const Sc__ProMessage *message) {
  return message->proof != NULL && message->proof->version == 0;
}

sc_status sc_pro_data_read(sc_message_pro *out, const Sc__ProMessage *message) {
  *out = (sc_message_pro){
      .status = SC_PRO_NO_PROOF,
      .profile_features = message->profile_bitset,
      .message_features = message->msg_bitset,
  };
  if (!has_readable_proof(message))
    return SC_OK;
  out->has_proof = true;
  return read_proof(&out->proof, message->proof);
}

static sc_status append_without_signature(sc_buffer *out, sc_bytes content) {
  sc_status status = SC_OK;
  while (status == SC_OK && content.len > 0) {
    sc_wire_record record;
    status = sc_wire_next(&record, &content);
    if (status == SC_OK && record.number != own_signature_field)
      status = sc_buffer_append(out, record.raw);
  }
  return status;
}

static sc_status pad_into(sc_buffer *out, sc_status status, sc_buffer *content) {
  if (status == SC_OK)
    status = sc_pad(out, sc_buffer_bytes(content));
  sc_buffer_free(content);
  return status;
}

sc_status sc_pro_signed_as_received(sc_buffer *out, const sc_env *env, sc_bytes content) {
  sc_buffer rest;
  sc_buffer_init(&rest, env);
  return pad_into(out, append_without_signature(&rest, content), &rest);
}

sc_status sc_pro_signed_in_order(sc_buffer *out, const sc_env *env, const Sc__Content *fields) {
  Sc__Content rest_of_fields = *fields;
  rest_of_fields.has_pro_sig_for_community_message_only = false;
  sc_buffer rest;
  sc_buffer_init(&rest, env);
  return pad_into(out, sc_content_write(&rest, &rest_of_fields), &rest);
}
