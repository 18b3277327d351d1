#include "network/nodes/strikes.h"

#include "crowd.h"

static const uint64_t hour = 3600 * 1000, start = 1700000000000;

static sc_node_options usual_options(void) {
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  return options;
}

static void three_strikes_exclude_a_node(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1), other = crowd_node(2);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  CHECK(sc_strikes_count(&strikes, start, node.key) == 0 && !sc_strikes_is_out(&strikes, start, node.key));
  for (size_t i = 1; i <= 3; i++) {
    OK(sc_strikes_add(&strikes, start, node.key, false));
    CHECK(sc_strikes_count(&strikes, start, node.key) == i);
    CHECK(sc_strikes_is_out(&strikes, start, node.key) == (i == 3));
  }
  CHECK(!sc_strikes_is_out(&strikes, start, other.key));
done:
  sc_strikes_free(&strikes);
}

static void a_permanent_strike_excludes_a_node_at_once(sc_test *t) {
  sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  for (size_t most = 1; most <= SC_NODE_MAX_STRIKES; most++) {
    options.struck_out = most;
    sc_strikes_init(&strikes, t->env, &options);
    OK(sc_strikes_add(&strikes, start, node.key, true));
    CHECK(sc_strikes_is_out(&strikes, start, node.key));
    CHECK(sc_strikes_count(&strikes, start, node.key) == most);
    sc_strikes_free(&strikes);
  }
done:
  sc_strikes_free(&strikes);
}

static void strikes_are_forgotten_after_48_hours(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  OK(sc_strikes_add(&strikes, start, node.key, true));
  OK(sc_strikes_add(&strikes, start + hour, node.key, false));
  CHECK(sc_strikes_count(&strikes, start + 48 * hour - 1, node.key) == 4);
  CHECK(sc_strikes_count(&strikes, start + 48 * hour, node.key) == 1);
  CHECK(sc_strikes_count(&strikes, start + 49 * hour, node.key) == 0);
done:
  sc_strikes_free(&strikes);
}

static void a_private_network_forgets_strikes_sooner(sc_test *t) {
  sc_node_options options;
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  sc_node_options_default(&options, SC_NETWORK_PRIVATE);
  sc_strikes_init(&strikes, t->env, &options);
  OK(sc_strikes_add(&strikes, start, node.key, true));
  CHECK(sc_strikes_is_out(&strikes, start + hour / 6 - 1, node.key));
  CHECK(!sc_strikes_is_out(&strikes, start + hour / 6, node.key));
done:
  sc_strikes_free(&strikes);
}

/* A strike recorded by a fast clock must not last until that time comes. */
static void a_strike_in_the_future_counts_as_now(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  OK(sc_strikes_add(&strikes, start + 1000 * hour, node.key, false));
  CHECK(sc_strikes_count(&strikes, start, node.key) == 1);
  CHECK(sc_strikes_count(&strikes, start + 48 * hour, node.key) == 0);
  OK(sc_strikes_insert(&strikes, start, start + 1000 * hour, node.key));
  CHECK(sc_strikes_count(&strikes, start + 47 * hour, node.key) == 1);
  CHECK(sc_strikes_count(&strikes, start + 48 * hour, node.key) == 0);
done:
  sc_strikes_free(&strikes);
}

static void only_a_nodes_latest_strikes_are_kept(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  for (uint64_t i = 0; i < 20; i++)
    OK(sc_strikes_add(&strikes, start + i * hour, node.key, false));
  CHECK(sc_strikes_count(&strikes, start + 20 * hour, node.key) == SC_NODE_MAX_STRIKES);
  CHECK(sc_strikes_count(&strikes, start + 48 * hour + 18 * hour, node.key) == 1);
  OK(sc_strikes_insert(&strikes, start + 20 * hour, start + 5 * hour, node.key)); /* in its place */
  CHECK(sc_strikes_count(&strikes, start + 48 * hour + 18 * hour, node.key) == 1);
done:
  sc_strikes_free(&strikes);
}

static void inserting_keeps_the_order(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  const uint64_t hours[] = {5, 1, 3, 9, 0, 7, 2, 8, 4, 6};
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  for (size_t i = 0; i < 10; i++)
    OK(sc_strikes_insert(&strikes, start + 10 * hour, start + hours[i] * hour, node.key));
  const sc_strike_record *record = sc_key_table_find(&strikes.records, node.key);
  CHECK(record->count == SC_NODE_MAX_STRIKES);
  for (size_t i = 0; i < SC_NODE_MAX_STRIKES; i++)
    CHECK(record->times[i] == start + (i + 2) * hour);
done:
  sc_strikes_free(&strikes);
}

static void clearing_forgets_everything(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node node = crowd_node(1);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  OK(sc_strikes_add(&strikes, start, node.key, true));
  sc_strikes_free(&strikes);
  CHECK(!sc_strikes_is_out(&strikes, start, node.key) && sc_strikes_nodes(&strikes) == 0);
  OK(sc_strikes_add(&strikes, start, node.key, false));
  CHECK(sc_strikes_count(&strikes, start, node.key) == 1);
done:
  sc_strikes_free(&strikes);
}

static void pruning_drops_nodes_without_strikes(sc_test *t) {
  const sc_node_options options = usual_options();
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  for (uint32_t i = 0; i < 20; i++) {
    const sc_node node = crowd_node(i);
    OK(sc_strikes_add(&strikes, start + (i % 2) * hour, node.key, true));
  }
  sc_strikes_prune(&strikes, start + 48 * hour);
  CHECK(sc_strikes_nodes(&strikes) == 10);
  for (uint32_t i = 0; i < 20; i++) {
    const sc_node node = crowd_node(i);
    CHECK(sc_strikes_is_out(&strikes, start + 48 * hour, node.key) == (i % 2 == 1));
  }
done:
  sc_strikes_free(&strikes);
}

static void the_number_of_nodes_with_strikes_is_limited(sc_test *t) {
  const sc_node_options options = usual_options();
  const sc_node first = crowd_node(0), second = crowd_node(1), last = crowd_node(sc_strikes_most_nodes);
  sc_strikes strikes;
  sc_strikes_init(&strikes, t->env, &options);
  for (uint32_t i = 0; i <= sc_strikes_most_nodes; i++) {
    const sc_node node = crowd_node(i);
    /* The second node has the earliest strike. */
    OK(sc_strikes_add(&strikes, i == 1 ? start : start + 1 + i, node.key, false));
  }
  CHECK(sc_strikes_nodes(&strikes) == sc_strikes_most_nodes);
  CHECK(sc_strikes_count(&strikes, start + hour, second.key) == 0);
  CHECK(sc_strikes_count(&strikes, start + hour, first.key) == 1);
  CHECK(sc_strikes_count(&strikes, start + hour, last.key) == 1);
done:
  sc_strikes_free(&strikes);
}

SUITE(network_nodes_strikes, "network/nodes/strikes",
      {"three strikes exclude a node", three_strikes_exclude_a_node},
      {"a permanent strike excludes a node at once", a_permanent_strike_excludes_a_node_at_once},
      {"strikes are forgotten after 48 hours", strikes_are_forgotten_after_48_hours},
      {"a private network forgets strikes sooner", a_private_network_forgets_strikes_sooner},
      {"a strike in the future counts as now", a_strike_in_the_future_counts_as_now},
      {"only a node's latest strikes are kept", only_a_nodes_latest_strikes_are_kept},
      {"inserting keeps the order", inserting_keeps_the_order},
      {"clearing forgets everything", clearing_forgets_everything},
      {"pruning drops nodes without strikes", pruning_drops_nodes_without_strikes},
      {"the number of nodes with strikes is limited", the_number_of_nodes_with_strikes_is_limited});
