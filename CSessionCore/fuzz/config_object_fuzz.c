/* Configs in use. The first byte of the input chooses: messages as they may come from a swarm, sealed for us,
 * whole or in parts; or a life: two admins and a member of a group, and the swarm between them, which loses
 * and repeats things and keeps them in no order. When everything has been delivered they agree. */
#include <stdbool.h>

#include "config/envelope.h"
#include "fuzz.h"

enum {
  device_count = 3, /* the last one only reads */
  most_stored = 24,
  most_events = 64,
  longest_input = 8192,
  settling_rounds = 12,
};

static const uint8_t group_key[32] = {7};

/* A message in the swarm. */
typedef struct stored {
  char hash[8];
  sc_buffer message;
} stored;

typedef struct life {
  sc_group_info *devices[device_count];
  sc_config_outgoing pushed[device_count]; /* last, and not confirmed yet when its seqno is not 0 */
  stored swarm[most_stored];
  size_t stored_count;
  unsigned hashes;
  uint64_t now_ms;
} life;

static sc_config *config_of(const life *l, size_t device) {
  return sc_group_info_config(l->devices[device]);
}

static sc_group_info *make(bool admin, sc_bytes dump) {
  static const uint8_t seed[32] = {1};
  const sc_bytes key = SC_BYTES(group_key);
  sc_ed25519_pair pair;
  sc_group_info *info;
  sc_id group;
  sc_ed25519_pair_from_seed(&pair, seed);
  sc_id_make(&group, SC_ID_GROUP, pair.public_key);
  REQUIRE(sc_group_info_new(&info, fuzz_env(), &group, admin ? &pair : NULL, dump) == SC_OK);
  REQUIRE(sc_config_replace_keys(sc_group_info_config(info), &key, 1, false) == SC_OK);
  return info;
}

static bool is_admin(size_t device) {
  return device + 1 < device_count;
}

static void begin(life *out) {
  *out = (life){.now_ms = 1};
  for (size_t i = 0; i < device_count; i++) {
    out->devices[i] = make(is_admin(i), sc_bytes_make(NULL, 0));
    sc_config_outgoing_init(&out->pushed[i], fuzz_env());
  }
}

static void end(life *l) {
  for (size_t i = 0; i < device_count; i++) {
    sc_group_info_free(l->devices[i]);
    sc_config_outgoing_free(&l->pushed[i]);
  }
  for (size_t i = 0; i < l->stored_count; i++)
    sc_buffer_free(&l->swarm[i].message);
}

/* The same message has the same hash. */
static sc_bytes store(life *l, sc_bytes message) {
  for (size_t i = 0; i < l->stored_count; i++)
    if (sc_bytes_same(sc_buffer_bytes(&l->swarm[i].message), message))
      return sc_bytes_text(l->swarm[i].hash);
  if (l->stored_count == most_stored)
    return sc_bytes_make(NULL, 0);
  stored *added = &l->swarm[l->stored_count++];
  sc_buffer_init(&added->message, fuzz_env());
  REQUIRE(sc_buffer_append(&added->message, message) == SC_OK);
  snprintf(added->hash, sizeof added->hash, "h%u", l->hashes++);
  return sc_bytes_text(added->hash);
}

static void discard(life *l, sc_bytes hash) {
  for (size_t i = 0; i < l->stored_count; i++) {
    if (!sc_bytes_same(sc_bytes_text(l->swarm[i].hash), hash))
      continue;
    sc_buffer_free(&l->swarm[i].message);
    l->swarm[i] = l->swarm[--l->stored_count];
    return;
  }
}

static void edit(life *l, size_t device, uint8_t detail) {
  sc_group_info *info = l->devices[device];
  char name[] = {(char)('a' + detail % 4), 0};
  sc_status status;
  switch (detail / 4 % 4) {
  case 0:
    status = sc_group_info_set_name(info, sc_bytes_text(name));
    break;
  case 1:
    status = sc_group_info_set_expiry(info, detail % 4);
    break;
  case 2:
    status = sc_group_info_set_description(info, sc_bytes_text(detail % 4 == 0 ? "" : name));
    break;
  default:
    status = sc_group_info_set_created(info, detail);
  }
  REQUIRE(status == (is_admin(device) ? SC_OK : SC_ERR_CONFIG_READ_ONLY));
}

static void push(life *l, size_t device) {
  sc_config_state before = sc_config_state_of(config_of(l, device));
  sc_status status = sc_config_push(&l->pushed[device], config_of(l, device), l->now_ms);
  if (!is_admin(device) && sc_config_seqno(config_of(l, device)) == 0) {
    REQUIRE(status == SC_ERR_CONFIG_READ_ONLY);
    return;
  }
  REQUIRE(status == SC_OK);
  sc_config_state after = sc_config_state_of(config_of(l, device));
  REQUIRE(after == (before == SC_CONFIG_DIRTY ? SC_CONFIG_WAITING : before));
  REQUIRE(is_admin(device) || l->pushed[device].obsolete.count == 0);
}

/* The swarm stores the pushed message, then deletes the obsolete ones, unless the push is lost. */
static bool deliver(life *l, size_t device) {
  sc_config_outgoing *out = &l->pushed[device];
  if (sc_config_stored_count(&out->messages) == 0 || out->seqno == 0)
    return true;
  sc_bytes hash = store(l, sc_config_stored_message(&out->messages, 0));
  if (hash.len == 0)
    return false;
  for (size_t i = 0; i < out->obsolete.count; i++) {
    REQUIRE(!sc_bytes_same(out->obsolete.items[i], hash));
    discard(l, out->obsolete.items[i]);
  }
  hash = store(l, sc_config_stored_message(&out->messages, 0));
  REQUIRE(sc_config_confirm(config_of(l, device), out->seqno, &hash, 1) == SC_OK);
  return true;
}

static void merge(life *l, size_t device, size_t first, size_t count) {
  sc_config_incoming incoming[most_stored];
  sc_status statuses[most_stored];
  sc_config_effect effect;
  if (l->stored_count == 0)
    return;
  count = count < l->stored_count ? count : l->stored_count;
  for (size_t i = 0; i < count; i++) {
    const stored *from = &l->swarm[(first + i) % l->stored_count];
    incoming[i] = (sc_config_incoming){sc_bytes_text(from->hash), sc_buffer_bytes(&from->message)};
  }
  REQUIRE(sc_config_merge(&effect, statuses, config_of(l, device), incoming, count, l->now_ms) == SC_OK);
  for (size_t i = 0; i < count; i++)
    REQUIRE(statuses[i] == SC_OK);
  REQUIRE(is_admin(device) || !sc_config_needs_push(config_of(l, device)));
}

static void reload(life *l, size_t device) {
  sc_buffer dump;
  sc_buffer_init(&dump, fuzz_env());
  REQUIRE(sc_config_dump(&dump, config_of(l, device), l->now_ms) == SC_OK);
  sc_group_info_free(l->devices[device]);
  l->devices[device] = make(is_admin(device), sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
}

static void happen(life *l, uint8_t event, uint8_t detail) {
  size_t device = event % device_count;
  switch (event / device_count % 8) {
  case 0:
  case 1:
    edit(l, device, detail);
    return;
  case 2:
    push(l, device);
    return;
  case 3:
    if (is_admin(device))
      deliver(l, device);
    return;
  case 4:
  case 5:
    merge(l, device, detail, 1 + detail / 16);
    return;
  case 6:
    reload(l, device);
    return;
  default:
    l->now_ms += detail;
  }
}

/* Everybody reads everything and pushes what there is to push, until there is nothing any more. */
static void settle(life *l) {
  bool settled = false;
  for (int round = 0; round < settling_rounds && !settled; round++) {
    settled = true;
    for (size_t i = 0; i + 1 < device_count; i++) {
      merge(l, i, 0, most_stored);
      if (!sc_config_needs_push(config_of(l, i)))
        continue;
      settled = false;
      push(l, i);
      if (!deliver(l, i))
        return; /* the swarm is full of what was lost on its way to being deleted */
    }
  }
  REQUIRE(settled);
  merge(l, device_count - 1, 0, most_stored);
}

static void same_text(sc_bytes a, sc_bytes b) {
  REQUIRE(sc_bytes_same(a, b));
}

static void require_same(const sc_group_info *a, const sc_group_info *b) {
  same_text(sc_group_info_name(a), sc_group_info_name(b));
  same_text(sc_group_info_description(a), sc_group_info_description(b));
  REQUIRE(sc_group_info_expiry(a) == sc_group_info_expiry(b));
  REQUIRE(sc_group_info_created(a) == sc_group_info_created(b));
}

static bool is_settled(const life *l) {
  for (size_t i = 0; i + 1 < device_count; i++)
    if (sc_config_needs_push(config_of(l, i)))
      return false;
  return true;
}

static void a_life(sc_bytes input) {
  life l;
  begin(&l);
  for (int i = 0; i < most_events && input.len > 0; i++) {
    uint8_t event = fuzz_take_byte(&input);
    happen(&l, event, fuzz_take_byte(&input));
  }
  settle(&l);
  if (is_settled(&l))
    require_same(l.devices[0], l.devices[1]);
  end(&l);
}

/* One of an account, whose messages are not signed. */
static sc_user_profile *make_profile(sc_keypair *account, sc_bytes dump) {
  static const uint8_t seed[32] = {1};
  sc_user_profile *profile;
  sc_keypair_from_seed(account, seed);
  REQUIRE(sc_user_profile_new(&profile, fuzz_env(), account, dump) == SC_OK);
  return profile;
}

/* True if another revision can follow. A received config may carry the greatest seqno. */
static bool has_followers(const sc_config *config) {
  return sc_config_seqno(config) < SC_CONFIG_MAX_SEQNO - 1;
}

static void edit_profile(sc_user_profile *profile, int32_t number) {
  sc_status status = sc_user_profile_set_note_priority(profile, number);
  REQUIRE(status == SC_OK || !has_followers(sc_user_profile_config(profile)));
}

static void reload_profile(sc_user_profile **profile, uint64_t now_ms) {
  sc_keypair account;
  sc_buffer dump;
  sc_buffer_init(&dump, fuzz_env());
  REQUIRE(sc_config_dump(&dump, sc_user_profile_config(*profile), now_ms) == SC_OK);
  if (has_followers(sc_user_profile_config(*profile))) {
    sc_user_profile_free(*profile);
    *profile = make_profile(&account, sc_buffer_bytes(&dump));
  }
  sc_buffer_free(&dump);
}

/* A message, or a part of one, sealed for us whatever it says. Now and then we edit, push, or begin again
 * from a dump. */
static void receive(sc_user_profile **profile, const sc_keypair *account, sc_bytes plain, unsigned count) {
  char hash[] = {(char)('a' + count % 26), 0};
  sc_config *config = sc_user_profile_config(*profile);
  sc_config_effect effect;
  sc_config_outgoing out;
  sc_buffer sealed;
  sc_buffer_init(&sealed, fuzz_env());
  sc_config_outgoing_init(&out, fuzz_env());
  REQUIRE(sc_config_encrypt(&sealed, sc_bytes_make(account->ed.secret, SC_ED25519_SEED_BYTES),
                            sc_bytes_text("UserProfile"), plain) == SC_OK);
  sc_config_incoming incoming = {sc_bytes_text(hash), sc_buffer_bytes(&sealed)};
  sc_status status = sc_config_merge(&effect, NULL, config, &incoming, 1, count);
  REQUIRE(status == SC_OK || status == SC_ERR_CONFIG_NONE ||
          (status == SC_ERR_CONFIG_SEQNO && !has_followers(config)));
  if (count % 3 == 1)
    edit_profile(*profile, (int32_t)count);
  if (count % 4 == 2)
    REQUIRE(sc_config_push(&out, config, count) == SC_OK);
  if (count % 4 == 3)
    reload_profile(profile, count);
  sc_config_outgoing_free(&out);
  sc_buffer_free(&sealed);
}

/* Each after its length. */
static void from_a_swarm(sc_bytes input) {
  sc_keypair account;
  sc_user_profile *profile = make_profile(&account, sc_bytes_make(NULL, 0));
  for (unsigned count = 0; input.len > 0; count++) {
    size_t len = (size_t)fuzz_take_byte(&input) << 8;
    len |= fuzz_take_byte(&input);
    receive(&profile, &account, fuzz_take(&input, len), count);
  }
  sc_user_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size < longest_input ? size : longest_input);
  REQUIRE(sc_init() == SC_OK);
  if (fuzz_take_byte(&input) % 2 == 0)
    from_a_swarm(input);
  else
    a_life(input);
  return 0;
}
