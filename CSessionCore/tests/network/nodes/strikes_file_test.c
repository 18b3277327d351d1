#include "crowd.h"
#include "network/nodes/strikes.h"

static const uint64_t second = 1000, hour = 3600 * 1000, start = 1700000000000;

static void init(sc_strikes *strikes, sc_test *t) {
  sc_node_options options;
  sc_node_options_default(&options, SC_NETWORK_MAIN);
  sc_strikes_init(strikes, t->env, &options);
}

/* One node, struck at 1700000000 and twice a second later. */
static const char known_file[] = "01000000"
                                 "0100000000000000000000000000000000000000000000000000000000000007"
                                 "0300"
                                 "00f1536500000000"
                                 "01f1536500000000"
                                 "01f1536500000000";

static void the_known_file_is_read_and_written(sc_test *t) {
  const sc_node node = crowd_node(0x07000000);
  sc_strikes strikes;
  sc_buffer known, file;
  init(&strikes, t);
  sc_buffer_init(&known, t->env);
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&known, known_file));
  OK(sc_strikes_read(&strikes, start + hour, sc_buffer_bytes(&known)));
  CHECK(sc_strikes_nodes(&strikes) == 1 && sc_strikes_count(&strikes, start + hour, node.key) == 3);
  CHECK(sc_strikes_count(&strikes, start + 48 * hour, node.key) == 2);
  sc_strikes_free(&strikes);
  OK(sc_strikes_read(&strikes, start + hour, sc_buffer_bytes(&known)));
  OK(sc_strikes_write(&file, &strikes));
  SAME(sc_buffer_bytes(&known), sc_buffer_bytes(&file));
done:
  sc_strikes_free(&strikes);
  sc_buffer_free(&known);
  sc_buffer_free(&file);
}

/* Truncated anywhere, the file is read up to the cut. */
static void a_truncated_file_is_read_up_to_its_end(sc_test *t) {
  enum { head = 4, per_node = 32 + 2 + 2 * 8, nodes = 3 };
  sc_strikes strikes, partial;
  sc_buffer file;
  init(&strikes, t);
  init(&partial, t);
  sc_buffer_init(&file, t->env);
  for (uint32_t i = 0; i < nodes; i++) {
    const sc_node node = crowd_node(i);
    OK(sc_strikes_add(&strikes, start, node.key, false));
    OK(sc_strikes_add(&strikes, start, node.key, false));
  }
  OK(sc_strikes_write(&file, &strikes));
  CHECK(file.len == head + nodes * per_node);
  for (size_t len = 0; len <= file.len; len++) {
    sc_strikes_free(&partial);
    OK(sc_strikes_read(&partial, start, sc_bytes_make(file.ptr, len)));
    size_t behind = len < head ? 0 : len - head, times = 0, expected = behind / per_node * 2;
    if (behind % per_node > 34)
      expected += (behind % per_node - 34) / 8;
    for (uint32_t i = 0; i < nodes; i++) {
      const sc_node node = crowd_node(i);
      times += sc_strikes_count(&partial, start, node.key);
    }
    CHECK(times == expected);
  }
done:
  sc_strikes_free(&strikes);
  sc_strikes_free(&partial);
  sc_buffer_free(&file);
}

static void counts_beyond_the_data_are_ignored(sc_test *t) {
  const sc_node node = crowd_node(0x07000000);
  sc_strikes strikes;
  sc_buffer file;
  init(&strikes, t);
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&file, known_file));
  memset(file.ptr, 0xff, 4);
  memset(file.ptr + 36, 0xff, 2);
  OK(sc_strikes_read(&strikes, start + hour, sc_buffer_bytes(&file)));
  CHECK(sc_strikes_nodes(&strikes) == 1 && sc_strikes_count(&strikes, start + hour, node.key) == 3);
done:
  sc_strikes_free(&strikes);
  sc_buffer_free(&file);
}

static void old_strikes_are_dropped_on_reading_and_writing(sc_test *t) {
  sc_strikes strikes;
  sc_buffer file;
  init(&strikes, t);
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&file, known_file));
  OK(sc_strikes_read(&strikes, start + 49 * hour, sc_buffer_bytes(&file)));
  CHECK(sc_strikes_nodes(&strikes) == 0);
  OK(sc_strikes_read(&strikes, start, sc_buffer_bytes(&file)));
  sc_strikes_prune(&strikes, start + 49 * hour);
  OK(sc_strikes_write(&file, &strikes));
  CHECK(file.len == 4 && file.ptr[0] == 0);
done:
  sc_strikes_free(&strikes);
  sc_buffer_free(&file);
}

static void future_times_count_as_now(sc_test *t) {
  const sc_node node = crowd_node(0x07000000);
  sc_strikes strikes;
  sc_buffer file;
  init(&strikes, t);
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&file, known_file));
  memset(file.ptr + 38, 0xff, 8); /* overflows in milliseconds */
  OK(sc_strikes_read(&strikes, start - hour, sc_buffer_bytes(&file)));
  CHECK(sc_strikes_count(&strikes, start - hour, node.key) == 3);
  CHECK(sc_strikes_count(&strikes, start + 46 * hour, node.key) == 3);
  CHECK(sc_strikes_count(&strikes, start + 47 * hour, node.key) == 0);
done:
  sc_strikes_free(&strikes);
  sc_buffer_free(&file);
}

static void reading_adds_to_the_known_strikes(sc_test *t) {
  const sc_node node = crowd_node(0x07000000);
  sc_strikes strikes;
  sc_buffer file;
  init(&strikes, t);
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&file, known_file));
  OK(sc_strikes_add(&strikes, start + 2 * second, node.key, false));
  OK(sc_strikes_read(&strikes, start + 2 * second, sc_buffer_bytes(&file)));
  CHECK(sc_strikes_count(&strikes, start + 2 * second, node.key) == 4);
done:
  sc_strikes_free(&strikes);
  sc_buffer_free(&file);
}

static void file_size_is_limited(sc_test *t) {
  sc_strikes strikes;
  init(&strikes, t);
  FAILS(SC_ERR_TOO_LARGE, sc_strikes_read(&strikes, start, sc_bytes_make(NULL, SC_STRIKES_FILE_MOST + 1)));
done:
  sc_strikes_free(&strikes);
}

SUITE(network_nodes_strikes_file, "network/nodes/strikes_file",
      {"the known file is read and written", the_known_file_is_read_and_written},
      {"a truncated file is read up to its end", a_truncated_file_is_read_up_to_its_end},
      {"counts beyond the data are ignored", counts_beyond_the_data_are_ignored},
      {"old strikes are dropped on reading and writing", old_strikes_are_dropped_on_reading_and_writing},
      {"future times count as now", future_times_count_as_now},
      {"reading adds to the known strikes", reading_adds_to_the_known_strikes},
      {"file size is limited", file_size_is_limited});
