#include "network/nodes/old_guards.h"

#include <stdio.h>

#include "crowd.h"

#define NODE_7                                                                                               \
  "0100000000000000000000000000000000000000000000000000000007000000|9.0.7.1|22021|22020|2.11.0|3000"
#define NODE_8 "0100000000000000000000000000000000000000000000000000000008000000|9.0.8.1|22021|22020|2.11.0|0"
#define NODE_9                                                                                               \
  "0100000000000000000000000000000000000000000000000000000009000000|9.0.9.1|22021|22020|2.11.0|1000"

static const uint64_t wall = 1700000000000, day = 24 * 3600 * 1000;

static sc_node_options usual_options(void) {
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  return options;
}

static void the_known_file_is_read_and_written(sc_test *t) {
  static const char known[] = NODE_7 "|1699999999\n" NODE_8 "|1699500000\n";
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(sc_old_guards_read(&guards, &options, wall, sc_bytes_text(known)));
  CHECK(guards.count == 2 && guards.list[0].since == 1699999999000 && guards.list[1].since == 1699500000000);
  CHECK(guards.list[0].node.key[28] == 7 && guards.list[1].node.swarm == 0);
  OK(sc_old_guards_write(&file, &guards));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&file));
done:
  sc_buffer_free(&file);
}

static void guards_are_kept_for_ten_days(sc_test *t) {
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  static const char file[] = NODE_7 "|1700000000\n";
  OK(sc_old_guards_read(&guards, &options, wall + 10 * day - 1, sc_bytes_text(file)));
  CHECK(guards.count == 1);
  OK(sc_old_guards_read(&guards, &options, wall + 10 * day, sc_bytes_text(file)));
  CHECK(guards.count == 0);
done:;
}

static void an_unreadable_time_counts_as_now(sc_test *t) {
  static const char file[] = NODE_7 "|soon\n" NODE_8 "|\n" NODE_9 "|18446744073709551615|more\n";
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  OK(sc_old_guards_read(&guards, &options, wall, sc_bytes_text(file)));
  CHECK(guards.count == 3);
  for (size_t i = 0; i < 3; i++)
    CHECK(guards.list[i].since == wall);
done:;
}

static void fields_after_the_time_are_ignored(sc_test *t) {
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  OK(sc_old_guards_read(&guards, &options, wall, sc_bytes_text(NODE_7 "|1699999999|x|y\n")));
  CHECK(guards.count == 1 && guards.list[0].since == 1699999999000);
done:;
}

static void invalid_lines_are_skipped(sc_test *t) {
  static const char file[] =
      "rubbish\n" NODE_7 "\n" NODE_8 "|1699999999\n" NODE_8 "|1699999998\n"
      "0100000000000000000000000000000000000000000000000000000001000000|127.0.0.1|1|1|0.0.0|0|"
      "1699999999\n";
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  OK(sc_old_guards_read(&guards, &options, wall, sc_bytes_text(file)));
  CHECK(guards.count == 1 && guards.list[0].since == 1699999999000);
done:;
}

static void a_future_time_or_an_overlong_line_ends_the_file(sc_test *t) {
  enum { long_line = 300 };
  const sc_node_options options = usual_options();
  sc_old_guards guards;
  char file[1024];
  OK(sc_old_guards_read(&guards, &options, wall,
                        sc_bytes_text(NODE_7 "|1699999999\n" NODE_8 "|1700000001\n" NODE_9 "|1699999999\n")));
  CHECK(guards.count == 1 && guards.list[0].node.key[28] == 7);
  snprintf(file, sizeof file, NODE_7 "|1699999999\n%0*d\n" NODE_9 "|1699999999\n", long_line, 0);
  OK(sc_old_guards_read(&guards, &options, wall, sc_bytes_text(file)));
  CHECK(guards.count == 1 && guards.list[0].node.key[28] == 7);
done:;
}

static void file_size_and_number_of_guards_are_limited(sc_test *t) {
  const sc_node_options options = usual_options();
  static const char one_more[] =
      "2200000000000000000000000000000000000000000000000000000007000000|9.0.7.1|1|1|2.11.0|3000|1699999999\n";
  sc_old_guards guards = {.count = sc_old_guards_most};
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  FAILS(SC_ERR_TOO_LARGE,
        sc_old_guards_read(&guards, &options, wall, sc_bytes_make(NULL, SC_OLD_GUARDS_FILE_MOST + 1)));
  CHECK(guards.count == 0);
  guards.count = sc_old_guards_most;
  for (uint32_t i = 0; i < sc_old_guards_most; i++)
    guards.list[i] = (sc_old_guard){crowd_node(i), wall};
  OK(sc_old_guards_write(&file, &guards));
  OK(sc_buffer_append(&file, sc_bytes_text(one_more)));
  OK(sc_old_guards_read(&guards, &options, wall, sc_buffer_bytes(&file)));
  CHECK(guards.count == sc_old_guards_most);
done:
  sc_buffer_free(&file);
}

SUITE(network_nodes_old_guards, "network/nodes/old_guards",
      {"the known file is read and written", the_known_file_is_read_and_written},
      {"guards are kept for ten days", guards_are_kept_for_ten_days},
      {"an unreadable time counts as now", an_unreadable_time_counts_as_now},
      {"fields after the time are ignored", fields_after_the_time_are_ignored},
      {"invalid lines are skipped", invalid_lines_are_skipped},
      {"a future time or an overlong line ends the file", a_future_time_or_an_overlong_line_ends_the_file},
      {"file size and number of guards are limited", file_size_and_number_of_guards_are_limited});
