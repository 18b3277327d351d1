/* A notice is a multi-recipient blob from the group, a message for each member: the member's X25519 key and
 * the generation in decimal digits. */
#include "session-core/crypto/kick.h"

#include <inttypes.h>
#include <stdio.h>

static const char kick_domain[] = "SessionGroupKickedMessage";

enum { most_digits = 20 };

static sc_status check_members(const sc_id *members, size_t count) {
  if (count == 0)
    return SC_ERR_ARGUMENT;
  if (count > SC_MULTI_MAX_ENTRIES)
    return SC_ERR_TOO_LARGE;
  for (size_t i = 0; i < count; i++)
    if (sc_id_kind_of(&members[i]) != SC_ID_STANDARD)
      return SC_ERR_ID_KIND;
  return SC_OK;
}

/* Writes the messages of all members one after the other, `*len` bytes each. */
static sc_status write_messages(sc_buffer *out, size_t *len, const sc_id *members, size_t count,
                                uint64_t generation) {
  char digits[most_digits + 1];
  size_t digit_count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, generation);
  *len = SC_KEY_BYTES + digit_count;
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    status = sc_buffer_append(out, sc_bytes_make(sc_id_key(&members[i]), SC_KEY_BYTES));
    if (status == SC_OK)
      status = sc_buffer_append(out, sc_bytes_make(digits, digit_count));
  }
  return status;
}

sc_status sc_kick_seal(sc_buffer *out, const sc_env *env, const sc_keypair *group, const sc_id *members,
                       size_t member_count, uint64_t generation) {
  sc_buffer_clear(out);
  sc_status status = check_members(members, member_count);
  if (status != SC_OK)
    return status;
  sc_buffer texts;
  sc_buffer_init(&texts, env);
  sc_bytes *recipients = NULL;
  size_t len;
  status = write_messages(&texts, &len, members, member_count, generation);
  if (status != SC_OK)
    goto done;
  recipients = sc_allocate(env, 2 * member_count * sizeof *recipients);
  if (recipients == NULL) {
    status = SC_ERR_NO_MEMORY;
    goto done;
  }
  sc_bytes *messages = recipients + member_count;
  for (size_t i = 0; i < member_count; i++) {
    recipients[i] = sc_bytes_make(sc_id_key(&members[i]), SC_KEY_BYTES);
    messages[i] = sc_bytes_make(texts.ptr + i * len, len);
  }
  status = sc_multi_seal(out, env, &group->x, recipients, member_count, messages, member_count,
                         sc_bytes_text(kick_domain), NULL);
done:
  sc_release(env, recipients);
  sc_buffer_free(&texts);
  return status;
}

/* Reads what write_messages writes and nothing else: no sign, no spare zeros. */
static sc_status parse_generation(uint64_t *out, sc_bytes digits) {
  if (digits.len == 0 || digits.len > most_digits || (digits.ptr[0] == '0' && digits.len > 1))
    return SC_ERR_KICK;
  uint64_t value = 0;
  for (size_t i = 0; i < digits.len; i++) {
    if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
      return SC_ERR_KICK;
    unsigned digit = digits.ptr[i] - (unsigned)'0';
    if (value > (UINT64_MAX - digit) / 10)
      return SC_ERR_KICK;
    value = 10 * value + digit;
  }
  *out = value;
  return SC_OK;
}

static sc_status parse_message(uint64_t *generation, const sc_keypair *me, sc_bytes message) {
  if (message.len < SC_KEY_BYTES || memcmp(message.ptr, me->x.public_key, SC_KEY_BYTES) != 0)
    return SC_ERR_KICK;
  return parse_generation(generation, sc_bytes_make(message.ptr + SC_KEY_BYTES, message.len - SC_KEY_BYTES));
}

sc_status sc_kick_open(uint64_t *generation, const sc_env *env, const sc_keypair *me, const sc_id *group_id,
                       sc_bytes notice) {
  *generation = 0;
  if (sc_id_kind_of(group_id) != SC_ID_GROUP)
    return SC_ERR_ID_KIND;
  uint8_t group[SC_KEY_BYTES];
  sc_status status = sc_x25519_from_ed25519(group, sc_bytes_make(sc_id_key(group_id), SC_KEY_BYTES));
  if (status != SC_OK)
    return status;
  sc_buffer message;
  sc_buffer_init(&message, env);
  status = sc_multi_open(&message, &me->x, group, sc_bytes_text(kick_domain), notice);
  if (status == SC_OK)
    status = parse_message(generation, me, sc_buffer_bytes(&message));
  sc_buffer_free(&message);
  return status;
}
