#include "scene.h"
#include "session-core/base/bt.h"

enum { day_s = 24 * 3600, hour_s = 3600 };

static sc_status open_at(const party *p, const sc_env *env, sc_bytes message, uint64_t at_s) {
  sc_ratchet_bundle bundle;
  return sc_ratchet_bundle_open(&bundle, env, message, &p->account.id, at_s);
}

static void an_opened_bundle_has_the_published_keys(sc_test *t) {
  party p;
  sc_ratchet_public_prekeys prekeys;
  OK(party_make(&p, t->env, 1));
  sc_ratchet_prekeys_public(&prekeys, &p.prekeys);
  SAME(SC_BYTES(p.account.keys.ed.public_key), p.bundle.account);
  SAME(SC_BYTES(p.device.keys.ed.public_key), p.bundle.device);
  SAME(SC_BYTES(prekeys.signed_prekey), p.bundle.signed_prekey);
  SAME(SC_BYTES(prekeys.kem_key), p.bundle.kem_key);
  SAME(sc_bytes_make(prekeys.one_time, prekeys.one_time_bytes), p.bundle.one_time);
  CHECK(p.bundle.sequence == 1 && p.bundle.signed_s == now_s && p.bundle.generation == 1);
  CHECK(p.bundle.capabilities == 3 && !p.bundle.is_withdrawal && p.bundle.removed.len == 0);
  CHECK(sc_ratchet_lists_device(p.bundle.roster, p.device.keys.ed.public_key));
  CHECK(!sc_ratchet_lists_device(p.bundle.removed, p.device.keys.ed.public_key));
done:
  sc_buffer_free(&p.published);
}

static void any_changed_byte_makes_a_bundle_invalid(sc_test *t) {
  party p;
  OK(party_make(&p, t->env, 1));
  const size_t step = t->torture ? 400 : 7;
  for (size_t i = 0; i < p.published.len; i += step) {
    p.published.ptr[i] ^= 1;
    FAILS(SC_ERR_RATCHET_BUNDLE, open_at(&p, t->env, sc_buffer_bytes(&p.published), now_s));
    p.published.ptr[i] ^= 1;
  }
done:
  sc_buffer_free(&p.published);
}

static void a_bundle_is_good_for_a_month(sc_test *t) {
  party p;
  OK(party_make(&p, t->env, 1));
  const sc_bytes message = sc_buffer_bytes(&p.published);
  OK(open_at(&p, t->env, message, now_s + 31 * day_s));
  FAILS(SC_ERR_RATCHET_BUNDLE_TIME, open_at(&p, t->env, message, now_s + 31 * day_s + 1));
  OK(open_at(&p, t->env, message, now_s - hour_s));
  FAILS(SC_ERR_RATCHET_BUNDLE_TIME, open_at(&p, t->env, message, now_s - hour_s - 1));
done:
  sc_buffer_free(&p.published);
}

static void a_bundle_of_another_account_is_refused(sc_test *t) {
  party p, other = {.published = {0}};
  sc_ratchet_bundle bundle;
  OK(party_make(&p, t->env, 1));
  OK(party_make(&other, t->env, 2));
  FAILS(SC_ERR_RATCHET_BUNDLE,
        sc_ratchet_bundle_open(&bundle, t->env, sc_buffer_bytes(&p.published), &other.account.id, now_s));
  CHECK(bundle.account.ptr == NULL);
done:
  sc_buffer_free(&p.published);
  sc_buffer_free(&other.published);
}

static void withdrawals_have_no_prekeys(sc_test *t) {
  party p;
  sc_buffer written;
  sc_ratchet_bundle bundle = {.is_withdrawal = true, .sequence = 2, .signed_s = now_s}, read;
  sc_buffer_init(&written, t->env);
  OK(party_make(&p, t->env, 1));
  OK(sc_ratchet_bundle_write(&written, &bundle, &p.device, &p.account));
  OK(sc_ratchet_bundle_open(&read, t->env, sc_buffer_bytes(&written), &p.account.id, now_s));
  CHECK(read.is_withdrawal && read.sequence == 2 && read.kem_key.len == 0 && read.generation == 0);
done:
  sc_buffer_free(&p.published);
  sc_buffer_free(&written);
}

/* Each a field that a bundle cannot have. */
static sc_ratchet_bundle spoilt(const sc_ratchet_bundle *good, size_t number) {
  static const uint8_t zeros[1185], high[1184] = {0xff, 0xff};
  static uint8_t lists[17 * 32];
  sc_ratchet_bundle bundle = *good;
  switch (number) {
  case 0:
    bundle.sequence = (uint64_t)1 << 53;
    break;
  case 1:
    bundle.signed_s = (uint64_t)1 << 53;
    break;
  case 2:
    bundle.generation = 0;
    break;
  case 3:
    bundle.signed_prekey = sc_bytes_make(zeros, 32);
    break;
  case 4:
    bundle.signed_prekey.len = 31;
    break;
  case 5:
    bundle.kem_key = SC_BYTES(zeros);
    break;
  case 6:
    bundle.kem_key = SC_BYTES(high);
    break;
  case 7:
    bundle.one_time.len = 33;
    break;
  case 8:
    bundle.one_time = sc_bytes_make(zeros, 33 * 32);
    break;
  case 9:
    bundle.roster = sc_bytes_make(zeros, 32); /* without the device */
    break;
  case 10:
    bundle.roster.len = 31;
    break;
  case 11: /* twice */
    memcpy(lists, good->device.ptr, 32);
    memcpy(lists + 32, good->device.ptr, 32);
    bundle.roster = sc_bytes_make(lists, 64);
    break;
  case 12: /* not sorted */
    memset(lists, 0xff, 32);
    memcpy(lists + 32, good->device.ptr, 32);
    bundle.roster = sc_bytes_make(lists, 64);
    break;
  case 13: /* nine devices */
    memset(lists, 0, sizeof lists);
    for (uint8_t i = 0; i < 8; i++)
      lists[32 * i + 31] = i;
    memcpy(lists + (size_t)8 * 32, good->device.ptr, 32);
    bundle.roster = sc_bytes_make(lists, (size_t)9 * 32);
    break;
  case 14:
    bundle.removed = SC_BYTES(lists);
    break;
  default:
    bundle.removed = sc_bytes_make(lists, 5);
  }
  return bundle;
}

enum { spoilt_count = 16 };

static void bundles_with_a_bad_field_are_not_written(sc_test *t) {
  party p;
  sc_buffer written;
  sc_buffer_init(&written, t->env);
  OK(party_make(&p, t->env, 1));
  for (size_t i = 0; i < spoilt_count; i++) {
    const sc_ratchet_bundle bundle = spoilt(&p.bundle, i);
    FAILS(SC_ERR_ARGUMENT, sc_ratchet_bundle_write(&written, &bundle, &p.device, &p.account));
  }
done:
  sc_buffer_free(&p.published);
  sc_buffer_free(&written);
}

/* Signs any body as a device and its account do. `behind` stands between the signatures. */
static sc_status sign_body(sc_buffer *out, const party *p, sc_bytes body, const char *between,
                           const char *behind) {
  static const char *const labels[] = {"SwarmRatchet1 bundle", "SwarmRatchet1 bundle account"};
  static const char *const keys[] = {"1:~64:", "2:~A64:"};
  uint8_t text[4096], signature[64];
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, body);
  for (int i = 0; i < 2 && status == SC_OK; i++) {
    const size_t label = strlen(labels[i]) + 1;
    memcpy(text, labels[i], label);
    memcpy(text + label, out->ptr, out->len);
    sc_ed25519_sign(signature, i == 0 ? &p->device.keys.ed : &p->account.keys.ed,
                    sc_bytes_make(text, label + out->len));
    status = sc_buffer_append(out, sc_bytes_text(keys[i]));
    if (status == SC_OK)
      status = sc_buffer_append(out, SC_BYTES(signature));
    if (status == SC_OK)
      status = sc_buffer_append(out, sc_bytes_text(i == 0 ? between : behind));
  }
  return status;
}

static void nothing_follows_the_signed_part(sc_test *t) {
  party p;
  sc_buffer message;
  sc_buffer_init(&message, t->env);
  OK(party_make(&p, t->env, 1));
  const sc_bytes body = sc_bytes_make(p.published.ptr, p.published.len - 1 - 71 - 70);
  OK(sign_body(&message, &p, body, "", "e"));
  SAME(sc_buffer_bytes(&p.published), sc_buffer_bytes(&message));
  static const char *const bad[][2] = {
      {"2:~0i1e", "e"}, {"", "2:~Bi1ee"}, {"", "ee"}, {"", "ei1e"}, {"", ""}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    OK(sign_body(&message, &p, body, bad[i][0], bad[i][1]));
    FAILS(SC_ERR_RATCHET_BUNDLE, open_at(&p, t->env, sc_buffer_bytes(&message), now_s));
  }
done:
  sc_buffer_free(&p.published);
  sc_buffer_free(&message);
}

/* Replaces the first `old` in the body by `with`, and signs the result. */
static sc_status resign(sc_buffer *out, sc_buffer *body, const party *p, const char *old, const char *with) {
  const size_t len = p->published.len - 1 - 71 - 70, old_len = strlen(old);
  size_t at = 0;
  while (at + old_len < len && memcmp(p->published.ptr + at, old, old_len) != 0)
    at++;
  sc_buffer_clear(body);
  sc_status status = sc_buffer_append(body, sc_bytes_make(p->published.ptr, at));
  if (status == SC_OK)
    status = sc_buffer_append(body, sc_bytes_text(with));
  if (status == SC_OK)
    status = sc_buffer_append(body, sc_bytes_make(p->published.ptr + at + old_len, len - at - old_len));
  return status == SC_OK ? sign_body(out, p, sc_buffer_bytes(body), "", "e") : status;
}

static void signed_bundles_of_another_form_are_refused(sc_test *t) {
  static const char *const changes[][2] = {
      {"1:#i1e", "1:#i01e"},               /* a superfluous zero */
      {"1:#i1e", "1:#i-1e"},               /* negative */
      {"1:#i1e", ""},                      /* missing */
      {"1:#i1e", "1:#i1e1:#i1e"},          /* twice */
      {"1:#i1e", "1:@i1e1:#i1e"},          /* out of order */
      {"1:#i1e", "1:#i9007199254740992e"}, /* 2^53 */
      {"0:1:B", "0:1:C"},                  /* another kind */
      {"0:1:B", "0:1:T"},                  /* a withdrawal with prekeys */
      {"1:vi1e", "1:vi2e"},                /* another version */
      {"1:vi1e", ""},                      /* none */
      {"1:gi1e", "1:gi4294967296e"},       /* a generation beyond 32 bits */
      {"1:gi1e", "1:g1:1"},                /* of another type */
  };
  party p;
  sc_buffer message, body;
  sc_buffer_init(&message, t->env);
  sc_buffer_init(&body, t->env);
  OK(party_make(&p, t->env, 1));
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    OK(resign(&message, &body, &p, changes[i][0], changes[i][1]));
    FAILS(SC_ERR_RATCHET_BUNDLE, open_at(&p, t->env, sc_buffer_bytes(&message), now_s));
  }
  OK(resign(&message, &body, &p, "1:vi1e", "1:uli1ee1:vi1e1:zde")); /* unknown fields */
  OK(open_at(&p, t->env, sc_buffer_bytes(&message), now_s));
done:
  sc_buffer_free(&p.published);
  sc_buffer_free(&message);
  sc_buffer_free(&body);
}

static void one_time_prekeys_are_picked_at_random(sc_test *t) {
  party p;
  uint32_t picked = 0;
  OK(party_make(&p, t->env, 1));
  for (int i = 0; i < 64; i++) {
    uint16_t place = sc_ratchet_bundle_pick(&p.bundle, t->env);
    CHECK(place < one_time_keys);
    picked |= (uint32_t)1 << place;
  }
  CHECK(picked == 3);
  p.bundle.one_time.len = 0;
  CHECK(sc_ratchet_bundle_pick(&p.bundle, t->env) == SC_RATCHET_NO_ONE_TIME);
done:
  sc_buffer_free(&p.published);
}

SUITE(ratchet_bundle, "ratchet/bundle",
      {"an opened bundle has the published keys", an_opened_bundle_has_the_published_keys},
      {"any changed byte makes a bundle invalid", any_changed_byte_makes_a_bundle_invalid},
      {"a bundle is good for a month", a_bundle_is_good_for_a_month},
      {"a bundle of another account is refused", a_bundle_of_another_account_is_refused},
      {"withdrawals have no prekeys", withdrawals_have_no_prekeys},
      {"bundles with a bad field are not written", bundles_with_a_bad_field_are_not_written},
      {"nothing follows the signed part", nothing_follows_the_signed_part},
      {"signed bundles of another form are refused", signed_bundles_of_another_form_are_refused},
      {"one-time prekeys are picked at random", one_time_prekeys_are_picked_at_random});
