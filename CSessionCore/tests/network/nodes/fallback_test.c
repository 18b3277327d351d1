#include "network/nodes/fallback.h"

#include "crowd.h"
#include "states.h"

static const uint64_t made = 1700000000000, block = 120 * 1000;

enum { state_count = 4 };

typedef struct shipped {
  sc_node_options options;
  sc_storage_node states[state_count];
  sc_buffer file;
  sc_node_list list;
} shipped;

static void shipped_init(shipped *s, sc_test *t) {
  sc_node_options_default(&s->options, SC_NETWORK_MAIN);
  s->options.smallest_pool = 2;
  s->options.fallback_time = made;
  for (uint8_t i = 0; i < state_count; i++)
    s->states[i] = state_of((uint8_t)(i + 1));
  sc_buffer_init(&s->file, t->env);
  sc_node_list_init(&s->list, t->env);
}

static void shipped_free(shipped *s) {
  sc_buffer_free(&s->file);
  sc_node_list_free(&s->list);
}

static sc_status ship(shipped *s) {
  sc_status status = states_write(&s->file, s->states, state_count);
  s->options.fallback = sc_buffer_bytes(&s->file);
  return status;
}

static void the_list_is_read(sc_test *t) {
  shipped s;
  shipped_init(&s, t);
  OK(ship(&s));
  OK(sc_fallback_read(&s.list, &s.options, made));
  CHECK(sc_node_list_count(&s.list) == state_count);
  SAME(SC_BYTES(s.states[2].ed25519), SC_BYTES(sc_node_list_nodes(&s.list)[2].key));
done:
  shipped_free(&s);
}

static void the_bare_list_is_accepted(sc_test *t) {
  static const char before[] = "{\"result\":";
  shipped s;
  shipped_init(&s, t);
  OK(ship(&s));
  s.options.fallback = sc_bytes_make(s.file.ptr + strlen(before), s.file.len - strlen(before) - 1);
  OK(sc_fallback_read(&s.list, &s.options, made));
  CHECK(sc_node_list_count(&s.list) == state_count);
done:
  shipped_free(&s);
}

/* A block takes two minutes: a node due to leave by the chain's current height is dropped. */
static void nodes_that_have_left_by_now_are_dropped(sc_test *t) {
  shipped s;
  shipped_init(&s, t);
  s.states[0].unlock_height = states_height;
  s.states[1].unlock_height = states_height + 10;
  OK(ship(&s));
  OK(sc_fallback_read(&s.list, &s.options, made + 10 * block - 1));
  CHECK(sc_node_list_count(&s.list) == 3);
  sc_node_list_free(&s.list);
  OK(sc_fallback_read(&s.list, &s.options, made + 10 * block));
  CHECK(sc_node_list_count(&s.list) == 2 && s.list.skipped == 2);
  sc_node_list_free(&s.list);
  OK(sc_fallback_read(&s.list, &s.options, made - 1)); /* a clock that is behind */
  CHECK(sc_node_list_count(&s.list) == 3);
done:
  shipped_free(&s);
}

static void a_list_with_too_few_remaining_nodes_is_ignored(sc_test *t) {
  shipped s;
  shipped_init(&s, t);
  s.options.smallest_pool = state_count;
  OK(ship(&s));
  OK(sc_fallback_read(&s.list, &s.options, made));
  sc_node_list_free(&s.list);
  s.states[0].unlock_height = 1;
  OK(ship(&s));
  FAILS(SC_ERR_NODE_FILE, sc_fallback_read(&s.list, &s.options, made));
  CHECK(sc_node_list_count(&s.list) == 0);
done:
  shipped_free(&s);
}

static void a_malformed_file_is_ignored(sc_test *t) {
  static const char *const bad[] = {"",
                                    "{",
                                    "[]",
                                    "7",
                                    "{}",
                                    "{\"result\":[]}",
                                    "{\"service_node_states\":{}}",
                                    "{\"service_node_states\":[1,2,3]}",
                                    "{\"height\":-5,\"service_node_states\":[]}"};
  shipped s;
  shipped_init(&s, t);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    s.options.fallback = sc_bytes_text(bad[i]);
    FAILS(SC_ERR_NODE_FILE, sc_fallback_read(&s.list, &s.options, made));
  }
done:
  shipped_free(&s);
}

SUITE(network_nodes_fallback, "network/nodes/fallback", {"the list is read", the_list_is_read},
      {"the bare list is accepted", the_bare_list_is_accepted},
      {"nodes that have left by now are dropped", nodes_that_have_left_by_now_are_dropped},
      {"a list with too few remaining nodes is ignored", a_list_with_too_few_remaining_nodes_is_ignored},
      {"a malformed file is ignored", a_malformed_file_is_ignored});
