/* The files and the inspection of guards. */
#include "network/guards/sample_file.h"
#include "network/guards/sample_merge.h"
#include "network/paths/ways.h"
#include "support/test_env.h"

static size_t list(sc_network_guard out[static SC_NETWORK_MAX_GUARDS], const world *w) {
  return sc_network_guards(out, SC_NETWORK_MAX_GUARDS, w->network);
}

/* Node 7 was the guard of an older program. */
static sc_status load_edges(world *w) {
  sc_buffer file = {0};
  sc_old_guards inherited = {.count = 2};
  inherited.list[0] = (sc_old_guard){.node = w->nodes[9].node, .since = WORLD_WALL - 1000};
  inherited.list[1] = (sc_old_guard){.node = w->nodes[7].node, .since = WORLD_WALL - 100000};
  sc_status status = sc_old_guards_write(&file, &inherited);
  if (status == SC_OK)
    status =
        sc_network_load(w->network, w->now, SC_NETWORK_OLD_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL);
  sc_buffer_free(&file);
  return status;
}

static void guards_of_older_programs_are_taken_over(sc_test *t) {
  WORLD(48, 48);
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  OK(world_start(&w));
  OK(load_edges(&w));
  HOLDS(world_connect(&w));
  HOLDS(list(guards, &w) == 6);
  HOLDS(world_index(&w, guards[0].node.key) == 7 && world_index(&w, guards[1].node.key) == 9);
  HOLDS(guards[0].confirmed_day != 0 && guards[0].is_in_use && guards[0].is_primary);
  HOLDS(guards[2].confirmed_day == 0 && guards[2].is_primary && !guards[3].is_primary);
done:
  world_end(&w, t);
}

static void a_file_of_guards_wins_over_the_older_one(sc_test *t) {
  WORLD(48, 48);
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  sc_buffer file = {0};
  sc_sample sample = {.count = 1};
  sample.guards[0] = (sc_guard){.sampled = 19000, .ends = 19700};
  memcpy(sample.guards[0].key, w.nodes[3].node.key, SC_KEY_BYTES);
  OK(world_start(&w));
  OK(sc_sample_write(&file, &sample));
  OK(load_edges(&w));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  world_pass(&w, WORLD_SECOND);
  HOLDS(list(guards, &w) >= 1 && world_index(&w, guards[0].node.key) == 3);
  for (size_t i = 0; i < w.network->guards.sample.count; i++)
    HOLDS(world_index(&w, w.network->guards.sample.guards[i].key) != 7);
done:
  sc_buffer_free(&file);
  world_end(&w, t);
}

static void a_reply_confirms_the_guard(sc_test *t) {
  WORLD(48, 48);
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  size_t first = ways_first(&w);
  HOLDS(list(guards, &w) == 6 && guards[0].confirmed_day == 0);
  size_t saves = w.saves[SC_NETWORK_GUARDS_FILE];
  OK(world_call_server(&w, "/room"));
  HOLDS(world_wait(&w, 1));
  HOLDS(list(guards, &w) == 6 && guards[0].confirmed_day == WORLD_WALL / 86400000);
  HOLDS(world_index(&w, guards[0].node.key) == first);
  HOLDS(w.saves[SC_NETWORK_GUARDS_FILE] == saves + 1);
done:
  world_end(&w, t);
}

static void other_processes_are_merged_when_the_file_is_written(sc_test *t) {
  WORLD(48, 48);
  sc_buffer file = {0};
  sc_sample other;
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  OK(sc_sample_read(&other, sc_day_of(WORLD_WALL), sc_buffer_bytes(&file)));
  /* The other process has ended the last guard and confirmed the fourth. */
  other.count--;
  other.guards[3].confirmed = sc_day_of(WORLD_WALL);
  other.guards[3].number = 1;
  const sc_guard gone = other.guards[other.count];
  OK(sc_sample_write(&file, &other));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  HOLDS(!sc_guards_has(&w.network->guards, gone.key));
  sc_network_guard guards[SC_NETWORK_MAX_GUARDS];
  HOLDS(list(guards, &w) == 5 && memcmp(guards[0].node.key, other.guards[3].key, SC_KEY_BYTES) == 0);
  world_pass(&w, WORLD_SECOND);
  HOLDS(list(guards, &w) == 5 && guards[0].is_in_use);
done:
  sc_buffer_free(&file);
  world_end(&w, t);
}

static void clearing_the_cache_keeps_the_guards(sc_test *t) {
  WORLD(48, 48);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_sample before = w.network->guards.sample;
  sc_network_forget(w.network, w.now);
  OK(world_call_server(&w, "/room"));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
  for (size_t i = 0; i < before.count; i++)
    HOLDS(sc_guards_has(&w.network->guards, before.guards[i].key));
  HOLDS(w.network->guards.sample.count == before.count);
done:
  world_end(&w, t);
}

static void people_may_replace_all_guards(sc_test *t) {
  WORLD(60, 60);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_sample before = w.network->guards.sample;
  OK(sc_network_reset_guards(w.network, w.now));
  world_pass(&w, WORLD_SECOND);
  size_t kept = 0, connected = 0;
  for (size_t i = 0; i < before.count; i++)
    kept += sc_guards_has(&w.network->guards, before.guards[i].key);
  for (size_t i = 0; i < w.node_count; i++)
    connected += w.nodes[i].connected && sc_guards_has(&w.network->guards, w.nodes[i].node.key);
  HOLDS(kept < before.count && w.network->guards.sample.count == 6 && connected >= 2);
done:
  world_end(&w, t);
}

static void without_nodes_the_guards_are_not_replaced(sc_test *t) {
  WORLD(48, 48);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_sample before = w.network->guards.sample;
  sc_network_suspend(w.network, w.now);
  sc_network_forget(w.network, w.now);
  size_t saves = w.saves[SC_NETWORK_GUARDS_FILE];
  FAILS(SC_ERR_NETWORK_NO_NODES, sc_network_reset_guards(w.network, w.now));
  HOLDS(w.network->guards.sample.count == before.count && w.saves[SC_NETWORK_GUARDS_FILE] == saves);
done:
  world_end(&w, t);
}

/* Two processes read the same file; one replaces all guards, and both write. */
static void replaced_guards_do_not_come_back(sc_test *t) {
  WORLD(60, 60);
  sc_buffer file = {0};
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  const sc_sample before = w.network->guards.sample;
  sc_sample other = before, after;
  OK(sc_network_reset_guards(w.network, w.now));
  OK(sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  HOLDS(w.network->guards.sample.count == 6);
  OK(sc_sample_read(&after, sc_day_of(WORLD_WALL), sc_buffer_bytes(&file)));
  sc_sample_merge(&other, &before, &after);
  HOLDS(other.count == 6 && after.count == 6);
  for (size_t i = 0; i < 6; i++) {
    HOLDS(sc_guards_has(&w.network->guards, after.guards[i].key));
    HOLDS(sc_sample_has(&other, after.guards[i].key));
  }
done:
  sc_buffer_free(&file);
  world_end(&w, t);
}

static void guards_have_no_other_role(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < 40; i++) {
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
    HOLDS(w.outcomes[i].status == SC_OK);
    HOLDS(!sc_guards_has(&w.network->guards, w.outcomes[i].node));
    sc_network_path path = ways_only(&w);
    for (size_t k = 1; k < path.length; k++)
      HOLDS(!sc_guards_has(&w.network->guards, path.nodes[k].key));
    world_pass(&w, 100 * WORLD_SECOND);
  }
done:
  world_end(&w, t);
}

/* As a program writes it, with the file locked: reads what others wrote, merges, and writes. */
static sc_status write_file(world *w, sc_buffer *file) {
  sc_status status = SC_OK;
  if (file->len > 0)
    status = sc_network_load(w->network, w->now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(file), WORLD_WALL);
  return status == SC_OK ? sc_network_save(file, w->network, SC_NETWORK_GUARDS_FILE) : status;
}

static bool have_same_guards(const world *a, const world *b) {
  const sc_sample *sample = &a->network->guards.sample;
  bool same = sample->count == b->network->guards.sample.count;
  for (size_t i = 0; i < sample->count; i++)
    same &= sc_guards_has(&b->network->guards, sample->guards[i].key);
  return same;
}

static size_t count_lines(const sc_test *t) {
  return ((const sc_test_env *)t->env->user)->log_lines;
}

static bool is_because_of(const world *w, sc_network_change_reason reason) {
  sc_network_change first[SC_NETWORK_MAX_CHANGES];
  size_t count = sc_network_changes(first, SC_NETWORK_MAX_CHANGES, w->network);
  return count > 0 && first[count - 1].kind == SC_NETWORK_GUARD_DRAWN && first[count - 1].reason == reason;
}

/* N17 */
static void a_lost_file_of_guards_is_a_warning_and_a_new_sample(sc_test *t) {
  static const char *const files[] = {NULL, "session-guards|7\nguard|who"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    size_t before = count_lines(t);
    WORLD(60, 10);
    OK(world_start(&w));
    if (files[i] != NULL)
      FAILS(SC_ERR_NODE_FILE,
            sc_network_load(w.network, w.now, SC_NETWORK_GUARDS_FILE, sc_bytes_text(files[i]), WORLD_WALL));
    HOLDS(world_connect(&w));
    HOLDS(count_lines(t) == before + 1 && w.network->guards.sample.count == 6);
    HOLDS(is_because_of(&w, SC_NETWORK_REASON_LOSS));
  done:
    world_end(&w, t);
  }
}

/* N17 */
static void guards_are_as_before_after_a_restart(sc_test *t) {
  static world again;
  sc_buffer file = {0};
  WORLD(60, 10);
  world_init(&again, t->env, 60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  OK(sc_network_save(&file, w.network, SC_NETWORK_GUARDS_FILE));
  size_t before = count_lines(t);
  OK(world_start(&again));
  OK(sc_network_load(again.network, again.now, SC_NETWORK_GUARDS_FILE, sc_buffer_bytes(&file), WORLD_WALL));
  HOLDS(world_connect(&again));
  HOLDS(have_same_guards(&w, &again) && count_lines(t) == before);
  HOLDS(is_because_of(&again, SC_NETWORK_REASON_FILE));
done:
  sc_buffer_free(&file);
  world_end(&w, t);
  world_end(&again, t);
}

/* N17 */
static void processes_that_start_at_once_have_one_sample(sc_test *t) {
  enum { processes = 3 };
  static world worlds[processes];
  sc_buffer file = {0};
  for (size_t i = 0; i < processes; i++)
    world_init(&worlds[i], t->env, 60, 10);
  for (size_t i = 0; i < processes; i++) {
    OK(world_start(&worlds[i]));
    HOLDS(world_connect(&worlds[i]));
  }
  HOLDS(!have_same_guards(&worlds[0], &worlds[1]));
  for (size_t i = 0; i < processes; i++)
    OK(write_file(&worlds[i], &file));
  for (size_t i = 1; i < processes; i++)
    HOLDS(have_same_guards(&worlds[0], &worlds[i]) && worlds[i].network->guards.sample.count == 6);
done:
  sc_buffer_free(&file);
  for (size_t i = 0; i < processes; i++)
    world_end(&worlds[i], t);
}

/* N17: the user sets the clock 23 hours ahead and back, and then back by a year. */
static void no_guard_ends_because_the_clock_is_set(sc_test *t) {
  static const int64_t hours[] = {23, 0, -23, 0, -24 * 365, 0};
  WORLD(60, 10);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  const sc_sample before = w.network->guards.sample;
  for (size_t i = 0; i < sizeof hours / sizeof hours[0]; i++) {
    int64_t wall = (int64_t)(WORLD_WALL + w.now / WORLD_MS) + hours[i] * 3600 * 1000;
    sc_network_set_wall(w.network, w.now, (uint64_t)wall);
    world_pass(&w, 3600 * WORLD_SECOND);
    HOLDS(w.network->guards.sample.count == before.count);
    for (size_t k = 0; k < before.count; k++)
      HOLDS(sc_guards_has(&w.network->guards, before.guards[k].key));
  }
done:
  world_end(&w, t);
}

SUITE(network_guards_guards, "network/guards/guards",
      {"guards of older programs are taken over", guards_of_older_programs_are_taken_over},
      {"a file of guards wins over the older one", a_file_of_guards_wins_over_the_older_one},
      {"G2: a reply confirms the guard", a_reply_confirms_the_guard},
      {"other processes are merged when the file is written",
       other_processes_are_merged_when_the_file_is_written},
      {"clearing the cache keeps the guards", clearing_the_cache_keeps_the_guards},
      {"G11: people may replace all guards", people_may_replace_all_guards},
      {"without nodes the guards are not replaced", without_nodes_the_guards_are_not_replaced},
      {"replaced guards do not come back", replaced_guards_do_not_come_back},
      {"N17: a lost file of guards is a warning and a new sample",
       a_lost_file_of_guards_is_a_warning_and_a_new_sample},
      {"N17: guards are as before after a restart", guards_are_as_before_after_a_restart},
      {"N17: processes that start at once have one sample", processes_that_start_at_once_have_one_sample},
      {"N17: no guard ends because the clock is set", no_guard_ends_because_the_clock_is_set},
      {"G10: guards have no other role", guards_have_no_other_role});
