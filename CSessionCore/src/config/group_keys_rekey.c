/* Messages of admins. Everything in them is derived from the group's secret, the members and the generation,
 * so that admins who do the same at once store the same bytes. One nonce serves a whole message, because no
 * two of its entries have the same key. */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

#include "../crypto/blake2b.h"
#include "../crypto/cipher.h"
#include "authenticate.h"
#include "group_keys.h"
#include "session-core/base/bt.h"
#include "session-core/base/encoding.h"
#include "session-core/base/secret.h"
#include "session-core/crypto/signature.h"
#include "session-core/message/encode.h"

/* A key and the nonce it is handed out under. */
typedef struct fresh_key {
  uint8_t key[SC_KEY_BYTES];
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
} fresh_key;

_Static_assert(sizeof(fresh_key) == SC_KEY_BYTES + SC_XCHACHA_NONCE_BYTES, "one hash fills both");

/* The largest size of a message without its list of keys, and of an entry. */
enum { frame_bytes = 200, entry_bytes = SC_WRAPPED_KEY_BYTES + 3 };

_Static_assert(SC_GROUP_MAX_MEMBERS % SC_GROUP_KEYS_PAD_TO == 0 &&
                   SC_GROUP_MAX_MEMBERS * entry_bytes + frame_bytes <= SC_STORED_MAX_BYTES,
               "what is made can be stored");
_Static_assert((int)SC_STORED_MAX_BYTES <= SC_GROUP_KEYS_MAX_BYTES, "and loaded");

static sc_bytes group_seed(const sc_group_keys *keys) {
  return sc_bytes_make(keys->admin.ed.secret, SC_ED25519_SEED_BYTES);
}

/* Hashes the ids in their text form, one behind the other, `about`, and something only admins know. */
static sc_status derive(uint8_t *out, size_t len, const sc_group_keys *keys, const sc_id *ids, size_t count,
                        sc_bytes about) {
  sc_buffer text;
  uint8_t *digits;
  sc_buffer_init(&text, keys->env);
  sc_status status = sc_buffer_extend(&digits, &text, count * SC_ID_CHARS + 1);
  if (status != SC_OK)
    return status;
  for (size_t i = 0; i < count; i++)
    sc_id_format((char *)digits + i * SC_ID_CHARS, &ids[i]);
  uint8_t seed_hash[32];
  const sc_bytes seed = group_seed(keys);
  sc_blake2b_pieces(seed_hash, sizeof seed_hash, sc_bytes_text("SessionGroupKeySeed"), NULL, &seed, 1);
  const sc_bytes pieces[] = {sc_bytes_make(digits, count * SC_ID_CHARS), about, SC_BYTES(seed_hash)};
  sc_blake2b_pieces(out, len, sc_bytes_text("SessionGroupKeyGen"), NULL, pieces, 3);
  sc_wipe(seed_hash, sizeof seed_hash);
  sc_buffer_free(&text);
  return SC_OK;
}

/* Signs everything written so far, which is the whole dict except its end, and ends it. */
static sc_status finish_signed(sc_bt_writer *writer, const sc_group_keys *keys) {
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_ed25519_sign(signature, &keys->admin.ed, sc_buffer_bytes(writer->out));
  sc_bt_write_key(writer, sc_bytes_text(SC_CONFIG_SIGNATURE_KEY));
  sc_bt_write_string(writer, SC_BYTES(signature));
  sc_bt_end(writer);
  return sc_bt_writer_finish(writer);
}

static void write_string(sc_bt_writer *writer, const char *key, sc_bytes value) {
  sc_bt_write_key(writer, sc_bytes_text(key));
  sc_bt_write_string(writer, value);
}

static void write_generation(sc_bt_writer *writer, int64_t generation) {
  sc_bt_write_key(writer, sc_bytes_text("G"));
  sc_bt_write_i64(writer, generation);
}

/* `entry` is room to work in. */
static sc_status write_wrapped(sc_bt_writer *writer, sc_buffer *entry, const uint8_t *wrapping_key,
                               const uint8_t *nonce, sc_bytes content) {
  sc_status status = sc_xchacha20_poly1305_seal(entry, sc_bytes_make(wrapping_key, SC_KEY_BYTES),
                                                sc_bytes_make(nonce, SC_XCHACHA_NONCE_BYTES),
                                                sc_bytes_make(NULL, 0), content);
  if (status == SC_OK)
    sc_bt_write_string(writer, sc_buffer_bytes(entry));
  return status;
}

static sc_status write_for_admins(sc_bt_writer *writer, sc_buffer *entry, const sc_group_keys *keys,
                                  const fresh_key *fresh) {
  uint8_t admin_key[SC_KEY_BYTES];
  sc_group_keys_admin_key(admin_key, keys);
  sc_bt_write_key(writer, sc_bytes_text("K"));
  sc_status status = write_wrapped(writer, entry, admin_key, fresh->nonce, SC_BYTES(fresh->key));
  sc_wipe(admin_key, sizeof admin_key);
  return status;
}

/* Random entries, to pad to a round number. */
static void write_junk(sc_bt_writer *writer, size_t written, const sc_group_keys *keys,
                       const fresh_key *fresh) {
  uint8_t junk[SC_GROUP_KEYS_PAD_TO * SC_WRAPPED_KEY_BYTES];
  size_t beyond = written % SC_GROUP_KEYS_PAD_TO;
  size_t missing = beyond == 0 ? 0 : SC_GROUP_KEYS_PAD_TO - beyond;
  uint8_t seed[randombytes_SEEDBYTES];
  const sc_bytes pieces[] = {sc_bytes_make(fresh, sizeof *fresh), SC_BYTES(keys->admin.ed.secret)};
  sc_blake2b_pieces(seed, sizeof seed, sc_bytes_text("SessionGroupJunkMembers"), NULL, pieces, 2);
  randombytes_buf_deterministic(junk, missing * SC_WRAPPED_KEY_BYTES, seed);
  for (size_t i = 0; i < missing; i++)
    sc_bt_write_string(writer, sc_bytes_make(junk + i * SC_WRAPPED_KEY_BYTES, SC_WRAPPED_KEY_BYTES));
  sc_wipe(seed, sizeof seed);
}

static sc_status write_for_members(sc_bt_writer *writer, sc_buffer *entry, const sc_group_keys *keys,
                                   const fresh_key *fresh) {
  size_t written = 0;
  sc_status status = SC_OK;
  sc_bt_write_key(writer, sc_bytes_text("k"));
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < keys->member_keys.count && status == SC_OK; i++) {
    const sc_member_key *member = &keys->member_keys.keys[i];
    if (!member->safe)
      continue;
    status = write_wrapped(writer, entry, member->key, fresh->nonce, SC_BYTES(fresh->key));
    written++;
  }
  write_junk(writer, written, keys, fresh);
  sc_bt_end(writer);
  return status;
}

/* Wraps the key for everybody whose member key is held. */
static sc_status write_rekey(sc_buffer *out, const sc_group_keys *keys, int64_t generation,
                             const fresh_key *fresh) {
  sc_buffer entry;
  sc_buffer_init(&entry, keys->env);
  sc_status status =
      sc_buffer_reserve(out, (keys->member_keys.count + SC_GROUP_KEYS_PAD_TO) * entry_bytes + frame_bytes);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_string(&writer, "#", SC_BYTES(fresh->nonce));
  write_generation(&writer, generation);
  if (status == SC_OK)
    status = write_for_admins(&writer, &entry, keys, fresh);
  if (status == SC_OK)
    status = write_for_members(&writer, &entry, keys, fresh);
  sc_buffer_free(&entry);
  return status == SC_OK ? finish_signed(&writer, keys) : status;
}

static sc_status next_generation(int64_t *out, const sc_group_keys *keys) {
  const sc_ring_key *newest = sc_key_ring_newest(&keys->ring);
  if (newest != NULL && newest->generation >= SC_GROUP_MAX_GENERATION)
    return SC_ERR_GROUP_GENERATION;
  /* An odd supplement may have given keys of negative generations, which no message may say it makes. */
  *out = newest == NULL || newest->generation < 0 ? 0 : newest->generation + 1;
  return SC_OK;
}

static sc_status check_members(const sc_id *members, size_t count) {
  if (count > SC_GROUP_MAX_MEMBERS)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < count; i++) {
    if (sc_id_kind_of(&members[i]) != SC_ID_STANDARD)
      return SC_ERR_ID_KIND;
    if (i > 0 && memcmp(members[i - 1].bytes, members[i].bytes, SC_ID_BYTES) >= 0)
      return SC_ERR_ARGUMENT;
  }
  return SC_OK;
}

static sc_status make_fresh(fresh_key *out, const sc_group_keys *keys, int64_t generation,
                            const sc_id *members, size_t count) {
  char digits[sizeof "9223372036854775807"];
  snprintf(digits, sizeof digits, "%" PRId64, generation);
  uint8_t made[sizeof *out];
  sc_status status = derive(made, sizeof made, keys, members, count, sc_bytes_text(digits));
  if (status == SC_OK)
    memcpy(out, made, sizeof made);
  sc_wipe(made, sizeof made);
  return status;
}

static void set_pending(sc_group_keys *keys, sc_buffer *message, int64_t generation, const fresh_key *fresh) {
  sc_buffer_free(&keys->pending.message);
  keys->pending = (sc_pending_key){.there = true, .generation = generation, .message = *message};
  memcpy(keys->pending.key, fresh->key, sizeof keys->pending.key);
  keys->needs_dump = true;
  sc_group_keys_renew_list(keys);
}

sc_status sc_group_keys_rekey(sc_group_keys *keys, const sc_id *members, size_t count) {
  if (!keys->is_admin)
    return SC_ERR_CONFIG_READ_ONLY;
  int64_t generation;
  fresh_key fresh;
  sc_buffer message;
  sc_buffer_init(&message, keys->env);
  sc_status status = check_members(members, count);
  if (status == SC_OK)
    status = next_generation(&generation, keys);
  if (status == SC_OK)
    status = make_fresh(&fresh, keys, generation, members, count);
  if (status != SC_OK)
    return status;
  status = sc_member_keys_renew(&keys->member_keys, keys->env, &keys->admin, members, count);
  if (status == SC_OK)
    status = write_rekey(&message, keys, generation, &fresh);
  if (status == SC_OK)
    set_pending(keys, &message, generation, &fresh);
  else
    sc_buffer_free(&message);
  sc_wipe(&fresh, sizeof fresh);
  return status;
}

static sc_status list_members(sc_buffer *out, const sc_group_members *members) {
  sc_group_member member;
  sc_status status = sc_group_members_next(&member, members, NULL);
  while (status == SC_OK) {
    const sc_id id = member.id;
    status = sc_buffer_append(out, SC_BYTES(id.bytes));
    if (status == SC_OK)
      status = sc_group_members_next(&member, members, &id);
  }
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

_Static_assert(sizeof(sc_id) == SC_ID_BYTES, "ids behind each other are an array of them");

sc_status sc_group_keys_rekey_members(sc_group_keys *keys, const sc_group_members *members) {
  sc_buffer ids;
  sc_buffer_init(&ids, keys->env);
  sc_status status = list_members(&ids, members);
  if (status == SC_OK)
    status = sc_group_keys_rekey(keys, (const sc_id *)(const void *)ids.ptr, ids.len / sizeof(sc_id));
  sc_buffer_free(&ids);
  return status;
}

/* The keys as later members receive them. */
static sc_status write_all_keys(sc_buffer *out, const sc_key_ring *ring) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_key_ring_write(ring, &writer);
  return sc_bt_writer_finish(&writer);
}

/* `*written` counts the recipients there is an entry for. */
static sc_status write_for_recipients(sc_bt_writer *writer, size_t *written, const sc_group_keys *keys,
                                      const sc_id *recipients, size_t count, const uint8_t *nonce,
                                      sc_bytes content) {
  sc_buffer entry;
  sc_buffer_init(&entry, keys->env);
  sc_status status = SC_OK;
  sc_bt_write_key(writer, sc_bytes_text("+"));
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    uint8_t wrapping_key[SC_KEY_BYTES];
    if (sc_member_key_of(wrapping_key, &keys->admin, sc_id_key(&recipients[i])) != SC_OK)
      continue;
    status = write_wrapped(writer, &entry, wrapping_key, nonce, content);
    sc_wipe(wrapping_key, sizeof wrapping_key);
    ++*written;
  }
  sc_bt_end(writer);
  sc_buffer_free(&entry);
  return status;
}

static sc_status write_supplement(sc_buffer *out, const sc_group_keys *keys, const sc_id *recipients,
                                  size_t count, const uint8_t nonce[static SC_XCHACHA_NONCE_BYTES],
                                  sc_bytes content) {
  size_t written = 0;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_string(&writer, "#", sc_bytes_make(nonce, SC_XCHACHA_NONCE_BYTES));
  sc_status status = write_for_recipients(&writer, &written, keys, recipients, count, nonce, content);
  if (status == SC_OK && written == 0)
    status = SC_ERR_KEY_INVALID;
  if (status != SC_OK)
    return status;
  write_generation(&writer, sc_key_ring_newest(&keys->ring)->generation);
  return finish_signed(&writer, keys);
}

static sc_status check_recipients(const sc_id *recipients, size_t count) {
  if (count == 0)
    return SC_ERR_ARGUMENT;
  if (count > SC_GROUP_MAX_MEMBERS)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < count; i++)
    if (sc_id_kind_of(&recipients[i]) != SC_ID_STANDARD)
      return SC_ERR_ID_KIND;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (memcmp(recipients[i].bytes, recipients[j].bytes, SC_ID_BYTES) == 0)
        return SC_ERR_ARGUMENT;
  return SC_OK;
}

static sc_status make_supplement(sc_buffer *out, const sc_group_keys *keys, const sc_id *recipients,
                                 size_t count, sc_bytes content) {
  if (count * (content.len + SC_AEAD_TAG_BYTES) > SC_STORED_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  sc_status status = derive(nonce, sizeof nonce, keys, recipients, count, content);
  if (status == SC_OK)
    status = write_supplement(out, keys, recipients, count, nonce, content);
  if (status == SC_OK && out->len > SC_STORED_MAX_BYTES)
    status = SC_ERR_TOO_LARGE;
  return status;
}

sc_status sc_group_keys_supplement(sc_buffer *out, const sc_group_keys *keys, const sc_id *recipients,
                                   size_t count) {
  sc_buffer_clear(out);
  if (!keys->is_admin)
    return SC_ERR_CONFIG_READ_ONLY;
  if (keys->ring.count == 0)
    return SC_ERR_CONFIG_KEYLESS;
  sc_status status = check_recipients(recipients, count);
  if (status != SC_OK)
    return status;
  sc_buffer content;
  sc_buffer_init(&content, keys->env);
  status = write_all_keys(&content, &keys->ring);
  if (status == SC_OK)
    status = make_supplement(out, keys, recipients, count, sc_buffer_bytes(&content));
  if (status != SC_OK)
    sc_buffer_clear(out);
  sc_buffer_free(&content);
  return status;
}
