/* A schedule of a group, from its creation to the end. */
#include "group_world.h"

enum { most_rounds = 12, most_closings = 3 };

static group the_group; /* too large for some stacks */

/* Beginning */

/* The same in all schedules. */
static const sc_keypair *pair_of(unsigned number) {
  static sc_keypair pairs[most_people];
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {0x22, (uint8_t)(number + 1)};
  if (pairs[number].ed.secret[0] == 0)
    sc_keypair_from_seed(&pairs[number], seed);
  return &pairs[number];
}

static bool begin_person(group *g, unsigned number) {
  world *w = g->w;
  person *p = &g->people[number];
  const sc_bytes none = sc_bytes_make(NULL, 0);
  *p = (person){.number = number, .pair = *pair_of(number), .admin = number < w->plan->admins};
  sc_id_make(&p->id, SC_ID_STANDARD, p->pair.x.public_key);
  const sc_ed25519_pair *admin = p->admin ? &w->who->group.ed : NULL;
  WORKS(sc_group_keys_new(&p->keys, &w->memory.env, &p->pair, &w->who->group_id, admin, none));
  WORKS(sc_group_members_new(&p->members, &w->memory.env, &w->who->group_id, admin, none));
  return true;
}

/* All but late joiners. */
static bool create(group *g) {
  world *w = g->w;
  unsigned late = 1 + w->plan->end % 2;
  draws from = draws_from(w->plan->end);
  for (unsigned i = 0; i + late < g->count; i++) {
    sc_group_member member;
    sc_group_member_init(&member, &g->people[i].id);
    member.admin = g->people[i].admin;
    member.invite = SC_GROUP_ACCEPTED;
    WORKS(sc_group_members_set(g->people[0].members, &member));
  }
  if (!group_rekey(g, &g->people[0]) || !group_push(g, &g->people[0], fate_arrives))
    return false;
  for (unsigned i = 0; i < w->plan->admins; i++)
    if (!group_sync(g, &g->people[i], &from, true))
      return false;
  return true;
}

static bool begin(group *g, world *w) {
  g->w = w;
  g->count = w->plan->devices;
  g->key_count = g->key_message_count = g->written_count = 0;
  g->lost = false;
  swarm_begin(&g->documents, &w->memory.env);
  memset(g->people, 0, sizeof g->people);
  for (unsigned i = 0; i < g->count; i++)
    if (!begin_person(g, i))
      return false;
  return create(g);
}

static void end(group *g) {
  for (unsigned i = 0; i < g->count; i++) {
    sc_group_keys_free(g->people[i].keys);
    sc_group_members_free(g->people[i].members);
  }
  for (size_t i = 0; i < g->key_message_count; i++)
    sc_buffer_free(&g->key_messages[i].bytes);
  for (size_t i = 0; i < g->written_count; i++)
    sc_buffer_free(&g->written[i].sealed);
  swarm_end(&g->documents);
}

/* Steps */

static void lose(group *g, draws *from) {
  key_message *message = &g->key_messages[draw_below(from, (uint32_t)g->key_message_count)];
  message->there = false;
  g->lost = true;
}

static bool take_step(group *g, const step *s) {
  draws from = draws_from(s->choices);
  person *p = &g->people[s->device];
  person *admin = p->admin ? p : &g->people[0];
  person *other = &g->people[draw_below(&from, g->count)];
  switch (s->verb) {
  case do_invite:
    return group_invite(g, admin, other, draw_one_in(&from, 2));
  case do_remove:
    return group_remove(g, admin, other, draw_one_in(&from, 3));
  case do_promote:
    return group_promote(g, admin, other);
  case do_rekey:
    return group_rekey(g, admin);
  case do_push:
    return group_push(g, admin, fate_of(s));
  case do_sync:
    return group_sync(g, p, &from, !draw_one_in(&from, 3));
  case do_write:
    return group_write(g, p);
  case do_restart:
    return group_restart(g, p);
  case do_lose:
    lose(g, &from);
    return true;
  case do_wait:
    g->w->now_ms += (uint64_t)(1 + draw_below(&from, 30)) * 86400000;
    return true;
  default:
    return world_flaw(g->w, "a group takes no such step");
  }
}

/* Ending */

/* Members marked as removed are erased, and so locked out. */
static bool purge(group *g, person *admin) {
  sc_group_member member;
  for (unsigned i = 0; i < g->count; i++) {
    person *who = &g->people[i];
    if (sc_group_members_get(&member, admin->members, &who->id) == SC_OK &&
        member.removal != SC_GROUP_STAYS && !group_remove(g, admin, who, false))
      return false;
  }
  return true;
}

static bool go_round(group *g, draws *from, bool *busy) {
  size_t order[most_people];
  unsigned count = g->count - (g->w->planted ? 1 : 0);
  draw_order(order, count, from);
  for (unsigned i = 0; i < count; i++) {
    person *p = &g->people[order[i]];
    uint64_t version = sc_group_keys_version(p->keys);
    if (!group_sync(g, p, from, true) || (p->admin && !purge(g, p)))
      return false;
    *busy = *busy || group_needs_push(p) || version != sc_group_keys_version(p->keys);
    if (!group_push(g, p, fate_arrives) || !group_tidy(g, p))
      return false;
    g->w->now_ms += 1000;
  }
  return true;
}

static bool go_on(group *g, draws *from) {
  world *w = g->w;
  bool busy = true;
  unsigned rounds = 0;
  for (; busy; rounds++) {
    HOLDS(rounds < most_rounds, "admins still push to each other after %d rounds", most_rounds);
    busy = false;
    if (!go_round(g, from, &busy))
      return false;
  }
  w->settled = rounds > w->settled ? rounds : w->settled;
  return true;
}

static bool same_documents(group *g, const person *p) {
  world *w = g->w;
  sc_buffer expected, actual;
  sc_buffer_init(&expected, &w->memory.env);
  sc_buffer_init(&actual, &w->memory.env);
  sc_status status = group_members_kind.describe(&expected, g->people[0].members);
  if (status == SC_OK)
    status = group_members_kind.describe(&actual, p->members);
  bool same = sc_bytes_same(sc_buffer_bytes(&expected), sc_buffer_bytes(&actual));
  sc_buffer_free(&expected);
  sc_buffer_free(&actual);
  WORKS(status);
  HOLDS(same, "person %u knows other members in the end", p->number);
  return true;
}

/* A client with only the newest key knows the members after a poll; unless only one admin has that key,
 * because a message got lost. */
static bool check_newcomer(group *g, draws *from) {
  world *w = g->w;
  person newcomer = {.number = most_people};
  sc_group_key_list list = sc_group_keys_list(g->people[0].keys);
  WORKS(sc_group_members_new(&newcomer.members, &w->memory.env, &w->who->group_id, NULL,
                             sc_bytes_make(NULL, 0)));
  sc_status status = sc_config_replace_keys(sc_group_members_config(newcomer.members), list.keys, 1, false);
  newcomer.ring.count = 1;
  newcomer.ring.keys[0].key = 0;
  while (status == SC_OK &&
         memcmp(g->keys[newcomer.ring.keys[0].key].bytes, list.keys[0].ptr, SC_KEY_BYTES) != 0)
    newcomer.ring.keys[0].key++;
  bool holds =
      status == SC_OK && group_merge_members(g, &newcomer, from, true) && same_documents(g, &newcomer);
  sc_group_members_free(newcomer.members);
  WORKS(status);
  return holds;
}

/* A final key for exactly the members at that time. What one admin stored under a lost key becomes visible
 * only with the next key, so this may take more than one. */
static bool close_group(group *g, draws *from) {
  world *w = g->w;
  for (int i = 0; i < most_closings; i++) {
    unsigned people = group_members_of(g, &g->people[0]);
    if (!group_rekey(g, &g->people[0]) || !group_push(g, &g->people[0], fate_arrives) || !go_on(g, from))
      return false;
    if (people == group_members_of(g, &g->people[0]))
      return true;
  }
  return world_flaw(w, "who is in the group is not settled after %d keys", most_closings);
}

static bool same_keys(group *g, const person *p) {
  world *w = g->w;
  sc_group_key_list expected = sc_group_keys_list(g->people[0].keys), actual = sc_group_keys_list(p->keys);
  HOLDS(expected.count == actual.count, "admins have %zu and %zu keys in the end", expected.count,
        actual.count);
  for (size_t i = 0; i < actual.count; i++)
    HOLDS(sc_bytes_same(expected.keys[i], actual.keys[i]), "admins have other keys in the end");
  return true;
}

/* Exactly the members and admins read new messages. */
static bool check_last(group *g) {
  world *w = g->w;
  unsigned people = group_members_of(g, &g->people[0]);
  const size_t last = g->written_count < most_written ? g->written_count : most_written - 1;
  if (last < g->written_count)
    sc_buffer_free(&g->written[--g->written_count].sealed);
  if (!group_write(g, &g->people[0]))
    return false;
  for (unsigned i = 0; i < g->count; i++) {
    const person *p = &g->people[i];
    bool is_in = p->admin || (people >> i & 1) != 0;
    HOLDS(model_has(p, g->written[last].key) == is_in, "person %u, who is %s the group, %s its last key", i,
          is_in ? "in" : "not in", is_in ? "has not" : "has");
    HOLDS(sc_group_keys_pending(p->keys).len == 0 && !sc_group_keys_needs_rekey(p->keys),
          "person %u is not done in the end", i);
    if (is_in && !same_documents(g, p))
      return false;
    if (p->admin && !g->lost && !same_keys(g, p))
      return false;
  }
  return group_check_readers(g);
}

const kind group_keys_kind = {.name = "group_keys", .administration = true};

bool group_run(world *w, const parties *who, const schedule *plan) {
  group *g = &the_group;
  draws from = draws_from(plan->end);
  w->who = who;
  w->plan = plan;
  w->now_ms = 1700000000000;
  w->flaw[0] = '\0';
  sc_test_env_init(&w->memory, 1 + plan->end);
  bool holds = begin(g, w);
  for (size_t i = 0; i < plan->count && holds; i++) {
    world_say(w, "  %zu: %s, person %u", i, verb_name(plan->steps[i].verb), plan->steps[i].device);
    holds = take_step(g, &plan->steps[i]) && (i % 4 != 0 || group_check_readers(g));
    w->now_ms += 1000;
  }
  world_say(w, "  at the end");
  holds = holds && go_on(g, &from) && (g->lost || check_newcomer(g, &from)) && close_group(g, &from) &&
          check_newcomer(g, &from) && check_last(g);
  end(g);
  HOLDS(!holds || w->memory.live == 0, "%zu allocations were not given back", w->memory.live);
  return holds;
}
