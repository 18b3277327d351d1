/* A pool of 2,500 nodes: read from its file, searched for swarms, picked from, and agreed upon. */
#include "bench.h"
#include "network/nodes/nodes.h"
#include "network/nodes/quorum.h"

enum { node_count = 2500, swarm_size = 10, account_count = 64, struck_count = 50 };

static const uint64_t wall = 1700000000000;

static struct {
  sc_node nodes[node_count];
  char keys[node_count][SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  uint8_t accounts[account_count][SC_KEY_BYTES];
  uint8_t records[node_count * SC_STORAGE_ACTIVE_NODE_BYTES];
  sc_node_options options;
  sc_buffer file;
  sc_nodes *open;
} world;

static sc_status call_list(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                           bool routed) {
  (void)user, (void)token, (void)node, (void)method, (void)routed;
  return SC_OK;
}

static bool has_path(void *user) {
  (void)user;
  return false;
}

static sc_nodes *load(void) {
  const sc_nodes_host host = {.call_list = call_list, .has_path = has_path};
  sc_nodes *nodes;
  BENCH_OK(sc_nodes_new(&nodes, bench_env(), &world.options, &host));
  BENCH_OK(sc_nodes_load_pool(nodes, wall, sc_buffer_bytes(&world.file), wall));
  return nodes;
}

static void make_node(sc_node *node, size_t i) {
  uint64_t swarm;
  sc_random(NULL, node->key, sizeof node->key);
  sc_random(NULL, (uint8_t *)&swarm, sizeof swarm);
  const uint8_t ip[] = {9, (uint8_t)(i >> 8), (uint8_t)i, 1};
  memcpy(node->ip, ip, sizeof ip);
  node->https_port = 22021;
  node->quic_port = 22020;
  node->version[0] = 2;
  node->version[1] = 11;
  node->swarm = i % swarm_size == 0 ? swarm : world.nodes[i - i % swarm_size].swarm;
  sc_hex_encode(world.keys[i], SC_BYTES(node->key));
}

static void put_record(const sc_node *node, size_t i) {
  sc_storage_node record = {
      .https_port = node->https_port, .quic_port = node->quic_port, .swarm = node->swarm};
  memcpy(record.ed25519, node->key, SC_KEY_BYTES);
  memcpy(record.ip, node->ip, sizeof record.ip);
  sc_storage_active_node_write(world.records + i * SC_STORAGE_ACTIVE_NODE_BYTES, &record);
}

static void make_world(void) {
  sc_node_options_default(&world.options, SC_NETWORK_MAIN);
  sc_buffer_init(&world.file, NULL);
  for (size_t i = 0; i < node_count; i++) {
    make_node(&world.nodes[i], i);
    put_record(&world.nodes[i], i);
  }
  for (size_t i = 0; i < node_count; i++) {
    char text[SC_NODE_TEXT_BYTES];
    size_t len = sc_node_format(text, &world.nodes[i]);
    text[len] = '\n';
    BENCH_OK(sc_buffer_append(&world.file, sc_bytes_make(text, len + 1)));
  }
  sc_random(NULL, world.accounts[0], sizeof world.accounts);
  world.open = load();
  for (size_t i = 0; i < struck_count; i++)
    BENCH_OK(sc_nodes_strike(world.open, 0, wall, world.nodes[i * 7].key, true));
}

static void load_file(void *user) {
  (void)user;
  sc_nodes_free(load());
}

/* Decodes every key, as any loader must. */
static void read_keys(void *user) {
  (void)user;
  uint8_t key[SC_KEY_BYTES];
  for (size_t i = 0; i < node_count; i++) {
    BENCH_OK(sc_hex_decode(key, sizeof key, sc_bytes_make(world.keys[i], SC_HEX_CHARS(SC_KEY_BYTES))));
    bench_keep(key);
  }
}

static void find_swarms(void *user) {
  (void)user;
  sc_swarm swarm;
  for (size_t i = 0; i < account_count; i++) {
    BENCH_OK(sc_nodes_swarm(&swarm, world.open, wall, world.accounts[i], false));
    bench_keep(swarm.nodes);
  }
}

/* Looks up each member by key, as a caller must to learn whether it is struck out. */
static void look_up_members(void *user) {
  (void)user;
  for (size_t i = 0; i < account_count; i++)
    for (size_t j = 0; j < swarm_size; j++)
      bench_keep(sc_nodes_find(world.open, world.nodes[i * swarm_size + j].key));
}

static void pick_path(void *user) {
  (void)user;
  const sc_node *picked[3];
  for (size_t i = 0; i < account_count; i++) {
    sc_nodes_pick(picked, world.open, wall, 3, world.nodes, 6);
    bench_keep(picked);
  }
}

static void agree(void *user) {
  (void)user;
  sc_quorum quorum;
  sc_node_list list;
  sc_quorum_init(&quorum, bench_env());
  sc_node_list_init(&list, bench_env());
  for (size_t i = 0; i < 3; i++) {
    BENCH_OK(sc_node_list_read(&list, SC_STORAGE_ACTIVE_NODES, false, SC_BYTES(world.records)));
    BENCH_OK(sc_quorum_add(&quorum, &list));
  }
  sc_node_list_free(&list);
  BENCH_OK(sc_quorum_result(&list, &quorum, 2));
  bench_keep(list.table.records);
  sc_node_list_free(&list);
  sc_quorum_free(&quorum);
}

/* Something of every record of each list has to be hashed to find the others. */
static void hash_records(void *user) {
  (void)user;
  uint8_t hash[32];
  for (size_t i = 0; i < 3 * node_count; i++) {
    const uint8_t *record = world.records + i % node_count * SC_STORAGE_ACTIVE_NODE_BYTES;
    BENCH_OK(sc_blake2b(hash, sizeof hash, (sc_bytes){0}, sc_bytes_make(record, 48)));
    bench_keep(hash);
  }
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  make_world();
  bench_run(&(bench_case){.name = "nodes/load a pool of 2500 from its file",
                          .ours = load_file,
                          .floor = read_keys,
                          .floor_name = "keys from hexadecimal",
                          .amount = 1,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 2000,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "nodes/swarm of an account",
                          .ours = find_swarms,
                          .floor = look_up_members,
                          .floor_name = "looking up 10 keys",
                          .amount = account_count,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 1,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "nodes/pick 3 for a path",
                          .ours = pick_path,
                          .amount = account_count,
                          .measure = BENCH_US_PER_OP,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "nodes/agree on 3 lists of 2500",
                          .ours = agree,
                          .floor = hash_records,
                          .floor_name = "a hash of each record",
                          .amount = 1,
                          .measure = BENCH_US_PER_OP,
                          .count_allocations = true});
  sc_nodes_free(world.open);
  sc_buffer_free(&world.file);
  return 0;
}
