#include <stdio.h>

#include "kind.h"
#include "values.h"

KIND_OF_ACCOUNT(sc_user_profile)

static sc_status set_credential(sc_user_profile *profile, draws *from, uint64_t wall_ms) {
  sc_ed25519_pair rotating;
  sc_pro_credential credential = {.seed = {(uint8_t)(1 + draw_below(from, 2))}};
  bool late = draw_one_in(from, 2);
  sc_ed25519_pair_from_seed(&rotating, credential.seed);
  credential.proof.generation = draw_one_in(from, 2) ? SC_PRO_GENERATION_A : SC_PRO_GENERATION_B;
  uint64_t expiry_s = late ? 2000000000 : 1000000000;
  credential.proof.expiry = credential.proof.generation == SC_PRO_GENERATION_A ? expiry_s * 1000 : expiry_s;
  memcpy(credential.proof.rotating_key, rotating.public_key, sizeof rotating.public_key);
  return sc_user_profile_set_credential(profile, &credential, wall_ms);
}

static sc_status edit_pro(sc_user_profile *profile, draws *from, uint64_t wall_ms) {
  int64_t recent = (int64_t)(wall_ms / 1000) - (int64_t)draw_below(from, 3) * 86400;
  switch (draw_below(from, 7)) {
  case 0:
    return set_credential(profile, from, wall_ms);
  case 1:
    return sc_user_profile_remove_credential(profile);
  case 2:
    return sc_user_profile_set_access_expiry(profile, draw_one_in(from, 3) ? 0 : recent, wall_ms);
  case 3:
    return sc_user_profile_set_renews(profile, draw_one_in(from, 2));
  case 4:
    return sc_user_profile_set_grace(profile, draw_time(from));
  case 5:
    return sc_user_profile_set_refund_requested(profile, draw_one_in(from, 3) ? 0 : recent, wall_ms);
  default:
    return sc_user_profile_set_purchase_begun(profile, draw_one_in(from, 3) ? 0 : recent, wall_ms);
  }
}

static sc_status edit(void *object, draws *from, uint64_t wall_ms) {
  bool on = draw_one_in(from, 2);
  sc_config_picture picture = draw_picture(from);
  switch (draw_below(from, 8)) {
  case 0:
    return sc_user_profile_set_name(object, draw_name(from), wall_ms);
  case 1:
    return sc_user_profile_set_picture(object, &picture, wall_ms);
  case 2:
    return sc_user_profile_set_reuploaded(object, &picture, wall_ms);
  case 3:
    return sc_user_profile_set_blinded_requests(object, (sc_config_choice)draw_below(from, 3), wall_ms);
  case 4:
    return sc_user_profile_set_note_priority(object, draw_number(from));
  case 5:
    return sc_user_profile_set_note_expiry(object, draw_number(from));
  case 6:
    return sc_user_profile_set_feature(object, (uint64_t)1 << draw_below(from, 3), on, wall_ms);
  default:
    return edit_pro(object, from, wall_ms);
  }
}

/* A profile has no records: each device writes its own field. */
static sc_status set_own(void *object, unsigned owner, uint32_t value, uint64_t wall_ms) {
  char name[24];
  switch (owner) {
  case 0:
    snprintf(name, sizeof name, "own %u", value);
    return sc_user_profile_set_name(object, sc_bytes_text(name), wall_ms);
  case 1:
    return sc_user_profile_set_note_priority(object, (int32_t)value);
  case 2:
    return sc_user_profile_set_note_expiry(object, (int32_t)value);
  case 3:
    return sc_user_profile_set_access_expiry(object, value, 0);
  default:
    return sc_user_profile_set_blinded_requests(object, value % 2 == 0 ? SC_CONFIG_NO : SC_CONFIG_YES,
                                                wall_ms);
  }
}

static bool has_own(const void *object, unsigned owner, uint32_t value) {
  char name[24];
  sc_profile profile;
  sc_profile_pro pro;
  sc_user_profile_get(&profile, object);
  sc_user_profile_get_pro(&pro, object, 0);
  switch (owner) {
  case 0:
    snprintf(name, sizeof name, "own %u", value);
    return sc_bytes_same(profile.name, sc_bytes_text(name));
  case 1:
    return profile.note_priority == (int32_t)value;
  case 2:
    return profile.note_expiry_s == (int32_t)value;
  case 3:
    return pro.access_expiry_s == value;
  default:
    return profile.blinded_requests == (value % 2 == 0 ? SC_CONFIG_NO : SC_CONFIG_YES);
  }
}

static void describe_pro(description *to, const sc_user_profile *object) {
  sc_profile_pro pro;
  sc_user_profile_get_pro(&pro, object, 0);
  describe_number(to, pro.has_credential);
  if (pro.has_credential) {
    describe_bytes(to, SC_BYTES(pro.credential.seed));
    describe_number(to, pro.credential.proof.generation);
    describe_number(to, (int64_t)pro.credential.proof.expiry);
  }
  describe_number(to, pro.access_expiry_s);
  describe_number(to, pro.grace_s);
  describe_number(to, pro.renews);
  describe_number(to, pro.refund_requested_s);
  describe_number(to, pro.purchase_begun_s);
}

static sc_status describe(sc_buffer *out, const void *object) {
  description to = {out, SC_OK};
  sc_profile profile;
  sc_user_profile_get(&profile, object);
  describe_bytes(&to, profile.name);
  describe_picture(&to, &profile.picture);
  describe_number(&to, profile.updated_s);
  describe_number(&to, profile.note_priority);
  describe_number(&to, profile.note_expiry_s);
  describe_number(&to, profile.blinded_requests);
  describe_number(&to, (int64_t)profile.features);
  describe_pro(&to, object);
  return to.status;
}

const kind user_profile_kind = {.name = "user_profile", KIND_PARTS};
