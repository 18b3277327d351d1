#include "network/nodes/pool_file.h"

#include "crowd.h"

enum { today = 20000 };

#define NODE_7                                                                                               \
  "0100000000000000000000000000000000000000000000000000000007000000|9.0.7.1|22021|22020|2.11.0|3000"
#define NODE_8 "0100000000000000000000000000000000000000000000000000000008000000|9.0.8.1|22021|22020|2.11.0|0"

static void the_known_file_is_read_and_written(sc_test *t) {
  static const char known[] = NODE_7 "\n" NODE_8 "\n";
  const sc_node seven = crowd_node(7), eight = crowd_node(8);
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_buffer file;
  sc_node_list_init(&list, t->env);
  sc_buffer_init(&file, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(known)));
  CHECK(sc_node_list_count(&list) == 2 && list.skipped == 0);
  CHECK(sc_node_same(&sc_node_list_nodes(&list)[0], &seven) &&
        sc_node_same(&sc_node_list_nodes(&list)[1], &eight));
  OK(sc_pool_file_write(&file, sc_node_list_nodes(&list), 2, &changes));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&file));
done:
  sc_node_list_free(&list);
  sc_buffer_free(&file);
}

static void bad_lines_are_skipped_and_counted(sc_test *t) {
  static const char file[] = "\r\n" NODE_7 "\r\n\r\nrubbish\n" NODE_7 "\n|||||\n" NODE_8;
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(file)));
  CHECK(sc_node_list_count(&list) == 2 && list.skipped == 3); /* two invalid lines and one duplicate */
done:
  sc_node_list_free(&list);
}

static void unusable_nodes_are_skipped(sc_test *t) {
  static const char file[] =
      "0100000000000000000000000000000000000000000000000000000007000000|127.0.0.1|22021|22020|2.11.0|3000\n"
      "0100000000000000000000000000000000000000000000000000000008000000|9.0.8.1|22021|0|2.11.0|0\n";
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(file)));
  CHECK(sc_node_list_count(&list) == 0 && list.skipped == 2);
  OK(sc_pool_file_read(&list, &changes, today, true, sc_bytes_text(file)));
  CHECK(sc_node_list_count(&list) == 1);
done:
  sc_node_list_free(&list);
}

static void an_overlong_line_ends_the_file(sc_test *t) {
  enum { long_line = 300 };
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_buffer file;
  uint8_t *space;
  sc_node_list_init(&list, t->env);
  sc_buffer_init(&file, t->env);
  OK(sc_buffer_append(&file, sc_bytes_text(NODE_7 "\n")));
  OK(sc_buffer_extend(&space, &file, long_line));
  memset(space, '0', long_line);
  OK(sc_buffer_append(&file, sc_bytes_text("\n" NODE_8 "\n")));
  OK(sc_pool_file_read(&list, &changes, today, false, sc_buffer_bytes(&file)));
  CHECK(sc_node_list_count(&list) == 1);
done:
  sc_node_list_free(&list);
  sc_buffer_free(&file);
}

static void file_size_is_limited(sc_test *t) {
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  FAILS(SC_ERR_TOO_LARGE,
        sc_pool_file_read(&list, &changes, today, false, sc_bytes_make(NULL, SC_POOL_FILE_MOST + 1)));
  OK(sc_pool_file_read(&list, &changes, today, false, (sc_bytes){0}));
  CHECK(sc_node_list_count(&list) == 0);
done:
  sc_node_list_free(&list);
}

static void a_written_file_is_read_back(sc_test *t) {
  enum { count = 300 };
  sc_day_changes changes = {0};
  sc_node_list list, back;
  sc_buffer file;
  sc_node_list_init(&list, t->env);
  sc_node_list_init(&back, t->env);
  sc_buffer_init(&file, t->env);
  OK(crowd_list(&list, 0, count));
  OK(sc_pool_file_write(&file, sc_node_list_nodes(&list), count, &changes));
  OK(sc_pool_file_read(&back, &changes, today, false, sc_buffer_bytes(&file)));
  CHECK(sc_node_list_count(&back) == count && back.skipped == 0);
  for (size_t i = 0; i < count; i++) {
    const sc_node *a = &sc_node_list_nodes(&list)[i], *b = &sc_node_list_nodes(&back)[i];
    CHECK(sc_node_same(a, b) && a->swarm == b->swarm && memcmp(a->ip, b->ip, 4) == 0);
  }
done:
  sc_node_list_free(&list);
  sc_node_list_free(&back);
  sc_buffer_free(&file);
}

static void days_and_changes_are_kept(sc_test *t) {
  static const char known[] = "changes|19999|12\n" NODE_7 "|19998\n" NODE_8 "\n";
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_buffer file;
  sc_node_list_init(&list, t->env);
  sc_buffer_init(&file, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(known)));
  CHECK(sc_node_list_count(&list) == 2 && list.skipped == 0 && changes.day == 19999 && changes.count == 12);
  CHECK(sc_node_list_nodes(&list)[0].first_day == 19998 && sc_node_list_nodes(&list)[1].first_day == 0);
  OK(sc_pool_file_write(&file, sc_node_list_nodes(&list), 2, &changes));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&file));
done:
  sc_node_list_free(&list);
  sc_buffer_free(&file);
}

static void days_to_come_are_today(sc_test *t) {
  static const char file[] = "changes|20001|12\n" NODE_7 "|4294967295\n";
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(file)));
  CHECK(sc_node_list_count(&list) == 1 && sc_node_list_nodes(&list)[0].first_day == today);
  CHECK(changes.day == today && changes.count == 12);
done:
  sc_node_list_free(&list);
}

static void bad_days_are_skipped(sc_test *t) {
  static const char file[] = "changes|20000\nchanges|20000|12|1\nchanges|x|12\n" NODE_7 "|\n" NODE_7
                             "|1|2\n" NODE_7 "|4294967296\n" NODE_8 "\n";
  sc_day_changes changes = {0};
  sc_node_list list;
  sc_node_list_init(&list, t->env);
  OK(sc_pool_file_read(&list, &changes, today, false, sc_bytes_text(file)));
  CHECK(sc_node_list_count(&list) == 1 && list.skipped == 6 && changes.count == 0);
done:
  sc_node_list_free(&list);
}

SUITE(network_nodes_pool_file, "network/nodes/pool_file",
      {"the known file is read and written", the_known_file_is_read_and_written},
      {"bad lines are skipped and counted", bad_lines_are_skipped_and_counted},
      {"unusable nodes are skipped", unusable_nodes_are_skipped},
      {"days and changes are kept", days_and_changes_are_kept},
      {"days to come are today", days_to_come_are_today}, {"bad days are skipped", bad_days_are_skipped},
      {"an overlong line ends the file", an_overlong_line_ends_the_file},
      {"file size is limited", file_size_is_limited},
      {"a written file is read back", a_written_file_is_read_back});
