#include "session-core/config/profile_pro.h"

#include <stddef.h>

#include "field_table.h"
#include "object.h"
#include "pro_credential.h"
#include "session-core/base/secret.h"
#include "user_profile.h"

enum { milliseconds = 1000 };

void sc_profile_pro_wipe(sc_profile_pro *pro) {
  sc_wipe(pro, sizeof *pro);
}

#define AT(member) .offset = offsetof(sc_profile_pro, member)

static const sc_field_row rows[] = {
    {"A", SC_FIELD_FLAG, AT(renews)},
    {"E", SC_FIELD_POSITIVE, AT(access_expiry_s)},
    {"G", SC_FIELD_POSITIVE, AT(grace_s)},
    {"I", SC_FIELD_POSITIVE, AT(purchase_begun_s)},
    {"R", SC_FIELD_POSITIVE, AT(refund_requested_s)},
};

/* Reading */

static bool is_stale(int64_t when_s, int64_t now_s) {
  return now_s > SC_PROFILE_PRO_STALE_S && when_s < now_s - SC_PROFILE_PRO_STALE_S;
}

static int64_t unless_stale(int64_t when_s, int64_t now_s) {
  return is_stale(when_s, now_s) ? 0 : when_s;
}

void sc_user_profile_get_pro(sc_profile_pro *out, const sc_user_profile *profile, uint64_t wall_ms) {
  sc_config_fields fields;
  int64_t now_s = (int64_t)(wall_ms / milliseconds);
  memset(out, 0, sizeof *out);
  sc_user_profile_fields(&fields, profile);
  sc_field_table_read(out, SC_FIELD_TABLE(rows), &fields);
  out->access_expiry_s = sc_pro_seconds(out->access_expiry_s);
  out->purchase_begun_s = unless_stale(out->purchase_begun_s, now_s);
  out->refund_requested_s = unless_stale(out->refund_requested_s, now_s);
  out->has_credential = sc_pro_credential_read(&out->credential, sc_config_fields_at(&fields, "s"));
}

/* Editing */

static sc_status check(const sc_pro_credential *credential) {
  sc_ed25519_pair pair;
  sc_ed25519_pair_from_seed(&pair, credential->seed);
  bool own = memcmp(pair.public_key, credential->proof.rotating_key, sizeof pair.public_key) == 0;
  sc_ed25519_pair_wipe(&pair);
  if (!own)
    return SC_ERR_KEY_MISMATCH;
  return credential->proof.expiry == 0 || credential->proof.expiry > INT64_MAX ? SC_ERR_PRO_PROOF : SC_OK;
}

/* True if the profile has this credential already. */
static bool has(const sc_user_profile *profile, const sc_pro_credential *credential) {
  sc_profile_pro pro;
  sc_user_profile_get_pro(&pro, profile, 0);
  bool same = pro.has_credential && sc_pro_credential_same(&pro.credential, credential);
  sc_profile_pro_wipe(&pro);
  return same;
}

sc_status sc_user_profile_set_credential(sc_user_profile *profile, const sc_pro_credential *credential,
                                         uint64_t wall_ms) {
  sc_user_profile_edit edit;
  sc_status status = check(credential);
  if (status != SC_OK || has(profile, credential))
    return status;
  sc_user_profile_begin(&edit, profile, wall_ms);
  if (sc_pro_credential_expiry_s(credential) > edit.now_s)
    sc_config_write_nothing(&edit.record, "I");
  sc_user_profile_stamp(&edit);
  sc_config_record_end(&edit.record);
  sc_pro_credential_write(&edit.change, "s", credential);
  return sc_config_change_end(&edit.change);
}

sc_status sc_user_profile_remove_credential(sc_user_profile *profile) {
  sc_user_profile_edit edit;
  sc_user_profile_begin(&edit, profile, 0);
  sc_config_write_nothing(&edit.record, "s");
  return sc_user_profile_end(&edit);
}

static void settle(sc_user_profile_edit *edit, const sc_user_profile *profile) {
  sc_config_fields fields;
  sc_user_profile_fields(&fields, profile);
  bool stale = is_stale(sc_config_read_integer(&fields, "R"), edit->now_s);
  sc_config_write_nothing(&edit->record, "I");
  if (stale)
    sc_config_write_nothing(&edit->record, "R");
}

sc_status sc_user_profile_set_access_expiry(sc_user_profile *profile, int64_t expiry_s, uint64_t wall_ms) {
  sc_user_profile_edit edit;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_config_write_positive(&edit.record, "E", expiry_s);
  if (expiry_s <= 0)
    sc_config_write_nothing(&edit.record, "G");
  if (expiry_s > edit.now_s)
    settle(&edit, profile);
  return sc_user_profile_end(&edit);
}

/* Sets a field that dates nothing. */
static sc_status set(sc_user_profile *profile, const char *key, const void *member) {
  sc_user_profile_edit edit;
  sc_user_profile_begin(&edit, profile, 0);
  sc_field_table_write_one(&edit.record, SC_FIELD_TABLE(rows), key, member);
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_renews(sc_user_profile *profile, bool renews) {
  return set(profile, "A", &renews);
}

sc_status sc_user_profile_set_grace(sc_user_profile *profile, int64_t grace_s) {
  return set(profile, "G", &grace_s);
}

/* A time that the profile's own follows. */
static sc_status set_time(sc_user_profile *profile, const char *key, int64_t when_s, uint64_t wall_ms) {
  sc_user_profile_edit edit;
  sc_config_fields fields;
  sc_user_profile_fields(&fields, profile);
  if (sc_config_read_integer(&fields, key) == sc_config_clamp(when_s, 0, INT64_MAX))
    return SC_OK;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_config_write_positive(&edit.record, key, when_s);
  sc_user_profile_stamp(&edit);
  return sc_user_profile_end(&edit);
}

sc_status sc_user_profile_set_refund_requested(sc_user_profile *profile, int64_t when_s, uint64_t wall_ms) {
  return set_time(profile, "R", when_s, wall_ms);
}

static bool is_pro(const sc_user_profile *profile, uint64_t wall_ms) {
  sc_profile_pro pro;
  sc_user_profile_get_pro(&pro, profile, wall_ms);
  bool is = pro.has_credential || pro.access_expiry_s > (int64_t)(wall_ms / milliseconds);
  sc_profile_pro_wipe(&pro);
  return is;
}

sc_status sc_user_profile_set_purchase_begun(sc_user_profile *profile, int64_t when_s, uint64_t wall_ms) {
  bool ignored = when_s > 0 && is_pro(profile, wall_ms);
  return ignored ? SC_OK : set_time(profile, "I", when_s, wall_ms);
}

sc_status sc_user_profile_set_feature(sc_user_profile *profile, uint64_t feature, bool on, uint64_t wall_ms) {
  sc_user_profile_edit edit;
  sc_profile now;
  if (feature == 0 || (feature & (feature - 1)) != 0)
    return SC_ERR_ARGUMENT;
  sc_user_profile_get(&now, profile);
  if (((now.features & feature) != 0) == on)
    return SC_OK;
  sc_user_profile_begin(&edit, profile, wall_ms);
  sc_user_profile_stamp(&edit);
  sc_config_record_end(&edit.record);
  sc_bytes key = sc_bytes_text("f");
  sc_config_change_bits(&edit.change, (sc_config_path){&key, 1}, on ? feature : 0, on ? 0 : feature);
  return sc_config_change_end(&edit.change);
}
