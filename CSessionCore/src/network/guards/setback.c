/* The consequences of outcomes: a guard that drops paths stands behind the others for some days, and a middle
 * that fails over several guards is replaced. Both are rare, so that colluding middles gain little by failing
 * over an honest guard. */
#include "guards.h"

static const uint64_t hour = 3600 * SC_NODE_SECOND;
static const uint64_t day = 24 * 3600 * SC_NODE_SECOND;

static sc_day today(const sc_guards *guards) {
  return sc_day_of(guards->moment->wall);
}

static bool is_blamed(const sc_guards *guards, const sc_guard *guard) {
  size_t wanted = sc_middles_size(sc_nodes_pool(guards->nodes)->count);
  return sc_outcomes_blame_guard(&guards->outcomes, guard->key, &guards->sample, wanted, guards->moment->now);
}

static void set_back(sc_guards *guards) {
  for (size_t i = 0; i < guards->sample.count; i++) {
    const sc_guard *guard = &guards->sample.guards[i];
    if (!is_blamed(guards, guard) || !sc_sample_set_back(&guards->sample, guard->key, today(guards)))
      continue;
    sc_log(guards->env, SC_LOG_WARNING,
           "network: a guard drops requests and is used after the others for a week");
    sc_outcomes_forget(&guards->outcomes, guard->key);
    sc_journal_note(&guards->journal, guards->moment->wall, SC_NETWORK_GUARD_SET_BACK,
                    SC_NETWORK_REASON_PATHS, guard->key);
    guards->due_at = 0;
    guards->owner.save(guards->owner.user);
    guards->owner.changed(guards->owner.user);
    return;
  }
}

static bool may_replace(const sc_guards *guards) {
  const uint64_t now = guards->moment->now;
  return (guards->replaced_count == 0 || now - guards->replaced_at[0] >= hour) &&
         (guards->replaced_count < sc_guards_most_replaced ||
          now - guards->replaced_at[sc_guards_most_replaced - 1] >= day);
}

static void note_replaced(sc_guards *guards) {
  memmove(&guards->replaced_at[1], &guards->replaced_at[0],
          (sc_guards_most_replaced - 1) * sizeof guards->replaced_at[0]);
  guards->replaced_at[0] = guards->moment->now;
  if (guards->replaced_count < sc_guards_most_replaced)
    guards->replaced_count++;
}

static void replace_middle(sc_guards *guards) {
  for (size_t i = 0; i < guards->sample.middle_count; i++) {
    const sc_middle middle = guards->sample.middles[i];
    if (!sc_outcomes_blame_middle(&guards->outcomes, middle.key, &guards->sample, guards->moment->now) ||
        !may_replace(guards))
      continue;
    note_replaced(guards);
    sc_outcomes_forget(&guards->outcomes, middle.key);
    sc_guards_replace_middle(guards, middle.key);
    return;
  }
}

/* Only what leads over a guard and a middle of the sample tells them apart. */
static bool counts(const sc_guards *guards, const sc_outcome_path *path) {
  return sc_guards_has(guards, path->guard) && sc_guards_has_middle(guards, path->middle);
}

void sc_guards_path_worked(sc_guards *guards, const sc_outcome_path *path) {
  if (!counts(guards, path))
    return;
  sc_outcomes_worked(&guards->outcomes, path, guards->moment->now);
  set_back(guards);
  replace_middle(guards);
}

void sc_guards_path_failed(sc_guards *guards, const sc_outcome_path *path) {
  if (counts(guards, path))
    sc_outcomes_failed(&guards->outcomes, path, guards->moment->now);
}

void sc_guards_note_down(sc_guards *guards) {
  sc_outcomes_undo(&guards->outcomes);
}
