#include "manifest.h"

#include "../base/json_text.h"
#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/id.h"
#include "session-core/crypto/keys.h"
#include "value_text.h"

static bool says(sc_bytes text, const char *word) {
  return sc_bytes_same(text, sc_bytes_text(word));
}

static bool is_network(sc_bytes network) {
  uint8_t key[SC_KEY_BYTES];
  return says(network, "main") || says(network, "test") || sc_hex_decode(key, sizeof key, network) == SC_OK;
}

/* The seed must be that of the account. */
static bool account_is_valid(const sc_archive_manifest *manifest) {
  sc_id id, of_seed;
  if (sc_id_parse(&id, manifest->account) != SC_OK || id.bytes[0] != SC_ID_STANDARD)
    return false;
  if (manifest->seed == NULL)
    return true;
  sc_keypair pair;
  sc_keypair_from_seed(&pair, manifest->seed);
  sc_id_make(&of_seed, SC_ID_STANDARD, pair.x.public_key);
  sc_wipe(&pair, sizeof pair);
  return memcmp(id.bytes, of_seed.bytes, sizeof id.bytes) == 0;
}

static bool tables_are_valid(const sc_archive_manifest *manifest) {
  if (manifest->table_count > SC_ARCHIVE_MAX_TABLES || manifest->sequence_count > SC_ARCHIVE_MAX_TABLES)
    return false;
  for (size_t i = 0; i < manifest->table_count; i++)
    for (size_t earlier = 0; earlier < i; earlier++)
      if (sc_bytes_same(manifest->tables[i], manifest->tables[earlier]))
        return false;
  for (size_t i = 0; i < manifest->sequence_count; i++)
    if (manifest->sequences[i].number < 0 || manifest->sequences[i].number > SC_ARCHIVE_MAX_SEQUENCE)
      return false;
  return true;
}

sc_status sc_manifest_check(const sc_archive_manifest *manifest) {
  bool valid = account_is_valid(manifest) && is_network(manifest->network) && manifest->schema > 0 &&
               tables_are_valid(manifest);
  return valid ? SC_OK : SC_ERR_ARCHIVE_MANIFEST;
}

/* Appends a key and its colon, behind other members. */
static sc_status key(sc_buffer *out, const char *name) {
  sc_status status = sc_text_raw(out, out->len == 0 || out->ptr[out->len - 1] == '{' ? "\"" : ",\"");
  if (status == SC_OK)
    status = sc_text_raw(out, name);
  return status == SC_OK ? sc_text_raw(out, "\":") : status;
}

static sc_status text_member(sc_buffer *out, const char *name, sc_bytes text) {
  sc_status status = key(out, name);
  return status == SC_OK ? sc_json_text_append(out, text) : status;
}

static sc_status number_member(sc_buffer *out, const char *name, int64_t number) {
  sc_status status = key(out, name);
  return status == SC_OK ? sc_text_integer(out, number) : status;
}

static sc_status flag_member(sc_buffer *out, const char *name, bool flag) {
  sc_status status = key(out, name);
  return status == SC_OK ? sc_text_raw(out, flag ? "true" : "false") : status;
}

static sc_status write_account(sc_buffer *out, const sc_archive_manifest *manifest) {
  sc_status status = key(out, "account");
  if (status == SC_OK)
    status = sc_text_raw(out, "{");
  if (status == SC_OK)
    status = text_member(out, "id", manifest->account);
  if (status == SC_OK)
    status = text_member(out, "name", manifest->name);
  if (status == SC_OK)
    status = text_member(out, "network", manifest->network);
  if (status == SC_OK && manifest->seed != NULL) {
    status = sc_text_raw(out, ",\"seed\":\"");
    if (status == SC_OK)
      status = sc_text_hex(out, sc_bytes_make(manifest->seed, SC_ARCHIVE_SEED_BYTES));
    if (status == SC_OK)
      status = sc_text_raw(out, "\"");
  }
  return status == SC_OK ? sc_text_raw(out, "}") : status;
}

static sc_status write_sequences(sc_buffer *out, const sc_archive_manifest *manifest) {
  sc_status status = key(out, "sequences");
  if (status == SC_OK)
    status = sc_text_raw(out, "{");
  for (size_t i = 0; i < manifest->sequence_count && status == SC_OK; i++) {
    if (i > 0)
      status = sc_text_raw(out, ",");
    if (status == SC_OK)
      status = sc_json_text_append(out, manifest->sequences[i].table);
    if (status == SC_OK)
      status = sc_text_raw(out, ":");
    if (status == SC_OK)
      status = sc_text_integer(out, manifest->sequences[i].number);
  }
  return status == SC_OK ? sc_text_raw(out, "}") : status;
}

const char *const sc_manifest_files[SC_ARCHIVE_FILES_NONE + 1] = {"all", "pictures", "none"};

static sc_status write_contents(sc_buffer *out, const sc_archive_manifest *manifest) {
  sc_status status = sc_text_raw(out, ",\"contents\":{");
  if (status == SC_OK)
    status = text_member(out, "files", sc_bytes_text(sc_manifest_files[manifest->files]));
  if (status == SC_OK)
    status = flag_member(out, "disappearing", manifest->disappearing);
  if (status == SC_OK)
    status = flag_member(out, "seed", manifest->seed != NULL);
  if (status == SC_OK)
    status = key(out, "conversations");
  if (status == SC_OK)
    status = manifest->all_conversations
                 ? sc_text_raw(out, "null")
                 : sc_text_list(out, manifest->conversations, manifest->conversation_count);
  return status == SC_OK ? sc_text_raw(out, "}") : status;
}

static sc_status write_estimate(sc_buffer *out, const sc_archive_manifest *manifest) {
  sc_status status = sc_text_raw(out, ",\"estimate\":{");
  if (status == SC_OK)
    status = number_member(out, "rows", manifest->estimated_rows);
  if (status == SC_OK)
    status = number_member(out, "fileBytes", manifest->estimated_file_bytes);
  return status == SC_OK ? sc_text_raw(out, "}}") : status;
}

sc_status sc_manifest_write(sc_buffer *out, const sc_archive_manifest *manifest) {
  sc_status status = sc_text_raw(out, "{\"format\":\"session-archive\",\"version\":1");
  if (status == SC_OK)
    status = number_member(out, "created", manifest->created);
  if (status == SC_OK)
    status = text_member(out, "program", manifest->program);
  if (status == SC_OK)
    status = write_account(out, manifest);
  if (status == SC_OK)
    status = number_member(out, "applicationID", SC_ARCHIVE_APPLICATION_ID);
  if (status == SC_OK)
    status = number_member(out, "schema", manifest->schema);
  if (status == SC_OK)
    status = key(out, "tables");
  if (status == SC_OK)
    status = sc_text_list(out, manifest->tables, manifest->table_count);
  if (status == SC_OK)
    status = write_sequences(out, manifest);
  if (status == SC_OK)
    status = write_contents(out, manifest);
  return status == SC_OK ? write_estimate(out, manifest) : status;
}
