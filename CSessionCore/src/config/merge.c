/* Merging replays the changes of all messages, and of the revisions they look back to, in an order that is
 * the same on all devices: by seqno, then by hash. Of two changes of one value the later in that order wins.
 */
#include "../base/sort.h"
#include "diff.h"
#include "message.h"

/* A revision that one of the messages is, or looks back to. */
typedef struct revision {
  int64_t seqno;
  const uint8_t *hash;
  const sc_config_message *message;
  sc_slice diff;
  size_t rank; /* among those of one id, the least is used */
  bool own;    /* it is the message itself */
} revision;

typedef struct revisions {
  revision *items;
  size_t count;
} revisions;

static int compare_ids(const revision *a, const revision *b) {
  if (a->seqno != b->seqno)
    return a->seqno < b->seqno ? -1 : 1;
  return memcmp(a->hash, b->hash, SC_CONFIG_HASH_BYTES);
}

static bool comes_before(const revision *a, const revision *b) {
  int order = compare_ids(a, b);
  if (order == 0 && a->own != b->own)
    return b->own;
  return order != 0 ? order < 0 : a->rank < b->rank;
}

static int order_revisions(const void *left, const void *right) {
  return comes_before(left, right) ? -1 : 1;
}

static void sort(revisions *all) {
  sc_sort(all->items, all->count, sizeof *all->items, order_revisions);
}

static void add_message(revisions *to, const sc_config_message *message, size_t rank) {
  to->items[to->count++] = (revision){message->seqno, message->hash, message, message->diff, rank, true};
}

static void add_earlier(revisions *to, const sc_config_message *message, size_t rank) {
  for (size_t i = 0; i < message->lagged_count; i++) {
    const sc_config_earlier *earlier = &message->lagged[i];
    to->items[to->count++] = (revision){earlier->seqno, earlier->hash, message, earlier->diff, rank, false};
  }
}

static bool begins_id(const revisions *sorted, size_t index) {
  return index == 0 || compare_ids(&sorted->items[index - 1], &sorted->items[index]) != 0;
}

/* The messages that no other one looks back to, each once, without those that are too old to be looked back
 * to at all; in ascending order. Of `all` nothing else is left. */
static void keep_heads(revisions *all, const sc_config_rules *rules) {
  size_t kept = 0;
  int64_t newest = 0;
  sort(all);
  for (size_t i = 0; i < all->count; i++)
    if (all->items[i].own)
      newest = all->items[i].seqno;
  for (size_t i = 0; i < all->count; i++)
    if (all->items[i].own && begins_id(all, i) && sc_config_looks_back(rules, newest, all->items[i].seqno))
      all->items[kept++] = all->items[i];
  all->count = kept;
}

static sc_status make_revisions(revisions *out, const sc_env *env, size_t messages, size_t earlier) {
  size_t count = messages + earlier;
  *out = (revisions){0};
  if (count > SIZE_MAX / sizeof(revision))
    return SC_ERR_NO_MEMORY;
  out->items = sc_allocate(env, count * sizeof(revision));
  return out->items == NULL ? SC_ERR_NO_MEMORY : SC_OK;
}

/* Everything the heads carry, those of the greatest id first. */
static sc_status collect_changes(revisions *out, const sc_env *env, const revisions *heads) {
  size_t earlier = 0;
  for (size_t i = 0; i < heads->count; i++)
    earlier += heads->items[i].message->lagged_count;
  sc_status status = make_revisions(out, env, heads->count, earlier);
  for (size_t rank = 0; rank < heads->count && status == SC_OK; rank++) {
    const sc_config_message *head = heads->items[heads->count - 1 - rank].message;
    add_message(out, head, rank);
    add_earlier(out, head, rank);
  }
  return status;
}

/* Leaves the first of each id, in ascending order. */
static void keep_distinct(revisions *all) {
  size_t kept = 0;
  sort(all);
  for (size_t i = 0; i < all->count; i++)
    if (begins_id(all, i))
      all->items[kept++] = all->items[i];
  all->count = kept;
}

static sc_status replay(sc_config_message *result, const revisions *changes) {
  size_t too_many = changes->count > SC_CONFIG_MAX_LAGGED ? changes->count - SC_CONFIG_MAX_LAGGED : 0;
  sc_status status = sc_config_message_expect_earlier(result, changes->count - too_many);
  for (size_t i = 0; i < changes->count && status == SC_OK; i++) {
    const revision *change = &changes->items[i];
    status = sc_config_diff_apply(&result->data, result->env, change->diff.bytes, change->message->data);
    if (i >= too_many && status == SC_OK)
      sc_config_message_add_earlier(result, change->seqno, change->hash, change->diff);
  }
  return status;
}

static sc_status resolve(sc_config_message **out, const revisions *heads) {
  const sc_config_message *greatest = heads->items[heads->count - 1].message;
  sc_config_message *result = NULL;
  revisions changes = {0};
  int64_t seqno;
  sc_status status = sc_config_next_seqno(&seqno, greatest->seqno);
  if (status == SC_OK)
    status = sc_config_message_begin(&result, greatest->env, seqno);
  if (status == SC_OK)
    status = collect_changes(&changes, greatest->env, heads);
  if (status == SC_OK) {
    keep_distinct(&changes);
    result->data = sc_config_tree_keep(greatest->data);
    status = replay(result, &changes);
  }
  sc_release(greatest->env, changes.items);
  if (status == SC_OK)
    *out = result;
  else
    sc_config_message_free(result);
  return status;
}

/* Without a signer, or after the last seqno, no new message can be made. */
static bool chooses(const revisions *heads, const sc_config_rules *rules) {
  const revision *greatest = &heads->items[heads->count - 1];
  bool read_only = rules->verifier != NULL && rules->signer == NULL;
  return heads->count == 1 || read_only || greatest->seqno == SC_CONFIG_MAX_SEQNO;
}

/* The environment they were made with, or why they cannot be merged. */
static sc_status check_messages(const sc_env **env, const sc_config_message *const *messages, size_t count) {
  sc_status status = SC_ERR_CONFIG_NONE;
  for (size_t i = 0; i < count; i++) {
    if (messages[i] == NULL)
      continue;
    if (messages[i]->editable)
      return SC_ERR_STATE;
    *env = messages[i]->env;
    status = SC_OK;
  }
  return status;
}

static sc_status find_heads(revisions *out, const sc_env *env, const sc_config_message *const *messages,
                            size_t count, const sc_config_rules *rules) {
  size_t earlier = 0;
  for (size_t i = 0; i < count; i++)
    earlier += messages[i] == NULL ? 0 : messages[i]->lagged_count;
  sc_status status = make_revisions(out, env, count, earlier);
  if (status != SC_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    if (messages[i] == NULL)
      continue;
    add_message(out, messages[i], i);
    add_earlier(out, messages[i], i);
  }
  keep_heads(out, rules);
  return SC_OK;
}

sc_status sc_config_message_merge_to_reopen(sc_config_message **out, sc_config_merged *how,
                                            const sc_config_message *const *messages, size_t count,
                                            const sc_config_rules *rules) {
  const sc_env *env = NULL;
  revisions heads = {0};
  *out = NULL;
  *how = (sc_config_merged){0};
  rules = sc_config_rules_or_default(rules);
  sc_status status = check_messages(&env, messages, count);
  if (status == SC_OK)
    status = find_heads(&heads, env, messages, count, rules);
  if (status == SC_OK && chooses(&heads, rules)) {
    how->chosen = heads.items[heads.count - 1].rank;
    status = sc_config_message_share(out, messages[how->chosen]);
  } else if (status == SC_OK) {
    how->resolved = true;
    status = resolve(out, &heads);
  }
  sc_release(env, heads.items);
  return status;
}

sc_status sc_config_message_merge(sc_config_message **out, sc_config_merged *how,
                                  const sc_config_message *const *messages, size_t count,
                                  const sc_config_rules *rules) {
  sc_status status = sc_config_message_merge_to_reopen(out, how, messages, count, rules);
  if (status == SC_OK && how->resolved)
    status = sc_config_message_rehash(*out, rules);
  if (status != SC_OK) {
    sc_config_message_free(*out);
    *out = NULL;
  }
  return status;
}
