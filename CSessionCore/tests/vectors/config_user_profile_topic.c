/* The reference that recorded these cases had no times of change, so none are given. */
#include "config/change.h"
#include "config_script.h"

static sc_status create(void **out, script *s, sc_bytes dump) {
  sc_user_profile *profile;
  sc_keypair account = script_account(s);
  sc_status status = sc_user_profile_new(&profile, known_env(s->c), &account, dump);
  *out = profile;
  return status;
}

static void destroy(void *object) {
  sc_user_profile_free(object);
}

static sc_config *config(void *object) {
  return sc_user_profile_config(object);
}

static sc_status set_name(script *s, void *object) {
  return sc_user_profile_set_name(object, known_text(s->c, "name"), 0);
}

static sc_status set_name_truncated(script *s, void *object) {
  return sc_user_profile_set_name(object, sc_config_cut(known_text(s->c, "name"), SC_CONFIG_MAX_NAME_BYTES),
                                  0);
}

/* The reference stores urls too long for other clients, which we refuse. To compare the rest, the case
 * continues with the reference's stored value. */
static sc_status store_as_recorded(sc_user_profile *profile, const sc_config_picture *picture) {
  sc_config_change change;
  const sc_bytes keys[] = {sc_bytes_text("p"), sc_bytes_text("q")};
  sc_config_change_begin(&change, sc_user_profile_config(profile));
  sc_config_change_set(&change, (sc_config_path){&keys[0], 1}, sc_config_string(picture->url));
  sc_config_change_set(&change, (sc_config_path){&keys[1], 1}, sc_config_string(picture->key));
  return sc_config_change_end(&change);
}

static sc_status set_profile_pic(script *s, void *object) {
  sc_config_picture picture = script_picture(s);
  sc_status status = sc_user_profile_set_picture(object, &picture, 0);
  bool disputed = status == SC_ERR_CONFIG_PICTURE && s->c->accepts && sc_config_picture_is_set(&picture);
  return disputed ? store_as_recorded(object, &picture) : status;
}

static sc_status set_nts_priority(script *s, void *object) {
  return sc_user_profile_set_note_priority(object, (int32_t)known_integer(s->c, "priority"));
}

static sc_status set_nts_expiry(script *s, void *object) {
  return sc_user_profile_set_note_expiry(object, (int32_t)known_integer(s->c, "seconds"));
}

static sc_status set_blinded_msgreqs(script *s, void *object) {
  sc_config_choice choice = SC_CONFIG_UNDECIDED;
  if (known_has(s->c, "value"))
    choice = known_flag(s->c, "value") ? SC_CONFIG_YES : SC_CONFIG_NO;
  return sc_user_profile_set_blinded_requests(object, choice, 0);
}

static void same_choice(script *s, const char *field, sc_config_choice actual) {
  if (known_has(s->c, field) != (actual != SC_CONFIG_UNDECIDED))
    known_differs(s->c, "%s is %d", field, (int)actual);
  else if (actual != SC_CONFIG_UNDECIDED)
    known_same_flag(s->c, field, actual == SC_CONFIG_YES);
}

static sc_status state(script *s, void *object) {
  sc_profile profile;
  sc_user_profile_get(&profile, object);
  const sc_json *step = script_enter(s, "result");
  script_enter(s, "state");
  script_same_text(s, "name", profile.name);
  script_same_picture(s, "profile_pic", &profile.picture);
  script_same_integer(s, "nts_priority", profile.note_priority);
  script_same_integer(s, "nts_expiry_seconds", profile.note_expiry_s);
  same_choice(s, "blinded_msgreqs", profile.blinded_requests);
  script_leave(s, step);
  return SC_OK;
}

SCRIPT_TOPIC(config_user_profile, create, destroy, config, {"set_name", set_name},
             {"set_name_truncated", set_name_truncated}, {"set_profile_pic", set_profile_pic},
             {"set_nts_priority", set_nts_priority}, {"set_nts_expiry", set_nts_expiry},
             {"set_blinded_msgreqs", set_blinded_msgreqs}, {"state", state});
