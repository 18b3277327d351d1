/* The actions of a group's people. */
#include <inttypes.h>

#include "group_world.h"

unsigned group_members_of(const group *g, const person *p) {
  sc_group_member member;
  unsigned people = 0;
  for (unsigned i = 0; i < g->count; i++)
    if (sc_group_members_get(&member, p->members, &g->people[i].id) == SC_OK)
      people |= 1u << i;
  return people;
}

/* Keys */

static bool hand_on(group *g, person *p, bool dirty) {
  world *w = g->w;
  if (!dirty && sc_group_keys_version(p->keys) == p->version)
    return true;
  WORKS(sc_group_keys_hand_on(p->keys, sc_group_members_config(p->members), dirty));
  p->version = sc_group_keys_version(p->keys);
  return true;
}

static bool keep_message(group *g, size_t *out, sc_bytes bytes, const key_message *about) {
  world *w = g->w;
  uint8_t hash[stored_hash_bytes];
  WORKS(sc_blake2b(hash, sizeof hash, sc_bytes_make(NULL, 0), bytes));
  for (*out = 0; *out < g->key_message_count; ++*out)
    if (memcmp(g->key_messages[*out].hash, hash, sizeof hash) == 0)
      return true;
  HOLDS(g->key_message_count < most_key_messages, "too many messages about keys for a schedule");
  key_message *kept = &g->key_messages[g->key_message_count];
  *kept = *about;
  memcpy(kept->hash, hash, sizeof hash);
  sc_buffer_init(&kept->bytes, &w->memory.env);
  g->key_message_count++;
  WORKS(sc_buffer_append(&kept->bytes, bytes));
  return true;
}

bool group_rekey(group *g, person *admin) {
  world *w = g->w;
  size_t message;
  key_message about = {.people = group_members_of(g, admin)};
  int64_t newest = -1;
  (void)sc_group_keys_generation(&newest, admin->keys);
  WORKS(sc_group_keys_rekey_members(admin->keys, admin->members));
  model_key *key = &about.given.keys[about.given.count++];
  key->generation = newest + 1;
  if (!group_know_key(&key->key, g, sc_group_keys_list(admin->keys).keys[0], key->generation))
    return false;
  admin->pending = true;
  admin->pending_key = *key;
  world_say(w, "    person %u makes key %zu of generation %" PRId64, admin->number, key->key,
            key->generation);
  return keep_message(g, &message, sc_group_keys_pending(admin->keys), &about) && hand_on(g, admin, true);
}

static bool supplement(group *g, person *admin, const person *who) {
  world *w = g->w;
  sc_buffer bytes;
  size_t message;
  key_message about = {.supplement = true, .people = 1u << who->number, .given = admin->ring};
  if (admin->ring.count == 0 || admin->to_push_count == sizeof admin->to_push / sizeof admin->to_push[0])
    return true;
  sc_buffer_init(&bytes, &w->memory.env);
  sc_status status = sc_group_keys_supplement(&bytes, admin->keys, &who->id, 1);
  bool holds = status == SC_OK ? keep_message(g, &message, sc_buffer_bytes(&bytes), &about)
                               : world_flaw(w, "a supplement: %s", sc_status_text(status));
  sc_buffer_free(&bytes);
  if (holds)
    admin->to_push[admin->to_push_count++] = message;
  return holds;
}

/* Members */

bool group_invite(group *g, person *admin, person *who, bool with_history) {
  world *w = g->w;
  sc_group_member member;
  sc_group_member_init(&member, &who->id);
  member.supplement = with_history;
  WORKS(sc_group_members_set(admin->members, &member));
  return (!with_history || supplement(g, admin, who)) && group_rekey(g, admin);
}

bool group_remove(group *g, person *admin, person *who, bool mark) {
  world *w = g->w;
  sc_group_member member;
  sc_status status = sc_group_members_get(&member, admin->members, &who->id);
  if (status == SC_ERR_NOT_FOUND || who->admin)
    return true;
  WORKS(status);
  if (mark) {
    sc_group_member_apply(&member, SC_GROUP_REMOVE);
    WORKS(sc_group_members_set(admin->members, &member));
    return true;
  }
  WORKS(sc_group_members_erase(NULL, admin->members, &who->id));
  return group_rekey(g, admin);
}

bool group_promote(group *g, person *admin, person *who) {
  world *w = g->w;
  sc_group_member member;
  sc_status status = sc_group_members_get(&member, admin->members, &who->id);
  if (status == SC_ERR_NOT_FOUND || who->admin || member.removal != SC_GROUP_STAYS)
    return true;
  WORKS(status);
  sc_group_member_apply(&member, SC_GROUP_PROMOTE);
  WORKS(sc_group_members_set(admin->members, &member));
  const sc_bytes seed = sc_bytes_make(w->who->group.ed.secret, SC_ED25519_SEED_BYTES);
  WORKS(sc_group_keys_load_admin_key(who->keys, seed));
  WORKS(sc_config_set_signer(sc_group_members_config(who->members), &w->who->group.ed));
  who->admin = true;
  return true;
}

/* Messages */

bool group_write(group *g, person *p) {
  world *w = g->w;
  sc_group_key_list list = sc_group_keys_list(p->keys);
  if (list.count == 0 || g->written_count == most_written)
    return true;
  written_message *message = &g->written[g->written_count++];
  sc_buffer_init(&message->sealed, &w->memory.env);
  message->writer = p->number;
  message->readers = 0;
  WORKS(sc_group_keys_seal(&message->sealed, p->keys, sc_bytes_text("hello"), NULL));
  return group_know_key(&message->key, g, list.keys[0], 0);
}

/* True if any message ever made gives this person the key. */
static bool was_ever_given(const group *g, const person *p, size_t key) {
  bool given = p->admin || (p->pending && p->pending_key.key == key);
  for (size_t i = 0; i < g->key_message_count && !given; i++)
    for (size_t k = 0; k < g->key_messages[i].given.count && !given; k++)
      given =
          g->key_messages[i].given.keys[k].key == key && (g->key_messages[i].people >> p->number & 1) != 0;
  return given;
}

static bool check_reader(group *g, const person *p, size_t index) {
  world *w = g->w;
  written_message *message = &g->written[index];
  sc_buffer opened;
  sc_sender sender;
  if (model_has(p, message->key) && (message->readers >> p->number & 1) != 0)
    return true;
  sc_buffer_init(&opened, &w->memory.env);
  sc_status status = sc_group_keys_open(&opened, &sender, p->keys, sc_buffer_bytes(&message->sealed));
  bool same = sc_bytes_same(sc_buffer_bytes(&opened), sc_bytes_text("hello"));
  sc_buffer_free(&opened);
  if (!model_has(p, message->key)) {
    HOLDS(status == SC_ERR_NO_KEY || status == SC_ERR_CONFIG_KEYLESS,
          "person %u reads message %zu without its key", p->number, index);
    return true;
  }
  HOLDS(was_ever_given(g, p, message->key),
        "person %u reads message %zu, without ever having been given its key", p->number, index);
  HOLDS(status == SC_OK && same, "person %u cannot read message %zu: %s", p->number, index,
        sc_status_text(status));
  HOLDS(sc_bytes_same(SC_BYTES(sender.id.bytes), SC_BYTES(g->people[message->writer].id.bytes)),
        "message %zu is by somebody else", index);
  message->readers |= 1u << p->number;
  return true;
}

bool group_check_readers(group *g) {
  for (unsigned i = 0; i < g->count; i++)
    for (size_t m = 0; m < g->written_count; m++)
      if (!check_reader(g, &g->people[i], m))
        return false;
  return true;
}

/* Devices */

bool group_restart(group *g, person *p) {
  world *w = g->w;
  sc_buffer keys, members;
  sc_buffer_init(&keys, &w->memory.env);
  sc_buffer_init(&members, &w->memory.env);
  sc_status status = sc_group_keys_dump(&keys, p->keys, SC_GROUP_DUMP_MESSAGES);
  if (status == SC_OK)
    status = sc_config_dump(&members, sc_group_members_config(p->members), w->now_ms);
  if (status == SC_OK) {
    const sc_ed25519_pair *admin = p->admin ? &w->who->group.ed : NULL;
    sc_group_keys_free(p->keys);
    sc_group_members_free(p->members);
    p->keys = NULL;
    p->members = NULL;
    status = sc_group_keys_new(&p->keys, &w->memory.env, &p->pair, &w->who->group_id, admin,
                               sc_buffer_bytes(&keys));
    if (status == SC_OK)
      status = sc_group_members_new(&p->members, &w->memory.env, &w->who->group_id, admin,
                                    sc_buffer_bytes(&members));
  }
  sc_buffer_free(&keys);
  sc_buffer_free(&members);
  WORKS(status);
  p->version = 0;
  WORKS(sc_group_keys_hand_on(p->keys, sc_group_members_config(p->members), false));
  p->version = sc_group_keys_version(p->keys);
  return model_check(g, p);
}

/* To the swarm */

static void store_key_message(group *g, size_t index) {
  key_message *message = &g->key_messages[index];
  if (!message->there)
    message->timestamp_ms = g->w->now_ms;
  message->there = true;
}

bool group_needs_push(const person *p) {
  return p->admin && (p->to_push_count > 0 || sc_group_keys_pending(p->keys).len > 0 ||
                      sc_config_needs_push(sc_group_members_config(p->members)));
}

/* Returns the index of the pending message among the known ones. */
static bool find_pending(size_t *out, group *g, const person *p) {
  const key_message none = {0};
  size_t before = g->key_message_count;
  world *w = g->w;
  if (!keep_message(g, out, sc_group_keys_pending(p->keys), &none))
    return false;
  HOLDS(g->key_message_count == before, "person %u has another message pending than it made", p->number);
  return true;
}

static bool push_keys(group *g, person *admin) {
  size_t pending;
  for (size_t i = 0; i < admin->to_push_count; i++)
    store_key_message(g, admin->to_push[i]);
  admin->to_push_count = 0;
  if (sc_group_keys_pending(admin->keys).len == 0)
    return true;
  if (!find_pending(&pending, g, admin))
    return false;
  store_key_message(g, pending);
  return true;
}

static bool delete_old(group *g, const sc_config_hashes *obsolete) {
  world *w = g->w;
  for (size_t i = 0; i < obsolete->count; i++) {
    stored_message *message = swarm_find(&g->documents, obsolete->items[i]);
    HOLDS(message != NULL, "something is to be deleted that was never stored");
    message->there = false;
  }
  return true;
}

static bool push_members(group *g, person *admin, fate fate) {
  world *w = g->w;
  sc_config *config = sc_group_members_config(admin->members);
  sc_config_outgoing outgoing;
  size_t index = 0, key = 0;
  if (!sc_config_needs_push(config))
    return true;
  sc_config_outgoing_init(&outgoing, &w->memory.env);
  sc_status status = sc_config_push(&outgoing, config, w->now_ms);
  if (status == SC_OK)
    status = swarm_know(&index, &g->documents, &outgoing.messages);
  bool holds = status == SC_OK && group_know_key(&key, g, sc_config_key(config, 0), 0);
  if (holds && fate != fate_lost) {
    g->document_keys[index] = key;
    swarm_put(&g->documents, index);
    holds = delete_old(g, &outgoing.obsolete);
  }
  sc_bytes hash = swarm_hash(&g->documents, index);
  if (holds && fate == fate_arrives)
    status = sc_config_confirm(config, outgoing.seqno, &hash, 1);
  sc_config_outgoing_free(&outgoing);
  WORKS(status);
  return holds;
}

bool group_tidy(group *g, person *admin) {
  sc_config_hashes old;
  sc_config_hashes_init(&old, &g->w->memory.env);
  sc_config_take_old_hashes(&old, sc_group_members_config(admin->members));
  bool holds = delete_old(g, &old);
  sc_config_hashes_free(&old);
  return holds;
}

bool group_push(group *g, person *admin, fate fate) {
  world *w = g->w;
  if (!group_needs_push(admin) || sc_config_key_count(sc_group_members_config(admin->members)) == 0)
    return true;
  world_say(w, "    person %u pushes, which %s", admin->number,
            fate == fate_arrives ? "arrives"
            : fate == fate_lost  ? "is lost"
                                 : "is not confirmed");
  if (fate != fate_lost && !push_keys(g, admin))
    return false;
  return push_members(g, admin, fate);
}

/* From the swarm */

static bool load(group *g, person *p, size_t index) {
  world *w = g->w;
  const key_message *message = &g->key_messages[index];
  bool found;
  size_t before = p->ring.count;
  WORKS(sc_group_keys_load(&found, p->keys, SC_BYTES(message->hash), sc_buffer_bytes(&message->bytes),
                           message->timestamp_ms, UINT64_MAX));
  bool made_for = (message->people >> p->number & 1) != 0;
  HOLDS(found == (p->admin ? !message->supplement : made_for), "person %u %s", p->number,
        found ? "opens a key that is not theirs" : "cannot open a key that is theirs");
  model_load(g, p, message);
  if (p->ring.count != before)
    world_say(w, "    person %u has %zu keys", p->number, p->ring.count);
  return model_check(g, p);
}

static bool load_keys(group *g, person *p, draws *from, bool all) {
  for (size_t i = 0; i < g->key_message_count; i++) {
    if (!g->key_messages[i].there || (!all && draw_one_in(from, 4)))
      continue;
    if (!load(g, p, i) || (draw_one_in(from, 8) && !load(g, p, i)))
      return false;
  }
  return hand_on(g, p, false);
}

/* Every message with a known key can be opened, even if the key is not the newest. */
static bool check_opened(group *g, const person *p, size_t index, sc_status status) {
  world *w = g->w;
  HOLDS((status == SC_OK) == model_has(p, g->document_keys[index]), "person %u reads members %zu: %s",
        p->number, index, sc_status_text(status));
  return true;
}

bool group_merge_members(group *g, person *p, draws *from, bool all) {
  enum { most_at_once = 64 };
  world *w = g->w;
  sc_config *config = sc_group_members_config(p->members);
  sc_config_incoming incoming[most_at_once];
  sc_status statuses[most_at_once];
  size_t listed[most_stored], indices[most_at_once], count = 0;
  size_t there = swarm_list(listed, &g->documents, from);
  sc_config_effect effect;
  for (size_t i = 0; i < there && count < most_at_once; i++) {
    if (!all && draw_one_in(from, 4))
      continue;
    incoming[count] = (sc_config_incoming){swarm_hash(&g->documents, listed[i]),
                                           sc_buffer_bytes(&g->documents.items[listed[i]].bytes)};
    indices[count++] = listed[i];
  }
  if (count == 0 || sc_config_key_count(config) == 0)
    return true;
  sc_status status = sc_config_merge(&effect, statuses, config, incoming, count, w->now_ms);
  HOLDS(status == SC_OK || status == SC_ERR_CONFIG_NONE, "person %u merges: %s", p->number,
        sc_status_text(status));
  for (size_t i = 0; i < count; i++)
    if (!check_opened(g, p, indices[i], statuses[i]))
      return false;
  return true;
}

bool group_sync(group *g, person *p, draws *from, bool all) {
  if (!load_keys(g, p, from, all) || !group_merge_members(g, p, from, all))
    return false;
  if (p->admin && sc_group_keys_needs_rekey(p->keys) && !p->pending)
    return group_rekey(g, p);
  return true;
}
