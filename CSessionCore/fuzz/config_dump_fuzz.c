/* Reading a dump. The first byte of the input chooses its kind. A config that was read
 * is dumped again without a difference, can be pushed and listed, and merges messages from other devices. */
#include "fuzz.h"

enum { now_ms = 1700000000, longest_input = 65536 };

static const uint8_t group_key[32] = {7};

typedef struct subject {
  sc_group_info *info;
  sc_group_members *members;
  sc_user_profile *profile;
  sc_config *config;
} subject;

static sc_status load_group(subject *out, bool info, bool admin, sc_bytes dump) {
  static const uint8_t seed[32] = {1};
  const sc_bytes key = SC_BYTES(group_key);
  sc_ed25519_pair pair;
  sc_id group;
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_id_make(&group, SC_ID_GROUP, pair.public_key);
  sc_status status =
      info ? sc_group_info_new(&out->info, fuzz_env(), &group, admin ? &pair : NULL, dump)
           : sc_group_members_new(&out->members, fuzz_env(), &group, admin ? &pair : NULL, dump);
  if (status != SC_OK)
    return status;
  out->config = info ? sc_group_info_config(out->info) : sc_group_members_config(out->members);
  REQUIRE(sc_config_replace_keys(out->config, &key, 1, false) == SC_OK);
  return SC_OK;
}

static sc_status load(subject *out, uint8_t kind, sc_bytes dump) {
  static const uint8_t seed[32] = {1};
  sc_keypair account;
  *out = (subject){0};
  if (kind % 5 != 0)
    return load_group(out, kind % 5 < 3, kind % 2 == 0, dump);
  sc_keypair_from_seed(&account, seed);
  sc_status status = sc_user_profile_new(&out->profile, fuzz_env(), &account, dump);
  if (status == SC_OK)
    out->config = sc_user_profile_config(out->profile);
  return status;
}

static void unload(subject *s) {
  sc_group_info_free(s->info);
  sc_group_members_free(s->members);
  sc_user_profile_free(s->profile);
}

static void dump(sc_buffer *out, const subject *s) {
  REQUIRE(sc_config_dump(out, s->config, now_ms) == SC_OK);
  REQUIRE(!sc_config_needs_dump(s->config));
}

/* One that is dirty comes back under the next seqno, and under the one after that. */
static void check_dumps(const subject *s, uint8_t kind) {
  sc_buffer bytes, again;
  subject loaded;
  sc_buffer_init(&bytes, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  dump(&bytes, s);
  sc_status status = load(&loaded, kind, sc_buffer_bytes(&bytes));
  bool dirty = sc_config_state_of(s->config) == SC_CONFIG_DIRTY;
  REQUIRE(status == SC_OK || (dirty && sc_config_seqno(s->config) == SC_CONFIG_MAX_SEQNO));
  if (status == SC_OK) {
    dump(&again, &loaded);
    REQUIRE(sc_config_state_of(loaded.config) == sc_config_state_of(s->config));
    REQUIRE(dirty || sc_bytes_same(sc_buffer_bytes(&bytes), sc_buffer_bytes(&again)));
    unload(&loaded);
  }
  sc_buffer_free(&bytes);
  sc_buffer_free(&again);
}

static void read_through(const subject *s) {
  sc_group_member member;
  sc_config_hashes hashes;
  sc_config_hashes_init(&hashes, fuzz_env());
  if (s->info != NULL)
    REQUIRE(sc_group_info_created(s->info) >= 0 && sc_group_info_name(s->info).len <= longest_input);
  const sc_id *after = NULL;
  sc_id last;
  while (s->members != NULL && sc_group_members_next(&member, s->members, after) == SC_OK) {
    last = member.id;
    after = &last;
    REQUIRE(sc_group_members_status(s->members, &member) <= SC_GROUP_MEMBER_REMOVED_WITH_MESSAGES);
  }
  sc_status status = sc_config_active_hashes(&hashes, s->config, now_ms);
  REQUIRE(status == SC_OK || status == SC_ERR_TOO_LARGE);
  sc_config_hashes_free(&hashes);
}

static void push(const subject *s) {
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_config_outgoing_init(&out, fuzz_env());
  sc_status pushed = sc_config_push(&out, s->config, now_ms);
  REQUIRE(pushed == SC_OK || (pushed == SC_ERR_CONFIG_READ_ONLY && sc_config_is_read_only(s->config)));
  for (size_t i = 0; i < sc_config_stored_count(&out.messages); i++) {
    sc_config_incoming incoming = {sc_bytes_text("h"), sc_config_stored_message(&out.messages, i)};
    sc_status status = sc_config_merge(&effect, NULL, s->config, &incoming, 1, now_ms);
    REQUIRE(status == SC_OK || status == SC_ERR_CONFIG_NONE);
  }
  sc_config_outgoing_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size < longest_input ? size : longest_input);
  uint8_t kind = fuzz_take_byte(&input);
  subject s;
  REQUIRE(sc_init() == SC_OK);
  sc_status status = input.len == 0 ? SC_ERR_CONFIG_DUMP : load(&s, kind, input);
  REQUIRE(status == SC_OK || status == SC_ERR_CONFIG_DUMP);
  if (status != SC_OK)
    return 0;
  check_dumps(&s, kind);
  read_through(&s);
  push(&s);
  check_dumps(&s, kind);
  unload(&s);
  return 0;
}
