/* A bundle is a bt dict whose bytes are kept and verified as they came. The device signs what stands before
 * `~`, the account what stands before `~A`, so nothing may stand between them or behind. */
#include "session-core/ratchet/bundle.h"

#include "../base/draws.h"
#include "session-core/base/bt.h"
#include "session-core/base/secret.h"
#include "signed.h"

enum {
  version = 1,
  oldest_s = 31 * 24 * 3600,
  most_ahead_s = 3600,
  most_bytes = 76800,
};

static const uint64_t number_limit = (uint64_t)1 << 53;
static const char device_label[] = "SwarmRatchet1 bundle", account_label[] = "SwarmRatchet1 bundle account";

/* The parts of a bundle besides its content. */
typedef struct proof {
  sc_bytes device_text; /* what each signed */
  sc_bytes device_signature;
  sc_bytes account_text;
  sc_bytes account_signature;
} proof;

/* The fields that were there, by the letters of their keys. */
typedef struct fields {
  sc_ratchet_bundle *bundle;
  uint64_t generation;
  uint64_t version;
  uint32_t seen;
} fields;

enum { in_all = 1, in_bundles = 2, optional = 4 };

/* The keys in ascending order. */
static const struct field {
  const char *key;
  int where;
} known[] = {
    {"", in_all},      {"#", in_all},     {"@", in_all},     {"A", in_all},     {"D", in_all},
    {"K", in_bundles}, {"O", in_bundles}, {"P", in_bundles}, {"c", in_bundles}, {"g", in_bundles},
    {"r", in_bundles}, {"v", in_all},     {"x", optional},
};

enum { known_count = sizeof known / sizeof known[0] };

static sc_status read_kind(bool *is_withdrawal, sc_bt_reader *reader) {
  sc_bytes kind;
  sc_status status = sc_bt_read_string(&kind, reader);
  if (status != SC_OK)
    return status;
  *is_withdrawal = sc_bytes_same(kind, sc_bytes_text("T"));
  return *is_withdrawal || sc_bytes_same(kind, sc_bytes_text("B")) ? SC_OK : SC_ERR_RATCHET_BUNDLE;
}

static sc_status read_field(fields *f, size_t number, sc_bt_reader *reader) {
  sc_ratchet_bundle *bundle = f->bundle;
  switch (known[number].key[0]) {
  case '\0':
    return read_kind(&bundle->is_withdrawal, reader);
  case '#':
    return sc_bt_read_u64(&bundle->sequence, reader);
  case '@':
    return sc_bt_read_u64(&bundle->signed_s, reader);
  case 'A':
    return sc_bt_read_string(&bundle->account, reader);
  case 'D':
    return sc_bt_read_string(&bundle->device, reader);
  case 'K':
    return sc_bt_read_string(&bundle->kem_key, reader);
  case 'O':
    return sc_bt_read_string(&bundle->one_time, reader);
  case 'P':
    return sc_bt_read_string(&bundle->signed_prekey, reader);
  case 'c':
    return sc_bt_read_u64(&bundle->capabilities, reader);
  case 'g':
    return sc_bt_read_u64(&f->generation, reader);
  case 'r':
    return sc_bt_read_string(&bundle->roster, reader);
  case 'v':
    return sc_bt_read_u64(&f->version, reader);
  default:
    return sc_bt_read_string(&bundle->removed, reader);
  }
}

/* Reads the fields before the first signature; unknown ones are skipped. */
static sc_status read_fields(fields *f, sc_bytes *device_text, sc_bt_reader *reader, sc_bytes message) {
  sc_bytes key;
  for (;;) {
    /* A value that was not read is skipped before the position is taken. */
    size_t before = sc_bt_position(reader);
    sc_status status = sc_bt_next_key(&key, reader);
    if (status != SC_OK)
      return status;
    if (sc_bytes_same(key, sc_bytes_text("~"))) {
      *device_text = sc_bytes_make(message.ptr, before);
      return SC_OK;
    }
    size_t number = 0;
    while (number < known_count && !sc_bytes_same(key, sc_bytes_text(known[number].key)))
      number++;
    if (number < known_count) {
      f->seen |= (uint32_t)1 << number;
      status = read_field(f, number, reader);
    } else {
      status = sc_bt_skip(reader);
    }
    if (status != SC_OK)
      return status;
  }
}

static sc_status read_proof(proof *out, sc_bt_reader *reader, sc_bytes message) {
  sc_bytes key;
  sc_status status = sc_bt_read_string(&out->device_signature, reader);
  size_t before = sc_bt_position(reader);
  if (status == SC_OK)
    status = sc_bt_next_key(&key, reader);
  if (status == SC_OK && !sc_bytes_same(key, sc_bytes_text("~A")))
    return SC_ERR_RATCHET_BUNDLE;
  out->account_text = sc_bytes_make(message.ptr, before);
  if (status == SC_OK)
    status = sc_bt_read_string(&out->account_signature, reader);
  if (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    return SC_ERR_RATCHET_BUNDLE;
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  return status == SC_OK ? sc_bt_finish(reader) : status;
}

static bool has_its_fields(const fields *f) {
  for (size_t i = 0; i < known_count; i++) {
    bool seen = (f->seen >> i & 1) != 0;
    bool needed = known[i].where == in_all || (known[i].where == in_bundles && !f->bundle->is_withdrawal);
    bool allowed = known[i].where == in_all || !f->bundle->is_withdrawal;
    if ((needed && !seen) || (seen && !allowed))
      return false;
  }
  return f->version == version;
}

/* Ids of devices behind each other, `most` at most. */
static bool is_device_list(sc_bytes devices, size_t most, bool sorted) {
  if (devices.len % SC_KEY_BYTES != 0 || devices.len > most * SC_KEY_BYTES)
    return false;
  for (size_t at = SC_KEY_BYTES; sorted && at < devices.len; at += SC_KEY_BYTES)
    if (memcmp(devices.ptr + at - SC_KEY_BYTES, devices.ptr + at, SC_KEY_BYTES) >= 0)
      return false;
  return true;
}

bool sc_ratchet_lists_device(sc_bytes devices, const uint8_t device[static 32]) {
  for (size_t at = 0; at + SC_KEY_BYTES <= devices.len; at += SC_KEY_BYTES)
    if (memcmp(devices.ptr + at, device, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

/* False for a key with which no secret can be agreed. */
static bool is_agreement_key(sc_bytes key) {
  static const uint8_t any_secret[SC_KEY_BYTES] = {8};
  uint8_t agreed[SC_KEY_BYTES];
  return key.len == SC_KEY_BYTES && sc_x25519(agreed, any_secret, key.ptr) == SC_OK;
}

static bool has_good_prekeys(const sc_ratchet_bundle *bundle) {
  return is_agreement_key(bundle->signed_prekey) && bundle->one_time.len % SC_KEY_BYTES == 0 &&
         bundle->one_time.len <= SC_RATCHET_MAX_ONE_TIME * SC_KEY_BYTES &&
         is_device_list(bundle->roster, SC_RATCHET_MAX_ROSTER, true) &&
         sc_ratchet_lists_device(bundle->roster, bundle->device.ptr) &&
         is_device_list(bundle->removed, SC_RATCHET_MAX_REMOVED, false) &&
         sc_mlkem768_check_public(bundle->kem_key) == SC_OK;
}

static bool is_sound(const sc_ratchet_bundle *bundle) {
  uint8_t converted[SC_KEY_BYTES];
  if (bundle->sequence >= number_limit || bundle->signed_s >= number_limit ||
      bundle->account.len != SC_KEY_BYTES || sc_x25519_from_ed25519(converted, bundle->device) != SC_OK)
    return false;
  return bundle->is_withdrawal || (bundle->generation > 0 && has_good_prekeys(bundle));
}

static bool is_of_account(const sc_ratchet_bundle *bundle, const sc_id *account) {
  uint8_t key[SC_KEY_BYTES];
  return sc_id_kind_of(account) == SC_ID_STANDARD && sc_x25519_from_ed25519(key, bundle->account) == SC_OK &&
         memcmp(key, sc_id_key(account), sizeof key) == 0;
}

/* `work` is room to write the signed text in. */
static sc_status write_labelled(sc_buffer *work, const char *label, sc_bytes text) {
  uint8_t *space;
  sc_buffer_clear(work);
  sc_status status = sc_buffer_extend(&space, work, strlen(label) + 1 + text.len);
  if (status == SC_OK)
    sc_ratchet_labelled(space, label, text);
  return status;
}

static sc_status verify(sc_buffer *work, const char *label, sc_bytes text, sc_bytes key, sc_bytes signature) {
  sc_status status = write_labelled(work, label, text);
  if (status != SC_OK)
    return status;
  return sc_ed25519_verify(key, sc_buffer_bytes(work), signature) == SC_OK ? SC_OK : SC_ERR_RATCHET_BUNDLE;
}

static sc_status verify_proof(const proof *proof, const sc_ratchet_bundle *bundle, const sc_env *env) {
  sc_buffer work;
  sc_buffer_init(&work, env);
  sc_status status = verify(&work, device_label, proof->device_text, bundle->device, proof->device_signature);
  if (status == SC_OK)
    status = verify(&work, account_label, proof->account_text, bundle->account, proof->account_signature);
  sc_buffer_free(&work);
  return status;
}

static sc_status check_time(const sc_ratchet_bundle *bundle, uint64_t now_s) {
  bool ahead = bundle->signed_s > now_s && bundle->signed_s - now_s > most_ahead_s;
  bool old = bundle->signed_s < now_s && now_s - bundle->signed_s > oldest_s;
  return ahead || old ? SC_ERR_RATCHET_BUNDLE_TIME : SC_OK;
}

static sc_status parse(sc_ratchet_bundle *out, proof *proof, sc_bytes message) {
  sc_bt_reader reader;
  fields f = {.bundle = out};
  if (message.len > most_bytes)
    return SC_ERR_RATCHET_BUNDLE;
  sc_bt_reader_init(&reader, message);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = read_fields(&f, &proof->device_text, &reader, message);
  if (status == SC_OK)
    status = read_proof(proof, &reader, message);
  if (status != SC_OK || !has_its_fields(&f) || f.generation > UINT32_MAX)
    return SC_ERR_RATCHET_BUNDLE;
  out->generation = (uint32_t)f.generation;
  return SC_OK;
}

sc_status sc_ratchet_bundle_open(sc_ratchet_bundle *out, const sc_env *env, sc_bytes message,
                                 const sc_id *account, uint64_t now_s) {
  proof proof;
  *out = (sc_ratchet_bundle){0};
  sc_status status = parse(out, &proof, message);
  if (status == SC_OK && (!is_sound(out) || !is_of_account(out, account)))
    status = SC_ERR_RATCHET_BUNDLE;
  if (status == SC_OK)
    status = verify_proof(&proof, out, env);
  if (status == SC_OK)
    status = check_time(out, now_s);
  if (status != SC_OK)
    *out = (sc_ratchet_bundle){0};
  return status;
}

static void write_text(sc_bt_writer *writer, const char *key, sc_bytes value) {
  sc_bt_write_key(writer, sc_bytes_text(key));
  sc_bt_write_string(writer, value);
}

static void write_number(sc_bt_writer *writer, const char *key, uint64_t value) {
  sc_bt_write_key(writer, sc_bytes_text(key));
  sc_bt_write_u64(writer, value);
}

static void write_fields(sc_bt_writer *writer, const sc_ratchet_bundle *bundle) {
  write_text(writer, "", sc_bytes_text(bundle->is_withdrawal ? "T" : "B"));
  write_number(writer, "#", bundle->sequence);
  write_number(writer, "@", bundle->signed_s);
  write_text(writer, "A", bundle->account);
  write_text(writer, "D", bundle->device);
  if (!bundle->is_withdrawal) {
    write_text(writer, "K", bundle->kem_key);
    write_text(writer, "O", bundle->one_time);
    write_text(writer, "P", bundle->signed_prekey);
    write_number(writer, "c", bundle->capabilities);
    write_number(writer, "g", bundle->generation);
    write_text(writer, "r", bundle->roster);
  }
  write_number(writer, "v", version);
  if (!bundle->is_withdrawal && bundle->removed.len > 0)
    write_text(writer, "x", bundle->removed);
}

/* Signs what has been written, and writes the signature. */
static sc_status write_signature(sc_bt_writer *writer, const char *key, const char *label,
                                 const sc_ed25519_pair *signer) {
  sc_buffer work;
  sc_buffer_init(&work, writer->out->env);
  sc_status status =
      writer->status != SC_OK ? writer->status : write_labelled(&work, label, sc_buffer_bytes(writer->out));
  if (status == SC_OK) {
    uint8_t signature[SC_SIGNATURE_BYTES];
    sc_ed25519_sign(signature, signer, sc_buffer_bytes(&work));
    write_text(writer, key, SC_BYTES(signature));
  }
  sc_buffer_free(&work);
  return status;
}

sc_status sc_ratchet_bundle_write(sc_buffer *out, const sc_ratchet_bundle *bundle,
                                  const sc_ratchet_device *device, const sc_account *account) {
  sc_buffer_clear(out);
  sc_ratchet_bundle complete = *bundle;
  complete.account = SC_BYTES(account->keys.ed.public_key);
  complete.device = SC_BYTES(device->keys.ed.public_key);
  if (!is_sound(&complete) || memcmp(&device->account, &account->id, sizeof account->id) != 0)
    return SC_ERR_ARGUMENT;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_fields(&writer, &complete);
  sc_status status = write_signature(&writer, "~", device_label, &device->keys.ed);
  if (status == SC_OK)
    status = write_signature(&writer, "~A", account_label, &account->keys.ed);
  sc_bt_end(&writer);
  sc_status finished = sc_bt_writer_finish(&writer);
  status = status != SC_OK ? status : finished;
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}

uint16_t sc_ratchet_bundle_pick(const sc_ratchet_bundle *bundle, const sc_env *env) {
  uint32_t count = (uint32_t)(bundle->one_time.len / SC_KEY_BYTES);
  if (count == 0)
    return SC_RATCHET_NO_ONE_TIME;
  sc_draws draws;
  sc_draws_init(&draws, env, 1);
  return (uint16_t)sc_draws_below(&draws, count);
}
