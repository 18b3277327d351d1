#include "session-core/message/group_update.h"

#include "fields.h"
#include "session-core/crypto/signature.h"
#include "session-core/crypto/subaccount.h"

static bool is_account(const sc_id *id) {
  return sc_id_kind_of(id) == SC_ID_STANDARD;
}

/* Reading. */

static sc_bytes borrow(ProtobufCBinaryData data) {
  return sc_bytes_make(data.data, data.len);
}

/* A signature that is there counts as present, even if it is empty. */
static sc_bytes borrow_signature(ProtobufCBinaryData data) {
  return data.len == 0 ? sc_bytes_make("", 0) : borrow(data);
}

static sc_bytes borrow_text(const char *text) {
  return text == NULL ? (sc_bytes){0} : sc_bytes_text(text);
}

/* Reads the account ids among the texts; other texts are left out. */
static sc_status read_members(const sc_id **out, size_t *count, sc_arena *arena, char *const *texts,
                              size_t text_count) {
  *out = NULL;
  *count = 0;
  sc_id *ids = text_count == 0 ? NULL : sc_arena_take(arena, text_count * sizeof *ids);
  if (text_count > 0 && ids == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < text_count; i++) {
    sc_id *id = &ids[*count];
    if (sc_id_parse(id, sc_bytes_text(texts[i])) == SC_OK && is_account(id))
      ++*count;
  }
  *out = ids;
  return SC_OK;
}

static sc_status read_invite(sc_group_update *out, const Sc__GroupUpdateInviteMessage *fields,
                             sc_message_rule *broken) {
  sc_group_invite *invite = &out->of.invite;
  out->kind = SC_MESSAGE_GROUP_INVITE;
  out->signature = borrow_signature(fields->admin_signature);
  if (sc_id_parse(&invite->group, sc_bytes_text(fields->group_session_id)) != SC_OK)
    return sc_judged(broken, SC_RULE_GROUP_ID);
  invite->name = sc_received_name(sc_bytes_text(fields->name));
  invite->auth_data = borrow(fields->member_auth_data);
  return SC_OK;
}

static void read_promotion(sc_group_update *out, const Sc__GroupUpdatePromoteMessage *fields) {
  out->kind = SC_MESSAGE_GROUP_PROMOTION;
  out->of.promotion.seed = borrow(fields->group_identity_seed);
  out->of.promotion.name = sc_received_name(sc_bytes_text(fields->name));
}

static void read_info_change(sc_group_update *out, const Sc__GroupUpdateInfoChangeMessage *fields) {
  sc_group_info_change *change = &out->of.info;
  out->kind = SC_MESSAGE_GROUP_INFO_CHANGE;
  out->signature = borrow_signature(fields->admin_signature);
  change->what = (sc_group_info_kind)fields->type;
  if (change->what == SC_GROUP_INFO_NAME) {
    sc_bytes name = sc_received_name(borrow_text(fields->updated_name));
    change->name = name.len > 0 ? name : (sc_bytes){0};
  } else if (change->what == SC_GROUP_INFO_DISAPPEARING) {
    change->disappearing_s = fields->updated_expiration;
  }
}

static sc_status read_member_change(sc_group_update *out, sc_arena *arena,
                                    const Sc__GroupUpdateMemberChangeMessage *fields) {
  sc_group_member_change *change = &out->of.members;
  out->kind = SC_MESSAGE_GROUP_MEMBER_CHANGE;
  out->signature = borrow_signature(fields->admin_signature);
  change->what = (sc_group_membership)fields->type;
  change->is_history_shared = fields->history_shared;
  return read_members(&change->members, &change->member_count, arena, fields->member_session_ids,
                      fields->n_member_session_ids);
}

static sc_status read_deletion(sc_group_update *out, sc_arena *arena,
                               const Sc__GroupUpdateDeleteMemberContentMessage *fields,
                               sc_message_rule *broken) {
  sc_group_deletion *deletion = &out->of.deletion;
  out->kind = SC_MESSAGE_GROUP_CONTENT_DELETION;
  sc_status status = read_members(&deletion->members, &deletion->member_count, arena,
                                  fields->member_session_ids, fields->n_member_session_ids);
  if (status != SC_OK)
    return status;
  /* A signature covers every id, also those that are none. */
  if (fields->has_admin_signature && deletion->member_count != fields->n_member_session_ids)
    return sc_judged(broken, SC_RULE_DELETION_MEMBERS);
  if (fields->has_admin_signature)
    out->signature = borrow_signature(fields->admin_signature);
  deletion->hash_count = fields->n_message_hashes;
  if (deletion->hash_count == 0)
    return SC_OK;
  sc_bytes *hashes = sc_arena_take(arena, deletion->hash_count * sizeof *hashes);
  if (hashes == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < deletion->hash_count; i++)
    hashes[i] = sc_bytes_text(fields->message_hashes[i]);
  deletion->hashes = hashes;
  return SC_OK;
}

/* Of several updates in one message the first in this order counts. */
sc_status sc_group_update_read(sc_group_update *out, sc_arena *arena, const Sc__GroupUpdateMessage *fields,
                               sc_message_rule *broken) {
  memset(out, 0, sizeof *out);
  if (fields->invite_message != NULL)
    return read_invite(out, fields->invite_message, broken);
  if (fields->promote_message != NULL) {
    read_promotion(out, fields->promote_message);
    return SC_OK;
  }
  if (fields->info_change_message != NULL) {
    read_info_change(out, fields->info_change_message);
    return SC_OK;
  }
  if (fields->member_change_message != NULL)
    return read_member_change(out, arena, fields->member_change_message);
  if (fields->member_left_message != NULL) {
    out->kind = SC_MESSAGE_GROUP_MEMBER_LEFT;
    return SC_OK;
  }
  if (fields->member_left_notification_message != NULL) {
    out->kind = SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION;
    return SC_OK;
  }
  if (fields->invite_response != NULL) {
    out->kind = SC_MESSAGE_GROUP_INVITE_RESPONSE;
    return fields->invite_response->is_approved ? SC_OK : sc_judged(broken, SC_RULE_GROUP_REFUSAL);
  }
  if (fields->delete_member_content != NULL)
    return read_deletion(out, arena, fields->delete_member_content, broken);
  return sc_judged(broken, SC_RULE_GROUP_EMPTY);
}

/* Checking. */

static bool are_accounts(const sc_id *ids, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!is_account(&ids[i]))
      return false;
  }
  return true;
}

/* Ids and hashes are signed with nothing between them, so the hashes must not begin like another id. */
static bool reads_like_member(const sc_group_deletion *deletion) {
  uint8_t start[SC_ID_CHARS];
  size_t len = 0;
  sc_id id;
  for (size_t i = 0; i < deletion->hash_count && len < sizeof start; i++) {
    sc_bytes hash = deletion->hashes[i];
    size_t taken = hash.len < sizeof start - len ? hash.len : sizeof start - len;
    if (taken > 0)
      memcpy(start + len, hash.ptr, taken);
    len += taken;
  }
  return sc_id_parse(&id, sc_bytes_make(start, len)) == SC_OK && is_account(&id);
}

static sc_message_rule check_invite(const sc_group_invite *invite) {
  if (sc_id_kind_of(&invite->group) != SC_ID_GROUP)
    return SC_RULE_GROUP_ID;
  if (!sc_is_usable_name(invite->name))
    return SC_RULE_GROUP_NAME;
  return invite->auth_data.len == SC_SUBACCOUNT_ACCESS_BYTES ? SC_RULE_NONE : SC_RULE_GROUP_AUTH_DATA;
}

static sc_message_rule check_promotion(const sc_group_promotion *promotion) {
  if (promotion->seed.len != SC_ED25519_SEED_BYTES)
    return SC_RULE_GROUP_SEED;
  return sc_is_usable_name(promotion->name) ? SC_RULE_NONE : SC_RULE_GROUP_NAME;
}

static sc_message_rule check_member_change(const sc_group_member_change *change) {
  bool names_accounts = change->member_count > 0 && are_accounts(change->members, change->member_count);
  return names_accounts ? SC_RULE_NONE : SC_RULE_GROUP_MEMBERS;
}

static sc_message_rule check_deletion(const sc_group_deletion *deletion) {
  if (deletion->member_count == 0 && deletion->hash_count == 0)
    return SC_RULE_DELETION_EMPTY;
  if (!are_accounts(deletion->members, deletion->member_count))
    return SC_RULE_DELETION_MEMBERS;
  return reads_like_member(deletion) ? SC_RULE_DELETION_AMBIGUOUS : SC_RULE_NONE;
}

bool sc_group_update_is_signed(sc_message_kind kind) {
  return kind == SC_MESSAGE_GROUP_INVITE || kind == SC_MESSAGE_GROUP_INFO_CHANGE ||
         kind == SC_MESSAGE_GROUP_MEMBER_CHANGE || kind == SC_MESSAGE_GROUP_CONTENT_DELETION;
}

/* Members delete their own messages without a signature. */
sc_message_rule sc_group_signature_check(const sc_group_update *update) {
  if (!sc_group_update_is_signed(update->kind))
    return SC_RULE_NONE;
  if (update->signature.ptr == NULL)
    return update->kind == SC_MESSAGE_GROUP_CONTENT_DELETION ? SC_RULE_NONE : SC_RULE_GROUP_SIGNATURE_MISSING;
  return update->signature.len == SC_SIGNATURE_BYTES ? SC_RULE_NONE : SC_RULE_GROUP_SIGNATURE_SIZE;
}

sc_message_rule sc_group_update_check(const sc_group_update *update) {
  switch (update->kind) {
  case SC_MESSAGE_GROUP_INVITE:
    return check_invite(&update->of.invite);
  case SC_MESSAGE_GROUP_PROMOTION:
    return check_promotion(&update->of.promotion);
  case SC_MESSAGE_GROUP_INFO_CHANGE: {
    sc_bytes name = update->of.info.name;
    return name.ptr == NULL || sc_is_usable_name(name) ? SC_RULE_NONE : SC_RULE_GROUP_NAME;
  }
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
    return check_member_change(&update->of.members);
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    return check_deletion(&update->of.deletion);
  default:
    return SC_RULE_NONE;
  }
}

/* Writing. */

/* protobuf-c takes pointers that it does not write through as writable ones. */
static ProtobufCBinaryData lent(sc_bytes bytes) {
  return (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)bytes.ptr, .len = bytes.len};
}

static sc_status take_texts(char ***out, sc_arena *arena, size_t count) {
  *out = count == 0 ? NULL : sc_arena_take(arena, count * sizeof **out);
  return count == 0 || *out != NULL ? SC_OK : SC_ERR_NO_MEMORY;
}

static sc_status write_ids(char ***out, sc_arena *arena, const sc_id *ids, size_t count) {
  sc_status status = take_texts(out, arena, count);
  for (size_t i = 0; status == SC_OK && i < count; i++) {
    (*out)[i] = sc_arena_take(arena, SC_ID_CHARS + 1);
    if ((*out)[i] == NULL)
      status = SC_ERR_NO_MEMORY;
    else
      sc_id_format((*out)[i], &ids[i]);
  }
  return status;
}

static sc_status write_hashes(char ***out, sc_arena *arena, const sc_bytes *hashes, size_t count) {
  sc_status status = take_texts(out, arena, count);
  for (size_t i = 0; status == SC_OK && i < count; i++)
    status = sc_field_text(&(*out)[i], arena, hashes[i]);
  return status;
}

/* Prepares a message of the schema in the arena as `name`, or returns. */
#define TAKE_FIELDS(type, name, init)                                                                        \
  type *name = sc_arena_take(arena, sizeof *(name));                                                         \
  if ((name) == NULL)                                                                                        \
    return SC_ERR_NO_MEMORY;                                                                                 \
  init(name)

static sc_status write_invite(Sc__GroupUpdateMessage *out, sc_arena *arena, const sc_group_update *update) {
  const sc_group_invite *invite = &update->of.invite;
  TAKE_FIELDS(Sc__GroupUpdateInviteMessage, fields, sc__group_update_invite_message__init);
  char **group;
  sc_status status = write_ids(&group, arena, &invite->group, 1);
  if (status == SC_OK)
    status = sc_field_text(&fields->name, arena, sc_message_name(invite->name));
  if (status != SC_OK)
    return status;
  fields->group_session_id = group[0];
  fields->member_auth_data = lent(invite->auth_data);
  fields->admin_signature = lent(update->signature);
  out->invite_message = fields;
  return SC_OK;
}

static sc_status write_promotion(Sc__GroupUpdateMessage *out, sc_arena *arena,
                                 const sc_group_promotion *promotion) {
  TAKE_FIELDS(Sc__GroupUpdatePromoteMessage, fields, sc__group_update_promote_message__init);
  fields->group_identity_seed = lent(promotion->seed);
  out->promote_message = fields;
  return sc_field_text(&fields->name, arena, sc_message_name(promotion->name));
}

static sc_status write_info_change(Sc__GroupUpdateMessage *out, sc_arena *arena,
                                   const sc_group_update *update) {
  const sc_group_info_change *change = &update->of.info;
  TAKE_FIELDS(Sc__GroupUpdateInfoChangeMessage, fields, sc__group_update_info_change_message__init);
  fields->type = (Sc__GroupUpdateInfoChangeMessage__Type)change->what;
  fields->admin_signature = lent(update->signature);
  fields->has_updated_expiration = change->what == SC_GROUP_INFO_DISAPPEARING;
  fields->updated_expiration = change->disappearing_s;
  out->info_change_message = fields;
  bool has_name = change->what == SC_GROUP_INFO_NAME && change->name.ptr != NULL;
  return has_name ? sc_field_text(&fields->updated_name, arena, sc_message_name(change->name)) : SC_OK;
}

static sc_status write_member_change(Sc__GroupUpdateMessage *out, sc_arena *arena,
                                     const sc_group_update *update) {
  const sc_group_member_change *change = &update->of.members;
  TAKE_FIELDS(Sc__GroupUpdateMemberChangeMessage, fields, sc__group_update_member_change_message__init);
  fields->type = (Sc__GroupUpdateMemberChangeMessage__Type)change->what;
  fields->n_member_session_ids = change->member_count;
  fields->has_history_shared = change->is_history_shared;
  fields->history_shared = change->is_history_shared;
  fields->admin_signature = lent(update->signature);
  out->member_change_message = fields;
  return write_ids(&fields->member_session_ids, arena, change->members, change->member_count);
}

static sc_status write_deletion(Sc__GroupUpdateMessage *out, sc_arena *arena, const sc_group_update *update) {
  const sc_group_deletion *deletion = &update->of.deletion;
  TAKE_FIELDS(Sc__GroupUpdateDeleteMemberContentMessage, fields,
              sc__group_update_delete_member_content_message__init);
  fields->n_member_session_ids = deletion->member_count;
  fields->n_message_hashes = deletion->hash_count;
  fields->has_admin_signature = update->signature.len > 0;
  fields->admin_signature = lent(update->signature);
  out->delete_member_content = fields;
  sc_status status = write_ids(&fields->member_session_ids, arena, deletion->members, deletion->member_count);
  if (status == SC_OK)
    status = write_hashes(&fields->message_hashes, arena, deletion->hashes, deletion->hash_count);
  return status;
}

static sc_status write_invite_response(Sc__GroupUpdateMessage *out, sc_arena *arena) {
  TAKE_FIELDS(Sc__GroupUpdateInviteResponseMessage, fields, sc__group_update_invite_response_message__init);
  fields->is_approved = true;
  out->invite_response = fields;
  return SC_OK;
}

static sc_status write_member_left(Sc__GroupUpdateMessage *out, sc_arena *arena) {
  TAKE_FIELDS(Sc__GroupUpdateMemberLeftMessage, fields, sc__group_update_member_left_message__init);
  out->member_left_message = fields;
  return SC_OK;
}

static sc_status write_member_left_notification(Sc__GroupUpdateMessage *out, sc_arena *arena) {
  TAKE_FIELDS(Sc__GroupUpdateMemberLeftNotificationMessage, fields,
              sc__group_update_member_left_notification_message__init);
  out->member_left_notification_message = fields;
  return SC_OK;
}

static sc_status write_kind(Sc__GroupUpdateMessage *out, sc_arena *arena, const sc_group_update *update) {
  switch (update->kind) {
  case SC_MESSAGE_GROUP_INVITE:
    return write_invite(out, arena, update);
  case SC_MESSAGE_GROUP_PROMOTION:
    return write_promotion(out, arena, &update->of.promotion);
  case SC_MESSAGE_GROUP_INFO_CHANGE:
    return write_info_change(out, arena, update);
  case SC_MESSAGE_GROUP_MEMBER_CHANGE:
    return write_member_change(out, arena, update);
  case SC_MESSAGE_GROUP_MEMBER_LEFT:
    return write_member_left(out, arena);
  case SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION:
    return write_member_left_notification(out, arena);
  case SC_MESSAGE_GROUP_INVITE_RESPONSE:
    return write_invite_response(out, arena);
  case SC_MESSAGE_GROUP_CONTENT_DELETION:
    return write_deletion(out, arena, update);
  default:
    return SC_ERR_ARGUMENT;
  }
}

sc_status sc_group_update_fields(Sc__GroupUpdateMessage **out, sc_arena *arena,
                                 const sc_group_update *update) {
  *out = NULL;
  TAKE_FIELDS(Sc__GroupUpdateMessage, fields, sc__group_update_message__init);
  sc_status status = write_kind(fields, arena, update);
  if (status == SC_OK)
    *out = fields;
  return status;
}
