/* The guards of a client change only by the few rules that say so, whatever nodes write or do: each change is
 * one that the client tells, for a reason that holds. */
#include "flaw.h"
#include "oracle.h"
#include "world.h"

static const uint64_t day = 24 * 3600 * SIM_SECOND;

enum { most_sampled = 6 };

typedef struct changes {
  sc_network_change list[SC_NETWORK_MAX_CHANGES]; /* since the last look */
  size_t count;
} changes;

static const sc_network_guard *find(const sc_network_guard *list, size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(list[i].node.key, key, SC_KEY_BYTES) == 0)
      return &list[i];
  return NULL;
}

/* False if there were more than a client remembers. */
static bool take_changes(changes *out, known_guards *known, const client *c) {
  sc_network_change list[SC_NETWORK_MAX_CHANGES];
  size_t count = sc_network_changes(list, SC_NETWORK_MAX_CHANGES, c->network);
  uint64_t newest = count > 0 ? list[0].number : 0, before = known->changes;
  out->count = 0;
  for (size_t i = 0; i < count && list[i].number > before; i++)
    out->list[out->count++] = list[i];
  known->changes = newest;
  return newest - before <= SC_NETWORK_MAX_CHANGES;
}

static const sc_network_change *told(const changes *all, sc_network_change_kind kind, const uint8_t *key) {
  for (size_t i = 0; i < all->count; i++)
    if (all->list[i].kind == kind && memcmp(all->list[i].node, key, SC_KEY_BYTES) == 0)
      return &all->list[i];
  return NULL;
}

static bool may_move(const changes *all, const sc_network_guard *before, const sc_network_guard *now) {
  const uint8_t *key = now->node.key;
  bool is_back = before->is_set_back && !now->is_set_back;
  return is_back || told(all, SC_NETWORK_GUARD_CONFIRMED, key) || told(all, SC_NETWORK_GUARD_SET_BACK, key) ||
         told(all, SC_NETWORK_GUARD_LISTED, key) || told(all, SC_NETWORK_GUARD_UNLISTED, key);
}

/* Of each two guards, the one that came first still does, or one of them may have moved. */
static void check_order(const client *c, const known_guards *known, const sc_network_guard *now, size_t count,
                        const changes *all) {
  for (size_t i = 0; i < known->count; i++)
    for (size_t k = i + 1; k < known->count; k++) {
      const sc_network_guard *first = find(now, count, known->list[i].node.key);
      const sc_network_guard *second = find(now, count, known->list[k].node.key);
      if (first != NULL && second != NULL && first > second && !may_move(all, &known->list[i], first) &&
          !may_move(all, &known->list[k], second))
        oracle_break(c->world, "client %u changes the order of its guards %zu and %zu without a reason",
                     c->index, i + 1, k + 1);
    }
}

/* At its end, or a week after it was in the last list. */
static void check_lost(const client *c, const sc_network_guard *guard, const changes *all) {
  const sc_network_change *change = told(all, SC_NETWORK_GUARD_LEFT, guard->node.key);
  bool is_over = sc_day_of(client_wall(c)) >= guard->end_day;
  bool is_right = change != NULL && ((change->reason == SC_NETWORK_REASON_AGE && is_over) ||
                                     (change->reason == SC_NETWORK_REASON_LISTS && !guard->is_listed));
  if (!is_right)
    oracle_break(c->world, "client %u has lost a guard without a reason", c->index);
}

static bool is_for_need(const sc_network_change *change) {
  return change->reason == SC_NETWORK_REASON_NEED;
}

/* At first there are six; later, one in a day for need, and one for each that reached its end. */
static void check_new(const client *c, known_guards *known, const sc_network_guard *guard,
                      const changes *all) {
  const uint64_t now = c->world->agenda.now;
  const sc_network_change *change = told(all, SC_NETWORK_GUARD_DRAWN, guard->node.key);
  if (known->count == 0)
    return;
  bool is_early =
      change != NULL && is_for_need(change) && known->grown_at != 0 && now - known->grown_at < day;
  if (change == NULL || change->reason == SC_NETWORK_REASON_START || is_early)
    oracle_break(c->world, "client %u has another guard without a reason", c->index);
  else if (is_for_need(change))
    known->grown_at = now;
}

static void check_setbacks(const client *c, known_guards *known, const changes *all) {
  const uint64_t now = c->world->agenda.now;
  for (size_t i = 0; i < all->count; i++) {
    if (all->list[i].kind != SC_NETWORK_GUARD_SET_BACK)
      continue;
    if (known->set_back_at != 0 && now - known->set_back_at < 6 * day)
      oracle_break(c->world, "client %u sets back two guards in a week", c->index);
    known->set_back_at = now;
  }
}

void oracle_check_guards(const client *c) {
  sc_network_guard list[SC_NETWORK_MAX_GUARDS];
  known_guards *known = &c->world->oracle.known_guards[c->index];
  changes all;
  if (plan_is_small(&c->world->plan))
    return;
  size_t count = sc_network_guards(list, SC_NETWORK_MAX_GUARDS, c->network);
  flaw_guards(c, list, count);
  if (known->count == 0 && count > most_sampled)
    oracle_break(c->world, "client %u begins with %zu guards", c->index, count);
  if (take_changes(&all, known, c)) {
    check_order(c, known, list, count, &all);
    for (size_t i = 0; i < known->count; i++)
      if (find(list, count, known->list[i].node.key) == NULL)
        check_lost(c, &known->list[i], &all);
    for (size_t i = 0; i < count; i++)
      if (find(known->list, known->count, list[i].node.key) == NULL)
        check_new(c, known, &list[i], &all);
    check_setbacks(c, known, &all);
  }
  known->count = count;
  memcpy(known->list, list, count * sizeof list[0]);
}

void oracle_forget_changes(const client *c) {
  c->world->oracle.known_guards[c->index].changes = 0;
}
