#include "config/walk.h"

#include "config/data.h"
#include "revision.h"

/* Both hold a dict `c` of some size; one has changed since. */
typedef struct states {
  sc_config_node *before;
  sc_config_node *after;
} states;

static void drop_states(const sc_env *env, states *both) {
  sc_config_tree_drop(env, both->before);
  sc_config_tree_drop(env, both->after);
}

static sc_status put(sc_config_node **data, const sc_env *env, size_t number, int64_t value) {
  uint8_t key[2] = {(uint8_t)(number >> 8), (uint8_t)number};
  sc_bytes keys[] = {SC_BYTES(key)};
  return sc_config_data_edit(data, env, SC_CONFIG_PUT, (sc_config_path){keys, 1}, sc_config_integer(value));
}

static sc_status erase(sc_config_node **data, const sc_env *env, size_t number) {
  uint8_t key[2] = {(uint8_t)(number >> 8), (uint8_t)number};
  sc_bytes keys[] = {SC_BYTES(key)};
  return sc_config_data_edit(data, env, SC_CONFIG_ERASE, (sc_config_path){keys, 1}, sc_config_integer(0));
}

static size_t number_of(const sc_config_entry *entry) {
  sc_bytes key = sc_encoded_scalar(entry->key).string;
  return (size_t)key.ptr[0] << 8 | key.ptr[1];
}

static sc_status make_states(states *out, const sc_env *env, size_t count) {
  sc_status status = SC_OK;
  *out = (states){0};
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = put(&out->before, env, i, 1);
  out->after = sc_config_tree_keep(out->before);
  return status;
}

static void equal_states_have_no_differences(sc_test *t) {
  states both;
  sc_config_walk left, right;
  OK(make_states(&both, t->env, 50));
  sc_config_walk_tree(&left, both.before);
  sc_config_walk_tree(&right, both.after);
  CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_NEITHER);
  CHECK(sc_config_walk_at(&left) == NULL && sc_config_walk_at(&right) == NULL);
  sc_config_walk_next(&left);
  CHECK(sc_config_walk_at(&left) == NULL);
done:
  drop_states(t->env, &both);
}

static void every_difference_is_visited_once_in_order(sc_test *t) {
  static const struct {
    size_t number;
    sc_config_side side;
  } expected[] = {{0, SC_CONFIG_LEFT},  {1, SC_CONFIG_BOTH},    {2, SC_CONFIG_LEFT},   {40, SC_CONFIG_BOTH},
                  {80, SC_CONFIG_LEFT}, {200, SC_CONFIG_RIGHT}, {201, SC_CONFIG_RIGHT}};
  size_t count = t->torture ? 100 : 200;
  states both;
  sc_config_walk left, right;
  OK(make_states(&both, t->env, count));
  OK(erase(&both.after, t->env, 0));
  OK(put(&both.after, t->env, 1, 2));
  OK(erase(&both.after, t->env, 2));
  OK(put(&both.after, t->env, 40, 2));
  OK(erase(&both.after, t->env, 80));
  OK(put(&both.after, t->env, 200, 1));
  OK(put(&both.after, t->env, 201, 1));
  sc_config_walk_tree(&left, both.before);
  sc_config_walk_tree(&right, both.after);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    sc_config_side side = sc_config_walk_difference(&left, &right);
    CHECK(side == expected[i].side);
    sc_config_walk *walk = side == SC_CONFIG_RIGHT ? &right : &left;
    CHECK(number_of(sc_config_walk_at(walk)) == expected[i].number);
    sc_config_walk_next(walk);
    if (side == SC_CONFIG_BOTH)
      sc_config_walk_next(&right);
  }
  CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_NEITHER);
done:
  drop_states(t->env, &both);
}

/* A state and nothing, and a state whose first half is gone. */
static void whole_ranges_may_exist_on_one_side_only(sc_test *t) {
  size_t count = t->torture ? 40 : 2000;
  states both;
  sc_config_walk left, right;
  OK(make_states(&both, t->env, count));
  sc_config_walk_tree(&left, NULL);
  sc_config_walk_tree(&right, both.after);
  for (size_t i = 0; i < count; i++, sc_config_walk_next(&right)) {
    CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_RIGHT);
    CHECK(number_of(sc_config_walk_at(&right)) == i);
  }
  CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_NEITHER);
  for (size_t i = 0; i < count / 2; i++)
    OK(erase(&both.after, t->env, i));
  sc_config_walk_tree(&left, both.before);
  sc_config_walk_tree(&right, both.after);
  for (size_t i = 0; i < count / 2; i++, sc_config_walk_next(&left))
    CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_LEFT);
  CHECK(sc_config_walk_difference(&left, &right) == SC_CONFIG_NEITHER);
done:
  drop_states(t->env, &both);
}

static void bytes_and_trees_are_walked_alike(sc_test *t) {
  sc_slice slice = {0};
  sc_config_node *tree = NULL;
  sc_config_walk bytes, nodes;
  OK(sc_slice_copy(&slice, t->env, sc_bytes_text("d1:ai1e1:b1:x1:cd1:di2eee")));
  OK(sc_config_tree_index(&tree, t->env, slice.owner, slice.bytes));
  sc_config_entry entry = {.owner = slice.owner, .value = slice.bytes};
  sc_config_walk_entry(&bytes, &entry);
  sc_config_walk_tree(&nodes, tree);
  for (int i = 0; i < 3; i++) {
    SAME(sc_config_walk_at(&nodes)->key, sc_config_walk_at(&bytes)->key);
    SAME(sc_config_walk_at(&nodes)->value, sc_config_walk_at(&bytes)->value);
    sc_config_walk_next(&bytes);
    sc_config_walk_next(&nodes);
  }
  CHECK(sc_config_walk_at(&bytes) == NULL && sc_config_walk_at(&nodes) == NULL);
  sc_config_walk_entry(&bytes, &entry);
  sc_config_walk_tree(&nodes, tree);
  CHECK(sc_config_walk_difference(&bytes, &nodes) == SC_CONFIG_NEITHER);
  sc_config_walk_entry(&bytes, NULL);
  CHECK(sc_config_walk_at(&bytes) == NULL);
done:
  sc_config_tree_drop(t->env, tree);
  sc_shared_drop(t->env, slice.owner);
}

static void set_members_are_visited_as_keys_without_values(sc_test *t) {
  sc_config_entry entry = {.value = sc_bytes_text("li-1ei2e1:ae")};
  sc_config_walk walk;
  sc_config_walk_entry(&walk, &entry);
  static const char *const members[] = {"i-1e", "i2e", "1:a"};
  for (int i = 0; i < 3; i++, sc_config_walk_next(&walk)) {
    SAME(sc_bytes_text(members[i]), sc_config_walk_at(&walk)->key);
    CHECK(sc_config_walk_at(&walk)->value.len == 0);
  }
  CHECK(sc_config_walk_at(&walk) == NULL);
done:;
}

static bool is_at(const sc_config_entry *entry, const char *key) {
  return entry != NULL && sc_bytes_same(sc_encoded_scalar(entry->key).string, sc_bytes_text(key));
}

/* A walk through `a`, `c` and `e`, to existing and missing keys. */
static void a_walk_can_seek_to_a_key(sc_test *t) {
  sc_slice slice = {0};
  sc_config_node *tree = NULL;
  OK(sc_slice_copy(&slice, t->env, sc_bytes_text("d1:ai1e1:ci2e1:ei3ee")));
  OK(sc_config_tree_index(&tree, t->env, slice.owner, slice.bytes));
  sc_config_entry flat = {.owner = slice.owner, .value = slice.bytes};
  for (size_t i = 0; i < 2; i++) {
    sc_config_walk walk;
    if (i == 0)
      sc_config_walk_entry(&walk, &flat);
    else
      sc_config_walk_tree(&walk, tree);
    CHECK(is_at(sc_config_walk_to(&walk, TEXT("a")), "a"));
    CHECK(is_at(sc_config_walk_to(&walk, TEXT("a")), "a"));
    CHECK(sc_config_walk_to(&walk, TEXT("b")) == NULL);
    CHECK(is_at(sc_config_walk_at(&walk), "c"));
    CHECK(is_at(sc_config_walk_to(&walk, TEXT("e")), "e"));
    CHECK(sc_config_walk_to(&walk, TEXT("a")) == NULL);
    CHECK(sc_config_walk_to(&walk, TEXT("f")) == NULL);
    CHECK(sc_config_walk_at(&walk) == NULL && sc_config_walk_to(&walk, TEXT("f")) == NULL);
  }
done:
  sc_config_tree_drop(t->env, tree);
  sc_shared_drop(t->env, slice.owner);
}

SUITE(config_walk, "config/walk", {"equal states have no differences", equal_states_have_no_differences},
      {"every difference is visited once, in order", every_difference_is_visited_once_in_order},
      {"whole ranges may exist on one side only", whole_ranges_may_exist_on_one_side_only},
      {"bytes and trees are walked alike", bytes_and_trees_are_walked_alike},
      {"set members are visited as keys without values", set_members_are_visited_as_keys_without_values},
      {"a walk can seek to a key", a_walk_can_seek_to_a_key});
