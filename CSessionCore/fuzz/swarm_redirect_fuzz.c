/* The body of code 421: each node it names is usable, and survives writing. */
#include "fuzz.h"

static bool is_usable(const sc_storage_node *node) {
  static const uint8_t nowhere[4];
  uint8_t x25519[SC_KEY_BYTES];
  return node->quic_port != 0 && memcmp(node->ip, nowhere, sizeof nowhere) != 0 &&
         sc_x25519_from_ed25519(x25519, SC_BYTES(node->ed25519)) == SC_OK &&
         memcmp(x25519, node->x25519, sizeof x25519) == 0;
}

static bool same_node(const sc_storage_node *a, const sc_storage_node *b) {
  return memcmp(a->ed25519, b->ed25519, SC_KEY_BYTES) == 0 &&
         memcmp(a->legacy, b->legacy, SC_KEY_BYTES) == 0 && memcmp(a->ip, b->ip, sizeof a->ip) == 0 &&
         a->https_port == b->https_port && a->quic_port == b->quic_port && a->swarm == b->swarm;
}

static void write_again(sc_storage_form form, const sc_storage_parsed_swarm *first) {
  sc_storage_parsed_swarm second;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  REQUIRE(sc_storage_swarm_write(&written, form, &first->swarm, &first->clock) == SC_OK);
  REQUIRE(sc_storage_swarm_parse(&second, fuzz_env(), sc_buffer_bytes(&written)) == SC_OK);
  REQUIRE(second.swarm.id == first->swarm.id && second.swarm.nodes.count == first->swarm.nodes.count);
  REQUIRE(second.swarm.nodes.skipped == 0 && second.clock.time == first->clock.time);
  for (size_t i = 0; i < second.swarm.nodes.count; i++)
    REQUIRE(same_node(&second.swarm.nodes.list[i], &first->swarm.nodes.list[i]));
  sc_storage_parsed_swarm_free(&second);
  sc_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_storage_parsed_swarm parsed;
  REQUIRE(sc_init() == SC_OK);
  sc_status status = sc_storage_swarm_parse(&parsed, fuzz_env(), sc_bytes_make(data, size));
  REQUIRE(status == SC_OK || status == SC_ERR_STORAGE_SWARM);
  if (status != SC_OK)
    return 0;
  REQUIRE(parsed.swarm.nodes.count > 0 && parsed.swarm.nodes.count <= SC_STORAGE_MAX_SWARM);
  for (size_t i = 0; i < parsed.swarm.nodes.count; i++)
    REQUIRE(is_usable(&parsed.swarm.nodes.list[i]));
  write_again(SC_STORAGE_JSON, &parsed);
  write_again(SC_STORAGE_BT, &parsed);
  sc_storage_parsed_swarm_free(&parsed);
  return 0;
}
