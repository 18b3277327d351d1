#include "session-core/config/profile_pro.h"

#include "stored_config.h"

/* A profile, and its data as it was last looked at. */
typedef struct work {
  sc_user_profile *profile;
  sc_profile_pro pro;
  sc_buffer bytes;
} work;

#define NOW_S 1750000000
#define NOW_MS (UINT64_C(1000) * NOW_S + 999)
#define NOW "i1750000000e"
#define LATER_S (NOW_S + 1)
#define WEEK_S SC_PROFILE_PRO_STALE_S

static sc_status start(work *w, const sc_test *t, sc_bytes data) {
  *w = (work){0};
  sc_buffer_init(&w->bytes, t->env);
  sc_keypair keys = own_keys();
  sc_status status = saved_dump_of(&w->bytes, data, "de");
  if (status == SC_OK)
    status = sc_user_profile_new(&w->profile, t->env, &keys, sc_buffer_bytes(&w->bytes));
  if (status == SC_OK)
    sc_user_profile_get_pro(&w->pro, w->profile, NOW_MS);
  return status;
}

static void finish(work *w) {
  sc_profile_pro_wipe(&w->pro);
  sc_user_profile_free(w->profile);
  w->profile = NULL;
  sc_buffer_free(&w->bytes);
}

#define START(text) OK(start(&w, t, TEXT_BYTES(text)))

#define HOLDS(text)                                                                                          \
  do {                                                                                                       \
    HOLDS_DATA(w.bytes, sc_user_profile_config(w.profile), text);                                            \
    sc_user_profile_get_pro(&w.pro, w.profile, NOW_MS);                                                      \
  } while (0)

#define UNTOUCHED() CHECK(is_untouched(sc_user_profile_config(w.profile)))

#define TAG "tagtagtagtagtagtagtagtagtagtag12"
#define SEED "seedseedseedseedseedseedseedse12"
#define SIGNATURE "signaturesignaturesignaturesignaturesignaturesignaturesignature1"

/* The forms in which a credential may be stored, all with the same expiry. */
#define DICT_A "1:sd1:pd1:@i0e1:ei1750000001500e1:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "e"
#define DICT_B "1:sd1:pd1:ei1750000001e1:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "e"
#define STRING_C "1:s163:d1:ei1750000001e1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE "e"

/* The credential that they encode. */
static sc_pro_credential credential_of(sc_pro_generation generation) {
  sc_pro_credential credential = {.proof = {.generation = generation}};
  sc_ed25519_pair pair;
  memcpy(credential.seed, SEED, sizeof credential.seed);
  memcpy(credential.proof.tag, TAG, sizeof credential.proof.tag);
  memcpy(credential.proof.signature, SIGNATURE, sizeof credential.proof.signature);
  sc_ed25519_pair_from_seed(&pair, credential.seed);
  memcpy(credential.proof.rotating_key, pair.public_key, sizeof credential.proof.rotating_key);
  credential.proof.expiry = generation == SC_PRO_GENERATION_A ? UINT64_C(1750000001500) : 1750000001;
  return credential;
}

static bool is_the_credential(const sc_profile_pro *pro, sc_pro_generation generation) {
  sc_pro_credential expected = credential_of(generation);
  const sc_pro_proof *proof = &pro->credential.proof;
  return pro->has_credential && proof->generation == generation && proof->version == 0 &&
         proof->expiry == expected.proof.expiry && memcmp(proof->tag, TAG, 32) == 0 &&
         memcmp(proof->signature, SIGNATURE, 64) == 0 && memcmp(pro->credential.seed, SEED, 32) == 0 &&
         memcmp(proof->rotating_key, expected.proof.rotating_key, 32) == 0 &&
         sc_pro_credential_expiry_s(&pro->credential) == 1750000001;
}

static void a_profile_without_pro_has_no_pro_data(sc_test *t) {
  work w;
  START("de");
  CHECK(!w.pro.has_credential && !w.pro.renews && w.pro.access_expiry_s == 0 && w.pro.grace_s == 0);
  CHECK(w.pro.refund_requested_s == 0 && w.pro.purchase_begun_s == 0);
done:
  finish(&w);
}

static void every_field_is_read(sc_test *t) {
  work w;
  START("d1:Ai1e1:Ei1760000000e1:Gi3600e1:Ii1749999999e1:Ri1749999998ee");
  CHECK(w.pro.renews && w.pro.access_expiry_s == 1760000000 && w.pro.grace_s == 3600);
  CHECK(w.pro.purchase_begun_s == 1749999999 && w.pro.refund_requested_s == 1749999998);
done:
  finish(&w);
}

static void a_credential_is_read_in_each_form(sc_test *t) {
  work w;
  START("d" DICT_A "e");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_A));
  finish(&w);
  START("d" DICT_B "e");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_B));
  finish(&w);
  START("d" STRING_C "e");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_B));
done:
  finish(&w);
}

static void a_credentials_expiry_is_read_in_either_unit(sc_test *t) {
  work w;
  START("d1:sd1:pd1:@i0e1:ei1750000001e1:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "ee");
  CHECK(w.pro.credential.proof.expiry == UINT64_C(1750000001000));
  finish(&w);
  START("d1:sd1:pd1:ei1750000001500e1:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "ee");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_B));
done:
  finish(&w);
}

#define NONE(fields)                                                                                         \
  do {                                                                                                       \
    finish(&w);                                                                                              \
    START("d" fields "e");                                                                                   \
    CHECK(!w.pro.has_credential && w.pro.credential.proof.expiry == 0);                                      \
    CHECK(w.pro.credential.seed[0] == 0);                                                                    \
  } while (0)

static void an_invalid_credential_is_ignored(sc_test *t) {
  work w;
  START("de");
  NONE("1:si1e");
  NONE("1:sli1ee");
  NONE("1:s0:");
  NONE("1:s2:de");
  NONE("1:sd1:r32:" SEED "e");
  NONE("1:sd1:pi1e1:r32:" SEED "e");
  /* the oldest form */
  NONE("1:sd1:pd1:ei1750000001e1:r32:" KEY "e1:r64:" SIGNATURE "e");
  NONE("1:sd1:pd1:ei1750000001e1:g31:tagtagtagtagtagtagtagtagtagtag11:s64:" SIGNATURE "e1:r32:" SEED "e");
  NONE("1:sd1:pd1:ei1750000001e1:g32:" TAG "1:s5:shorte1:r32:" SEED "e");
  NONE("1:sd1:pd1:e1:91:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "e");
  NONE("1:sd1:pd1:ei-1e1:g32:" TAG "1:s64:" SIGNATURE "e1:r32:" SEED "e");
done:
  finish(&w);
}

static void a_credential_in_a_string_is_read_strictly(sc_test *t) {
  work w;
  START("de");
  NONE("1:s164:d1:ei1750000001e1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE "ex");
  NONE("1:s169:d1:ei1750000001e1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE "1:ti1ee");
  NONE("1:s169:d1:ai1e1:ei1750000001e1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE "e");
  NONE("1:s162:d1:ei1750000001e1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE);
  NONE("1:s148:d1:g32:" TAG "1:r32:" SEED "1:s64:" SIGNATURE "e");
done:
  finish(&w);
}

static void the_access_expiry_is_read_in_either_unit(sc_test *t) {
  work w;
  START("d1:Ei1760000000500ee");
  CHECK(w.pro.access_expiry_s == 1760000000);
  finish(&w);
  START("d1:Ei1000000000000ee");
  CHECK(w.pro.access_expiry_s == 1000000000000);
  finish(&w);
  START("d1:Ei-1e1:Gi-1ee");
  CHECK(w.pro.access_expiry_s == 0 && w.pro.grace_s == 0);
done:
  finish(&w);
}

static void purchases_and_refund_requests_expire_after_a_week(sc_test *t) {
  work w;
  START("d1:Ii1749395200e1:Ri1749395200ee");
  CHECK(w.pro.purchase_begun_s == NOW_S - WEEK_S && w.pro.refund_requested_s == NOW_S - WEEK_S);
  sc_user_profile_get_pro(&w.pro, w.profile, NOW_MS + 1000);
  CHECK(w.pro.purchase_begun_s == 0 && w.pro.refund_requested_s == 0);
done:
  finish(&w);
}

/* Editing */

static void a_credential_is_stored_in_the_form_of_its_generation(sc_test *t) {
  work w;
  START("d1:s7:unknowne");
  sc_pro_credential b = credential_of(SC_PRO_GENERATION_B);
  OK(sc_user_profile_set_credential(w.profile, &b, NOW_MS));
  HOLDS("d" STRING_C "1:t" NOW "e");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_B));
  finish(&w);
  START("d" STRING_C "e");
  sc_pro_credential a = credential_of(SC_PRO_GENERATION_A);
  OK(sc_user_profile_set_credential(w.profile, &a, NOW_MS));
  HOLDS("d" DICT_A "1:t" NOW "e");
  CHECK(is_the_credential(&w.pro, SC_PRO_GENERATION_A));
  finish(&w);
  START("d1:sd1:pd2:zzi1ee2:zzi2eee");
  OK(sc_user_profile_set_credential(w.profile, &a, NOW_MS));
  HOLDS("d" DICT_A "1:t" NOW "e");
done:
  finish(&w);
}

/* Small numbers are read as seconds, so milliseconds of long ago cannot be written unchanged. */
static void a_credential_that_ended_long_ago_is_read_as_it_was_stored(sc_test *t) {
  work w;
  sc_profile_pro pro;
  sc_pro_credential a = credential_of(SC_PRO_GENERATION_A);
  a.proof.expiry = 175000000;
  START("d1:s7:unknowne");
  OK(sc_user_profile_set_credential(w.profile, &a, NOW_MS));
  sc_user_profile_get_pro(&pro, w.profile, NOW_MS);
  CHECK(pro.has_credential && pro.credential.proof.expiry == a.proof.expiry);
done:
  finish(&w);
}

static void the_same_credential_leaves_the_config_clean(sc_test *t) {
  work w;
  sc_pro_credential a = credential_of(SC_PRO_GENERATION_A);
  sc_pro_credential b = credential_of(SC_PRO_GENERATION_B);
  START("d" DICT_A "e");
  OK(sc_user_profile_set_credential(w.profile, &a, NOW_MS));
  UNTOUCHED();
  finish(&w);
  START("d" STRING_C "e");
  OK(sc_user_profile_set_credential(w.profile, &b, NOW_MS));
  UNTOUCHED();
  finish(&w);
  START("d" DICT_B "e");
  OK(sc_user_profile_set_credential(w.profile, &b, NOW_MS));
  UNTOUCHED();
done:
  finish(&w);
}

static void a_credential_that_differs_in_any_part_is_stored(sc_test *t) {
  work w;
  sc_pro_credential credential = credential_of(SC_PRO_GENERATION_B);
  START("d" STRING_C "e");
  credential.proof.tag[31] ^= 1;
  OK(sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  sc_user_profile_get_pro(&w.pro, w.profile, NOW_MS);
  CHECK(memcmp(w.pro.credential.proof.tag, credential.proof.tag, 32) == 0);
  credential.proof.signature[63] ^= 1;
  OK(sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  sc_user_profile_get_pro(&w.pro, w.profile, NOW_MS);
  CHECK(memcmp(w.pro.credential.proof.signature, credential.proof.signature, 64) == 0);
  credential.proof.expiry++;
  OK(sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  sc_user_profile_get_pro(&w.pro, w.profile, NOW_MS);
  CHECK(w.pro.credential.proof.expiry == credential.proof.expiry);
done:
  finish(&w);
}

static void a_valid_credential_completes_a_purchase(sc_test *t) {
  work w;
  sc_pro_credential credential = credential_of(SC_PRO_GENERATION_B);
  START("d1:Ii1749999999ee");
  OK(sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  HOLDS("d" STRING_C "1:t" NOW "e");
  finish(&w);
  START("d1:Ii1749999999ee");
  OK(sc_user_profile_set_credential(w.profile, &credential, NOW_MS + 1000));
  HOLDS("d1:Ii1749999999e" STRING_C "1:ti1750000001ee");
done:
  finish(&w);
}

static void an_invalid_credential_is_refused(sc_test *t) {
  work w;
  START("de");
  sc_pro_credential credential = credential_of(SC_PRO_GENERATION_B);
  credential.proof.expiry = 0;
  FAILS(SC_ERR_PRO_PROOF, sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  credential.proof.expiry = (uint64_t)INT64_MAX + 1;
  FAILS(SC_ERR_PRO_PROOF, sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  credential = credential_of(SC_PRO_GENERATION_B);
  credential.seed[0] ^= 1;
  FAILS(SC_ERR_KEY_MISMATCH, sc_user_profile_set_credential(w.profile, &credential, NOW_MS));
  UNTOUCHED();
done:
  finish(&w);
}

static void a_credential_is_removed_without_a_trace(sc_test *t) {
  work w;
  START("d" DICT_A "1:ti5ee");
  OK(sc_user_profile_remove_credential(w.profile));
  HOLDS("d1:ti5ee");
  finish(&w);
  START("d1:ti5ee");
  OK(sc_user_profile_remove_credential(w.profile));
  UNTOUCHED();
done:
  finish(&w);
}

static void setting_access_does_not_change_the_profile_time(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_access_expiry(w.profile, 5, NOW_MS));
  OK(sc_user_profile_set_renews(w.profile, true));
  OK(sc_user_profile_set_grace(w.profile, 60));
  HOLDS("d1:Ai1e1:Ei5e1:Gi60ee");
  OK(sc_user_profile_set_renews(w.profile, false));
  OK(sc_user_profile_set_grace(w.profile, 0));
  HOLDS("d1:Ei5ee");
done:
  finish(&w);
}

static void clearing_access_clears_the_grace_period(sc_test *t) {
  work w;
  START("d1:Ei5e1:Gi60e1:Ii1749999999ee");
  OK(sc_user_profile_set_access_expiry(w.profile, 0, NOW_MS));
  HOLDS("d1:Ii1749999999ee");
done:
  finish(&w);
}

static void access_completes_a_purchase_and_clears_an_old_refund_request(sc_test *t) {
  work w;
  START("d1:Ii1749999999e1:Ri1749395199ee");
  OK(sc_user_profile_set_access_expiry(w.profile, NOW_S, NOW_MS));
  HOLDS("d1:Ei1750000000e1:Ii1749999999e1:Ri1749395199ee");
  OK(sc_user_profile_set_access_expiry(w.profile, LATER_S, NOW_MS));
  HOLDS("d1:Ei1750000001ee");
  finish(&w);
  START("d1:Ri1749395200ee");
  OK(sc_user_profile_set_access_expiry(w.profile, LATER_S, NOW_MS));
  HOLDS("d1:Ei1750000001e1:Ri1749395200ee");
done:
  finish(&w);
}

static void requesting_a_refund_updates_the_profile_time(sc_test *t) {
  work w;
  START("de");
  OK(sc_user_profile_set_refund_requested(w.profile, 9, NOW_MS));
  HOLDS("d1:Ri9e1:t" NOW "e");
  OK(sc_user_profile_set_refund_requested(w.profile, 0, 0));
  HOLDS("d1:t" NOW "e");
  finish(&w);
  START("d1:Ri9ee");
  OK(sc_user_profile_set_refund_requested(w.profile, 9, NOW_MS));
  UNTOUCHED();
done:
  finish(&w);
}

static void a_purchase_begins_unless_pro_is_active(sc_test *t) {
  work w;
  START("d1:Ei1750000000ee");
  OK(sc_user_profile_set_purchase_begun(w.profile, 9, NOW_MS));
  HOLDS("d1:Ei1750000000e1:Ii9e1:t" NOW "e");
  OK(sc_user_profile_set_purchase_begun(w.profile, 0, 0));
  HOLDS("d1:Ei1750000000e1:t" NOW "e");
  finish(&w);
  START("d1:Ei1750000001ee");
  OK(sc_user_profile_set_purchase_begun(w.profile, 9, NOW_MS));
  UNTOUCHED();
  finish(&w);
  START("d1:Ii9e" STRING_C "e");
  OK(sc_user_profile_set_purchase_begun(w.profile, 10, NOW_MS));
  UNTOUCHED();
  OK(sc_user_profile_set_purchase_begun(w.profile, 0, NOW_MS));
  HOLDS("d" STRING_C "1:t" NOW "e");
done:
  finish(&w);
}

static void setting_a_feature_bit_updates_the_profile_time(sc_test *t) {
  work w;
  START("d1:fli70e1:?ee");
  OK(sc_user_profile_set_feature(w.profile, SC_PRO_PROFILE_ANIMATED, true, NOW_MS));
  HOLDS("d1:fli1ei70e1:?e1:t" NOW "e");
  OK(sc_user_profile_set_feature(w.profile, (uint64_t)1 << 63, true, 0));
  HOLDS("d1:fli1ei63ei70e1:?e1:t" NOW "e");
  OK(sc_user_profile_set_feature(w.profile, SC_PRO_PROFILE_ANIMATED, false, 0));
  HOLDS("d1:fli63ei70e1:?e1:t" NOW "e");
done:
  finish(&w);
}

static void setting_a_feature_to_its_current_value_leaves_the_config_clean(sc_test *t) {
  work w;
  START("d1:fli0eee");
  OK(sc_user_profile_set_feature(w.profile, SC_PRO_PROFILE_BADGE, true, NOW_MS));
  OK(sc_user_profile_set_feature(w.profile, SC_PRO_PROFILE_ANIMATED, false, NOW_MS));
  FAILS(SC_ERR_ARGUMENT, sc_user_profile_set_feature(w.profile, 0, true, NOW_MS));
  FAILS(SC_ERR_ARGUMENT, sc_user_profile_set_feature(w.profile, 3, true, NOW_MS));
  UNTOUCHED();
done:
  finish(&w);
}

static void edits_after_an_upload_update_the_uploads_time(sc_test *t) {
  work w;
  START("d1:Ti6e1:ti5ee");
  OK(sc_user_profile_set_feature(w.profile, SC_PRO_PROFILE_BADGE, true, NOW_MS));
  HOLDS("d1:T" NOW "1:fli0ee1:ti5ee");
done:
  finish(&w);
}

SUITE(config_profile_pro, "config/profile_pro",
      {"a profile without Pro has no Pro data", a_profile_without_pro_has_no_pro_data},
      {"every field is read", every_field_is_read},
      {"a credential is read in each form", a_credential_is_read_in_each_form},
      {"a credential's expiry is read in either unit", a_credentials_expiry_is_read_in_either_unit},
      {"an invalid credential is ignored", an_invalid_credential_is_ignored},
      {"a credential in a string is read strictly", a_credential_in_a_string_is_read_strictly},
      {"the access expiry is read in either unit", the_access_expiry_is_read_in_either_unit},
      {"purchases and refund requests expire after a week",
       purchases_and_refund_requests_expire_after_a_week},
      {"a credential is stored in the form of its generation",
       a_credential_is_stored_in_the_form_of_its_generation},
      {"a credential that ended long ago is read as it was stored",
       a_credential_that_ended_long_ago_is_read_as_it_was_stored},
      {"the same credential leaves the config clean", the_same_credential_leaves_the_config_clean},
      {"a credential that differs in any part is stored", a_credential_that_differs_in_any_part_is_stored},
      {"a valid credential completes a purchase", a_valid_credential_completes_a_purchase},
      {"an invalid credential is refused", an_invalid_credential_is_refused},
      {"a credential is removed without a trace", a_credential_is_removed_without_a_trace},
      {"setting access does not change the profile time", setting_access_does_not_change_the_profile_time},
      {"clearing access clears the grace period", clearing_access_clears_the_grace_period},
      {"access completes a purchase and clears an old refund request",
       access_completes_a_purchase_and_clears_an_old_refund_request},
      {"requesting a refund updates the profile time", requesting_a_refund_updates_the_profile_time},
      {"a purchase begins unless Pro is active", a_purchase_begins_unless_pro_is_active},
      {"setting a feature bit updates the profile time", setting_a_feature_bit_updates_the_profile_time},
      {"setting a feature to its current value leaves the config clean",
       setting_a_feature_to_its_current_value_leaves_the_config_clean},
      {"edits after an upload update the upload's time", edits_after_an_upload_update_the_uploads_time});
