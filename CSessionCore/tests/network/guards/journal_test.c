/* The journal of changes of guards and middles. */
#include "network/guards/journal.h"

#include "network/nodes/crowd.h"
#include "network/paths/ways.h"

static void the_newest_changes_are_listed_first(sc_test *t) {
  const uint8_t key[SC_KEY_BYTES] = {7};
  sc_network_change list[SC_NETWORK_MAX_CHANGES];
  sc_journal journal = {0};
  CHECK(sc_journal_list(list, SC_NETWORK_MAX_CHANGES, &journal) == 0);
  for (uint64_t i = 1; i <= SC_NETWORK_MAX_CHANGES + 3; i++)
    sc_journal_note(&journal, 1000 * i, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_NEED, key);
  CHECK(sc_journal_list(list, 2, &journal) == SC_NETWORK_MAX_CHANGES);
  CHECK(list[0].number == SC_NETWORK_MAX_CHANGES + 3 && list[1].number == SC_NETWORK_MAX_CHANGES + 2);
  CHECK(sc_journal_list(list, SC_NETWORK_MAX_CHANGES, &journal) == SC_NETWORK_MAX_CHANGES);
  CHECK(list[SC_NETWORK_MAX_CHANGES - 1].number == 4 && list[SC_NETWORK_MAX_CHANGES - 1].time == 4000);
  CHECK(list[0].node[0] == 7 && list[0].reason == SC_NETWORK_REASON_NEED);
done:;
}

typedef struct samples {
  sc_sample before, after;
  sc_node_pool pool;
} samples;

static sc_guard guard(uint8_t number, sc_day unlisted) {
  return (sc_guard){.key = {number}, .unlisted = unlisted};
}

static bool is_told(const sc_journal *journal, sc_network_change_kind kind, sc_network_change_reason reason,
                    uint8_t number) {
  for (size_t i = 0; i < journal->count; i++) {
    const sc_network_change *change = &journal->list[i];
    if (change->kind == kind && change->reason == reason && change->node[0] == number)
      return true;
  }
  return false;
}

/* One guard left at its end, one because lists lacked it; two came, and two were lost from the lists or found
 * there again. */
static void each_difference_has_its_reason(sc_test *t) {
  const samples s = {
      .before = {.guards = {guard(1, 0), guard(2, 9), guard(3, 0), guard(4, 9)}, .count = 4},
      .after = {.guards = {guard(3, 19), guard(4, 0), guard(5, 0), guard(6, 0)}, .count = 4},
  };
  const sc_journal_cause cause = {.drawn = SC_NETWORK_REASON_NEED, .left = SC_NETWORK_REASON_AGE};
  sc_journal journal = {0};
  sc_journal_compare(&journal, 0, &s.before, &s.after, &s.pool, &cause);
  CHECK(journal.count == 6);
  CHECK(is_told(&journal, SC_NETWORK_GUARD_LEFT, SC_NETWORK_REASON_AGE, 1));
  CHECK(is_told(&journal, SC_NETWORK_GUARD_LEFT, SC_NETWORK_REASON_LISTS, 2));
  CHECK(is_told(&journal, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_AGE, 5));
  CHECK(is_told(&journal, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_NEED, 6));
  CHECK(is_told(&journal, SC_NETWORK_GUARD_UNLISTED, SC_NETWORK_REASON_LISTS, 3));
  CHECK(is_told(&journal, SC_NETWORK_GUARD_LISTED, SC_NETWORK_REASON_LISTS, 4));
  sc_journal same = {0};
  sc_journal_compare(&same, 0, &s.after, &s.after, &s.pool, &cause);
  CHECK(same.count == 0);
done:;
}

static size_t count_told(const world *w, sc_network_change_kind kind, sc_network_change_reason reason) {
  sc_network_change list[SC_NETWORK_MAX_CHANGES];
  size_t count = sc_network_changes(list, SC_NETWORK_MAX_CHANGES, w->network), told = 0;
  for (size_t i = 0; i < count; i++)
    told += list[i].kind == kind && list[i].reason == reason;
  return told;
}

static void a_network_tells_why_its_guards_changed(sc_test *t) {
  WORLD(60, 10);
  OK(world_start(&w));
  w.network->guards.had_pool = false;
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(count_told(&w, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_START) == 6);
  HOLDS(count_told(&w, SC_NETWORK_MIDDLE_DRAWN, SC_NETWORK_REASON_START) == 8);
  HOLDS(count_told(&w, SC_NETWORK_GUARD_CONFIRMED, SC_NETWORK_REASON_REPLY) == 1);
  OK(sc_network_reset_guards(w.network, w.now));
  HOLDS(count_told(&w, SC_NETWORK_GUARD_LEFT, SC_NETWORK_REASON_PERSON) == 6);
  HOLDS(count_told(&w, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_PERSON) == 6);
done:
  world_end(&w, t);
}

static void another_process_is_named_as_the_reason(sc_test *t) {
  static world other;
  sc_buffer file = {0};
  WORLD(60, 10);
  world_init(&other, t->env, 60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(world_start(&other));
  HOLDS(world_connect(&other));
  OK(sc_network_save(&file, other.network, SC_NETWORK_GUARDS_FILE));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  HOLDS(count_told(&w, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_FILE) > 0);
  HOLDS(count_told(&w, SC_NETWORK_GUARD_LEFT, SC_NETWORK_REASON_FILE) ==
        count_told(&w, SC_NETWORK_GUARD_DRAWN, SC_NETWORK_REASON_FILE));
done:
  sc_buffer_free(&file);
  world_end(&w, t);
  world_end(&other, t);
}

static void setting_a_node_aside_is_recorded(sc_test *t) {
  WORLD(60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w) && w.network->paths.first != NULL);
  sc_path *path = w.network->paths.first;
  if (path == NULL)
    goto done;
  sc_paths_set_aside(&w.network->paths, sc_path_last(path)->key);
  HOLDS(count_told(&w, SC_NETWORK_NODE_SET_ASIDE, SC_NETWORK_REASON_PATHS) == 1);
done:
  world_end(&w, t);
}

static void changes_and_reasons_have_names(sc_test *t) {
  CHECK(strcmp(sc_network_change_kind_name(SC_NETWORK_GUARD_DRAWN), "guard drawn") == 0);
  CHECK(strcmp(sc_network_change_kind_name(SC_NETWORK_NODE_SET_ASIDE), "node set aside") == 0);
  CHECK(strcmp(sc_network_change_reason_name(SC_NETWORK_REASON_PERSON), "person") == 0);
  CHECK(sc_network_change_kind_name((sc_network_change_kind)99)[0] == '\0');
  CHECK(sc_network_change_reason_name((sc_network_change_reason)99)[0] == '\0');
done:;
}

SUITE(network_guards_journal, "network/guards/journal",
      {"the newest changes are listed first", the_newest_changes_are_listed_first},
      {"each difference has its reason", each_difference_has_its_reason},
      {"a network tells why its guards changed", a_network_tells_why_its_guards_changed},
      {"another process is named as the reason", another_process_is_named_as_the_reason},
      {"setting a node aside is recorded", setting_a_node_aside_is_recorded},
      {"changes and reasons have names", changes_and_reasons_have_names});
