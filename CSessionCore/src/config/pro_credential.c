#include "pro_credential.h"

#include "fields.h"
#include "session-core/base/secret.h"

enum { milliseconds = 1000 };

static const int64_t most_seconds = 1000000000000; /* greater times are milliseconds */

void sc_pro_credential_wipe(sc_pro_credential *credential) {
  sc_wipe(credential, sizeof *credential);
}

int64_t sc_pro_seconds(int64_t time) {
  return time > most_seconds ? time / milliseconds : time;
}

int64_t sc_pro_credential_expiry_s(const sc_pro_credential *credential) {
  bool seconds = credential->proof.generation == SC_PRO_GENERATION_B;
  uint64_t expiry = credential->proof.expiry / (seconds ? 1 : milliseconds);
  return expiry > INT64_MAX ? INT64_MAX : (int64_t)expiry;
}

/* Reading */

/* The parts of a credential; empty if missing. */
typedef struct parts {
  int64_t expiry;
  sc_bytes tag, seed, signature;
} parts;

static bool assemble(sc_pro_credential *out, const parts *p) {
  sc_ed25519_pair pair;
  if (p->expiry <= 0 || p->tag.len != sizeof out->proof.tag || p->seed.len != sizeof out->seed ||
      p->signature.len != sizeof out->proof.signature)
    return false;
  memcpy(out->seed, p->seed.ptr, sizeof out->seed);
  memcpy(out->proof.tag, p->tag.ptr, sizeof out->proof.tag);
  memcpy(out->proof.signature, p->signature.ptr, sizeof out->proof.signature);
  sc_ed25519_pair_from_seed(&pair, out->seed);
  memcpy(out->proof.rotating_key, pair.public_key, sizeof out->proof.rotating_key);
  sc_ed25519_pair_wipe(&pair);
  return true;
}

static sc_status expect_key(sc_bt_reader *reader, const char *key) {
  sc_bytes next;
  sc_status status = sc_bt_next_key(&next, reader);
  return status == SC_OK && !sc_bytes_same(next, sc_bytes_text(key)) ? SC_ERR_FORMAT : status;
}

static sc_status read_text(sc_bytes *out, sc_bt_reader *reader, const char *key) {
  sc_status status = expect_key(reader, key);
  return status == SC_OK ? sc_bt_read_string(out, reader) : status;
}

/* These keys and no others. */
static sc_status read_encoded_parts(parts *out, sc_bytes text) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, text);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = expect_key(&reader, "e");
  if (status == SC_OK)
    status = sc_bt_read_i64(&out->expiry, &reader);
  if (status == SC_OK)
    status = read_text(&out->tag, &reader, "g");
  if (status == SC_OK)
    status = read_text(&out->seed, &reader, "r");
  if (status == SC_OK)
    status = read_text(&out->signature, &reader, "s");
  if (status == SC_OK && sc_bt_peek(&reader) != SC_BT_END)
    status = SC_ERR_FORMAT;
  if (status == SC_OK)
    status = sc_bt_leave(&reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

static bool read_string(sc_pro_credential *out, sc_bytes text) {
  parts p = {0};
  if (read_encoded_parts(&p, text) != SC_OK || !assemble(out, &p))
    return false;
  out->proof.generation = SC_PRO_GENERATION_B;
  out->proof.expiry = (uint64_t)p.expiry;
  return true;
}

/* Generation A says its version, and is signed in milliseconds. */
static void read_generation(sc_pro_proof *out, bool has_version, int64_t version, int64_t expiry) {
  out->generation = has_version ? SC_PRO_GENERATION_A : SC_PRO_GENERATION_B;
  out->version = (uint32_t)sc_config_clamp(version, 0, UINT32_MAX);
  bool in_seconds = expiry <= most_seconds;
  if (has_version)
    out->expiry = (uint64_t)expiry * (in_seconds ? milliseconds : 1);
  else
    out->expiry = (uint64_t)sc_pro_seconds(expiry);
}

static bool is_kind(const sc_config_entry *entry, sc_config_kind kind) {
  return entry != NULL && sc_config_entry_kind(entry) == kind;
}

static bool read_dict(sc_pro_credential *out, const sc_config_entry *entry) {
  sc_config_fields fields, proof;
  parts p;
  sc_config_fields_of_entry(&fields, entry);
  const sc_config_entry *inner = sc_config_fields_at(&fields, "p");
  if (!is_kind(inner, SC_CONFIG_DICT))
    return false;
  sc_config_fields_of_entry(&proof, inner);
  p.seed = sc_config_read_string(&fields, "r");
  const sc_config_entry *version = sc_config_fields_at(&proof, "@");
  bool has_version = is_kind(version, SC_CONFIG_INTEGER);
  int64_t number = has_version ? sc_encoded_scalar(version->value).integer : 0;
  p.expiry = sc_config_read_integer(&proof, "e");
  p.tag = sc_config_read_string(&proof, "g");
  p.signature = sc_config_read_string(&proof, "s");
  if (!assemble(out, &p))
    return false;
  read_generation(&out->proof, has_version, number, p.expiry);
  return true;
}

bool sc_pro_credential_read(sc_pro_credential *out, const sc_config_entry *entry) {
  memset(out, 0, sizeof *out);
  bool read = is_kind(entry, SC_CONFIG_STRING) ? read_string(out, sc_encoded_scalar(entry->value).string)
                                               : is_kind(entry, SC_CONFIG_DICT) && read_dict(out, entry);
  if (!read)
    sc_pro_credential_wipe(out);
  return read;
}

bool sc_pro_credential_same(const sc_pro_credential *a, const sc_pro_credential *b) {
  return a->proof.generation == b->proof.generation && a->proof.version == b->proof.version &&
         a->proof.expiry == b->proof.expiry && memcmp(a->proof.tag, b->proof.tag, sizeof a->proof.tag) == 0 &&
         memcmp(a->proof.signature, b->proof.signature, sizeof a->proof.signature) == 0 &&
         sc_equal(a->seed, b->seed, sizeof a->seed);
}

/* Writing */

static void set(sc_config_change *change, const char *key, const char *field, sc_config_value value) {
  const sc_bytes keys[] = {sc_bytes_text(key), sc_bytes_text("p"), sc_bytes_text(field)};
  sc_config_change_set(change, (sc_config_path){keys, 3}, value);
}

/* Interprets a number as milliseconds: times before 2001 occur only in seconds. */
static int64_t generation_a_end(uint64_t expiry) {
  bool reads_as_seconds = expiry <= (uint64_t)most_seconds;
  return (int64_t)(expiry / (reads_as_seconds ? milliseconds : 1));
}

static void write_dict(sc_config_change *change, const char *key, const sc_pro_credential *credential) {
  const sc_pro_proof *proof = &credential->proof;
  const sc_bytes keys[] = {sc_bytes_text(key), sc_bytes_text("r")};
  sc_config_change_set(change, (sc_config_path){keys, 2}, sc_config_string(SC_BYTES(credential->seed)));
  set(change, key, "@", sc_config_integer(proof->version));
  set(change, key, "e", sc_config_integer(generation_a_end(proof->expiry)));
  set(change, key, "g", sc_config_string(SC_BYTES(proof->tag)));
  set(change, key, "s", sc_config_string(SC_BYTES(proof->signature)));
}

static sc_status encode(sc_buffer *out, const sc_pro_credential *credential) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("e"));
  sc_bt_write_u64(&writer, credential->proof.expiry);
  sc_bt_write_key(&writer, sc_bytes_text("g"));
  sc_bt_write_string(&writer, SC_BYTES(credential->proof.tag));
  sc_bt_write_key(&writer, sc_bytes_text("r"));
  sc_bt_write_string(&writer, SC_BYTES(credential->seed));
  sc_bt_write_key(&writer, sc_bytes_text("s"));
  sc_bt_write_string(&writer, SC_BYTES(credential->proof.signature));
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

void sc_pro_credential_write(sc_config_change *change, const char *key, const sc_pro_credential *credential) {
  sc_bytes keys[] = {sc_bytes_text(key)};
  sc_config_path path = {keys, 1};
  sc_buffer text;
  sc_buffer_init(&text, sc_config_env(change->config));
  sc_config_change_erase(change, path);
  if (credential->proof.generation == SC_PRO_GENERATION_A) {
    write_dict(change, key, credential);
  } else {
    sc_config_change_fail(change, encode(&text, credential));
    sc_config_change_set(change, path, sc_config_string(sc_buffer_bytes(&text)));
  }
  sc_buffer_free(&text);
}
