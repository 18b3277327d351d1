#include "moved.h"

#include "../moment.h"
#include "session-core/network/node_options.h"

static const uint64_t minute = 60 * SC_NODE_SECOND;
static const uint64_t most_hold = 15 * 60 * SC_NODE_SECOND;
static const uint64_t hint_life = 600 * SC_NODE_SECOND;

static size_t place_of(const sc_moved *moved, const sc_swarm_key *key) {
  size_t place = 0;
  while (place < sc_moved_most &&
         !(moved->list[place].is_used && sc_swarm_key_same(&moved->list[place].key, key)))
    place++;
  return place;
}

static const sc_moved_account *look_up(const sc_moved *moved, const sc_swarm_key *key) {
  size_t place = place_of(moved, key);
  return place < sc_moved_most ? &moved->list[place] : NULL;
}

static sc_moved_account *find(sc_moved *moved, const sc_swarm_key *key) {
  size_t place = place_of(moved, key);
  return place < sc_moved_most ? &moved->list[place] : NULL;
}

static sc_moved_account *obtain(sc_moved *moved, const sc_swarm_key *key, uint64_t now) {
  sc_moved_account *account = find(moved, key);
  if (account == NULL) {
    account = &moved->list[0];
    for (size_t i = 1; i < sc_moved_most && account->is_used; i++)
      if (!moved->list[i].is_used || moved->list[i].told_at < account->told_at)
        account = &moved->list[i];
    *account = (sc_moved_account){.is_used = true, .key = *key};
  }
  account->told_at = now;
  return account;
}

static void forget_refusals(sc_moved_account *account) {
  memset(account->refusals, 0, sizeof account->refusals);
  account->refusal_count = 0;
}

void sc_moved_take_list(sc_moved *moved) {
  for (size_t i = 0; i < sc_moved_most; i++) {
    sc_moved_account *account = &moved->list[i];
    account->was_refreshed |= account->refusal_count > 0;
    account->hint_until = 0;
    forget_refusals(account);
  }
}

static void begin_rest(sc_moved_account *account, uint64_t now) {
  uint64_t next = 2 * account->hold;
  account->hold = account->hold == 0 ? minute : next < most_hold ? next : most_hold;
  account->held_until = sc_later(now, account->hold);
}

void sc_moved_note_refusal(sc_moved *moved, const sc_swarm_key *key, size_t place, size_t members,
                           uint64_t now) {
  enum { bits = 8 };
  sc_moved_account *account = obtain(moved, key, now);
  uint8_t bit = (uint8_t)(1U << place % bits);
  if ((account->refusals[place / bits] & bit) == 0)
    account->refusal_count++;
  account->refusals[place / bits] |= bit;
  if (account->hold == 0 && account->was_refreshed && account->refusal_count >= members)
    begin_rest(account, now);
}

void sc_moved_note_refreshed(sc_moved *moved, const sc_swarm_key *key) {
  sc_moved_account *account = find(moved, key);
  if (account != NULL)
    account->was_refreshed = true;
}

void sc_moved_note_end(sc_moved *moved, const sc_swarm_key *key, uint64_t now) {
  sc_moved_account *account = find(moved, key);
  if (account != NULL && account->hold > 0 && account->held_until <= now)
    begin_rest(account, now);
}

void sc_moved_note_kept(sc_moved *moved, const sc_swarm_key *key) {
  sc_moved_account *account = find(moved, key);
  if (account == NULL)
    return;
  forget_refusals(account);
  account->was_refreshed = false;
  account->hold = account->held_until = 0;
}

bool sc_moved_is_held(const sc_moved *moved, const sc_swarm_key *key, uint64_t now) {
  const sc_moved_account *account = look_up(moved, key);
  return account != NULL && account->held_until > now;
}

void sc_moved_keep_hint(sc_moved *moved, const sc_swarm_key *key, uint64_t hint, uint64_t now) {
  sc_moved_account *account = obtain(moved, key, now);
  account->hint = hint;
  account->hint_until = sc_later(now, hint_life);
  account->was_followed = true;
}

bool sc_moved_hint(uint64_t *out, const sc_moved *moved, const sc_swarm_key *key, uint64_t now) {
  const sc_moved_account *account = look_up(moved, key);
  if (account == NULL || account->hint_until <= now)
    return false;
  *out = account->hint;
  return true;
}

bool sc_moved_is_turn(const sc_moved *moved, const sc_swarm_key *key) {
  const sc_moved_account *account = look_up(moved, key);
  return account != NULL && !account->was_followed;
}

void sc_moved_note_read(sc_moved *moved, const sc_swarm_key *key, bool followed) {
  sc_moved_account *account = find(moved, key);
  if (account != NULL)
    account->was_followed = followed;
}
