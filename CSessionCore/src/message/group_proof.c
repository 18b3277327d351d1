/* Verification that the sender of a group update may send it. */
#include "fields.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"
#include "session-core/crypto/subaccount.h"

static bool is_account(const sc_id *id) {
  return sc_id_kind_of(id) == SC_ID_STANDARD;
}

static sc_status append_text(sc_buffer *out, sc_status status, const char *text) {
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(text)) : status;
}

static sc_status append_number(sc_buffer *out, sc_status status, uint64_t number) {
  char digits[21];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return append_text(out, status, digits + at);
}

static sc_status append_id(sc_buffer *out, sc_status status, const sc_id *id) {
  char text[SC_ID_CHARS + 1];
  sc_id_format(text, id);
  return append_text(out, status, text);
}

static sc_status append_deletion(sc_buffer *out, const sc_group_deletion *deletion, uint64_t sent_ms) {
  sc_status status = append_text(out, SC_OK, "DELETE_CONTENT");
  status = append_number(out, status, sent_ms);
  for (size_t i = 0; i < deletion->member_count; i++)
    status = append_id(out, status, &deletion->members[i]);
  for (size_t i = 0; status == SC_OK && i < deletion->hash_count; i++)
    status = sc_buffer_append(out, deletion->hashes[i]);
  return status;
}

/* Writes the text that an admin signs. SC_ERR_ARGUMENT for kinds without a signature. */
static sc_status write_signed_text(sc_buffer *out, const sc_group_update *update, uint64_t sent_ms,
                                   const sc_id *invitee) {
  sc_status status;
  switch (update->kind) {
  case SC_MESSAGE_GROUP_INVITE:
    status = append_text(out, SC_OK, "INVITE");
    status = append_id(out, status, invitee);
    break;
  case SC_MESSAGE_GROUP_INFO_CHANGE:
    status = append_text(out, SC_OK, "INFO_CHANGE");
    status = append_number(out, status, (uint64_t)update->of.info.what);
    break;
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
    status = append_text(out, SC_OK, "MEMBER_CHANGE");
    status = append_number(out, status, (uint64_t)update->of.members.what);
    break;
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    return append_deletion(out, &update->of.deletion, sent_ms);
  default:
    return SC_ERR_ARGUMENT;
  }
  return append_number(out, status, sent_ms);
}

static sc_message_rule check_invitee(const sc_group_update *update, const sc_ed25519_pair *group,
                                     const sc_id *invitee) {
  if (update->kind != SC_MESSAGE_GROUP_INVITE)
    return SC_RULE_NONE;
  if (invitee == NULL || !is_account(invitee))
    return SC_RULE_GROUP_INVITEE;
  bool is_its_key = memcmp(sc_id_key(&update->of.invite.group), group->public_key, SC_KEY_BYTES) == 0;
  return is_its_key ? SC_RULE_NONE : SC_RULE_GROUP_ID;
}

sc_status sc_group_update_sign(uint8_t out[static 64], const sc_env *env, const sc_group_update *update,
                               const sc_ed25519_pair *group, uint64_t sent_ms, const sc_id *invitee,
                               sc_message_rule *broken) {
  sc_status status = sc_judged(broken, check_invitee(update, group, invitee));
  if (status != SC_OK)
    return status;
  sc_buffer text;
  sc_buffer_init(&text, env);
  status = write_signed_text(&text, update, sent_ms, invitee);
  if (status == SC_OK)
    sc_ed25519_sign(out, group, sc_buffer_bytes(&text));
  sc_buffer_free(&text);
  return status;
}

static sc_status verify_signature(const sc_env *env, const sc_group_update *update, const sc_id *group,
                                  uint64_t sent_ms, const sc_id *invitee, sc_message_rule *broken) {
  sc_buffer text;
  sc_buffer_init(&text, env);
  sc_status status = write_signed_text(&text, update, sent_ms, invitee);
  if (status == SC_OK && sc_ed25519_verify(sc_bytes_make(sc_id_key(group), SC_KEY_BYTES),
                                           sc_buffer_bytes(&text), update->signature) != SC_OK)
    status = sc_judged(broken, SC_RULE_GROUP_SIGNATURE);
  sc_buffer_free(&text);
  return status;
}

static sc_status verify_invite(sc_verified_group_update *out, const sc_env *env,
                               const sc_group_update *update, uint64_t sent_ms, const sc_keypair *reader,
                               sc_message_rule *broken) {
  sc_id invitee;
  sc_id_make(&invitee, SC_ID_STANDARD, reader->x.public_key);
  out->group = update->of.invite.group;
  sc_status status = verify_signature(env, update, &out->group, sent_ms, &invitee, broken);
  if (status != SC_OK)
    return status;
  bool is_granted =
      sc_subaccount_verify(&out->group, reader, update->of.invite.auth_data, SC_SUBACCOUNT_MEMBER) == SC_OK;
  return is_granted ? SC_OK : sc_judged(broken, SC_RULE_GROUP_ACCESS);
}

/* Possession of the group's secret proves that the sender is an admin. */
static void read_group_of_promotion(sc_id *out, const sc_group_promotion *promotion) {
  sc_ed25519_pair pair;
  sc_ed25519_pair_from_seed(&pair, promotion->seed.ptr);
  sc_id_make(out, SC_ID_GROUP, pair.public_key);
  sc_wipe(&pair, sizeof pair);
}

/* Reduces a member's deletion to the member's own messages; hashes are looked up among those. */
static sc_status reduce_to_own(sc_group_deletion *deletion, const sc_id *sender, sc_message_rule *broken) {
  const sc_id *own = NULL;
  for (size_t i = 0; i < deletion->member_count; i++) {
    if (memcmp(&deletion->members[i], sender, sizeof *sender) == 0)
      own = &deletion->members[i];
  }
  deletion->members = own;
  deletion->member_count = own == NULL ? 0 : 1;
  return own != NULL || deletion->hash_count > 0 ? SC_OK : sc_judged(broken, SC_RULE_DELETION_OTHERS);
}

static sc_status verify_in_group(sc_verified_group_update *out, const sc_env *env,
                                 const sc_group_evidence *found, sc_message_rule *broken) {
  sc_group_update *update = &out->update;
  out->group = *found->group;
  switch (update->kind) {
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    if (update->signature.ptr == NULL)
      return reduce_to_own(&update->of.deletion, found->sender, broken);
    break;
  case SC_MESSAGE_GROUP_INFO_CHANGE:
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
    break;
  default: /* a member speaks for themselves */
    return SC_OK;
  }
  out->is_by_admin = true;
  return verify_signature(env, update, &out->group, found->sent_ms, NULL, broken);
}

sc_status sc_group_update_verify(sc_verified_group_update *out, const sc_env *env,
                                 const sc_group_update *update, const sc_group_evidence *found,
                                 const sc_keypair *reader, sc_message_rule *broken) {
  *out = (sc_verified_group_update){.update = *update};
  bool is_for_account = update->kind == SC_MESSAGE_GROUP_INVITE || update->kind == SC_MESSAGE_GROUP_PROMOTION;
  if (found->place != (is_for_account ? SC_PLACE_CONTACT : SC_PLACE_GROUP))
    return sc_judged(broken, SC_RULE_GROUP_PLACE);
  sc_status status = sc_judged(broken, sc_group_update_check(update));
  if (status != SC_OK)
    return status;
  if (!is_for_account)
    return verify_in_group(out, env, found, broken);
  out->is_by_admin = true;
  if (update->kind == SC_MESSAGE_GROUP_INVITE)
    return verify_invite(out, env, update, found->sent_ms, reader, broken);
  read_group_of_promotion(&out->group, &update->of.promotion);
  return SC_OK;
}
