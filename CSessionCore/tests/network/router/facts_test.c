#include "network/router/facts.h"

#include <stdio.h>

#include "support/test.h"

static bool read_text(sc_reply_facts *out, const char *text) {
  return sc_reply_facts_read(out, sc_bytes_text(text));
}

static void time_and_fork_are_found(sc_test *t) {
  sc_reply_facts facts;
  CHECK(read_text(&facts, " { \"x\" : [{\"t\":1}], \"t\" : 1700000000123 , \"hf\":[19, 6] } "));
  CHECK(facts.has_time && facts.time == 1700000000123);
  CHECK(facts.has_fork && facts.fork[0] == 19 && facts.fork[1] == 6);
  CHECK(!facts.has_results);
done:;
}

static void invalid_times_are_ignored(sc_test *t) {
  static const char *const texts[] = {"{}",
                                      "{\"t\":-1}",
                                      "{\"t\":1.5}",
                                      "{\"t\":1e3}",
                                      "{\"t\":\"1\"}",
                                      "{\"t\":null}",
                                      "{\"t\":9007199254740993}",
                                      "{\"a\":{\"t\":5}}"};
  sc_reply_facts facts;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    CHECK(read_text(&facts, texts[i]));
    CHECK(!facts.has_time);
  }
done:;
}

static void invalid_forks_are_ignored(sc_test *t) {
  static const char *const texts[] = {"{\"hf\":19}",         "{\"hf\":[19]}",   "{\"hf\":[19,6,1]}",
                                      "{\"hf\":[19,65536]}", "{\"hf\":[-1,6]}", "{\"hf\":[\"19\",6]}",
                                      "{\"hf\":[19,6.0]}",   "{\"hf\":[]}",     "{\"hf\":{\"a\":1}}"};
  sc_reply_facts facts;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    CHECK(read_text(&facts, texts[i]));
    CHECK(!facts.has_fork);
  }
done:;
}

static void invalid_bodies_hold_no_facts(sc_test *t) {
  static const char *const texts[] = {
      "", "[]", "{", "{}x", "\"t\"", "{\"a\":}", "12", "{\"results\":5}", "{\"results\":[],\"results\":[]}"};
  sc_reply_facts facts;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    CHECK(!read_text(&facts, texts[i]));
done:;
}

static void an_unreadable_result_fails_alone(sc_test *t) {
  static const char *const results[] = {"5",
                                        "null",
                                        "{}",
                                        "{\"code\":99}",
                                        "{\"code\":600}",
                                        "{\"code\":\"200\",\"body\":{}}",
                                        "{\"code\":200,\"code\":200}"};
  sc_reply_facts facts;
  char text[128];
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
    snprintf(text, sizeof text, "{\"results\":[%s,{\"code\":200,\"body\":{}}]}", results[i]);
    CHECK(read_text(&facts, text));
    CHECK(facts.result_count == 2 && facts.results[0].code == 0 && facts.results[0].body.len == 0);
    CHECK(facts.results[1].code == 200 && facts.results[1].body.len == 2);
  }
done:;
}

/* Each body is the exact text of the reply, for any contents. */
static void results_are_returned_unmodified(sc_test *t) {
  static const char text[] =
      "{\"results\":[{\"code\":200,\"body\":{\"a\":\"}],{\\\"\\\\\",\"b\":[1, 2 ,{}]}} , "
      "{\"body\":\"text, }\",\"code\":421},{\"code\":500}]}";
  sc_reply_facts facts;
  CHECK(read_text(&facts, text));
  CHECK(facts.has_results && facts.result_count == 3 && facts.results_named == 3);
  CHECK(facts.results[0].code == 200 && facts.results[1].code == 421 && facts.results[2].code == 500);
  SAME(sc_bytes_text("{\"a\":\"}],{\\\"\\\\\",\"b\":[1, 2 ,{}]}"), facts.results[0].body);
  SAME(sc_bytes_text("\"text, }\""), facts.results[1].body);
  CHECK(facts.results[2].body.len == 0);
done:;
}

static void the_latest_time_of_a_batch_is_used(sc_test *t) {
  sc_reply_facts facts;
  CHECK(read_text(&facts, "{\"results\":[{\"code\":200,\"body\":{\"t\":5,\"hf\":[1,1]}},"
                          "{\"code\":200,\"body\":{\"t\":7,\"hf\":[2,0]}},"
                          "{\"code\":200,\"body\":{\"t\":6,\"hf\":[9,9]}}]}"));
  CHECK(facts.has_time && facts.time == 7);
  CHECK(facts.has_fork && facts.fork[0] == 2 && facts.fork[1] == 0);
done:;
}

static void surplus_results_are_only_counted(sc_test *t) {
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  OK(sc_buffer_append(&text, sc_bytes_text("{\"results\":[{\"code\":200}")));
  for (size_t i = 0; i < SC_STORAGE_MAX_BATCH; i++)
    OK(sc_buffer_append(&text, sc_bytes_text(",{\"code\":200}")));
  OK(sc_buffer_append(&text, sc_bytes_text("]}")));
  sc_reply_facts facts;
  CHECK(sc_reply_facts_read(&facts, sc_buffer_bytes(&text)));
  CHECK(facts.result_count == SC_STORAGE_MAX_BATCH && facts.results_named == SC_STORAGE_MAX_BATCH + 1);
done:
  sc_buffer_free(&text);
}

static void identical_failures_count_as_one(sc_test *t) {
  sc_reply_facts facts;
  CHECK(read_text(&facts, "{\"results\":[{\"code\":421},{\"code\":421}]}"));
  CHECK(sc_reply_facts_uniform_failure(&facts) == 421);
  CHECK(read_text(&facts, "{\"results\":[{\"code\":421},{\"code\":200}]}"));
  CHECK(sc_reply_facts_uniform_failure(&facts) == 0);
  CHECK(read_text(&facts, "{\"results\":[{\"code\":200},{\"code\":200}]}"));
  CHECK(sc_reply_facts_uniform_failure(&facts) == 0);
  CHECK(read_text(&facts, "{\"results\":[{\"code\":421},{\"code\":401}]}"));
  CHECK(sc_reply_facts_uniform_failure(&facts) == 0);
  CHECK(read_text(&facts, "{\"results\":[]}"));
  CHECK(sc_reply_facts_uniform_failure(&facts) == 0);
done:;
}

SUITE(network_router_facts, "network/router/facts", {"time and fork are found", time_and_fork_are_found},
      {"invalid times are ignored", invalid_times_are_ignored},
      {"invalid forks are ignored", invalid_forks_are_ignored},
      {"invalid bodies hold no facts", invalid_bodies_hold_no_facts},
      {"an unreadable result fails alone", an_unreadable_result_fails_alone},
      {"results are returned unmodified", results_are_returned_unmodified},
      {"the latest time of a batch is used", the_latest_time_of_a_batch_is_used},
      {"surplus results are only counted", surplus_results_are_only_counted},
      {"identical failures count as one", identical_failures_count_as_one});
