#include "member_keys.h"

#include "../crypto/multi_seal.h"
#include "session-core/base/secret.h"

static const char member_domain[] = "SessionGroupKeyMemberKey";

void sc_member_keys_free(sc_member_keys *keys, const sc_env *env) {
  sc_wipe(keys->keys, keys->count * sizeof *keys->keys);
  sc_release(env, keys->keys);
  *keys = (sc_member_keys){0};
}

sc_status sc_member_key_of(uint8_t out[static SC_KEY_BYTES], const sc_keypair *group,
                           const uint8_t member[static SC_KEY_BYTES]) {
  return sc_multi_key(out, &group->x, member, true, sc_bytes_text(member_domain));
}

sc_status sc_member_key_of_mine(uint8_t out[static SC_KEY_BYTES], const sc_keypair *me,
                                const uint8_t group_x25519[static SC_KEY_BYTES]) {
  return sc_multi_key(out, &me->x, group_x25519, false, sc_bytes_text(member_domain));
}

static void work_out(sc_member_key *out, const sc_keypair *group, const uint8_t *member) {
  memcpy(out->member, member, sizeof out->member);
  out->safe = sc_member_key_of(out->key, group, member) == SC_OK;
}

sc_status sc_member_keys_renew(sc_member_keys *keys, const sc_env *env, const sc_keypair *group,
                               const sc_id *members, size_t count) {
  sc_member_keys renewed = {.count = count};
  if (count > 0)
    renewed.keys = sc_allocate(env, count * sizeof *renewed.keys);
  if (count > 0 && renewed.keys == NULL)
    return SC_ERR_NO_MEMORY;
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *member = sc_id_key(&members[i]);
    while (known < keys->count && memcmp(keys->keys[known].member, member, SC_KEY_BYTES) < 0)
      known++;
    if (known < keys->count && memcmp(keys->keys[known].member, member, SC_KEY_BYTES) == 0)
      renewed.keys[i] = keys->keys[known];
    else
      work_out(&renewed.keys[i], group, member);
  }
  sc_member_keys_free(keys, env);
  *keys = renewed;
  return SC_OK;
}
