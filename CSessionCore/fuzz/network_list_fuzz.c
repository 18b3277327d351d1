/* The file of a private network. The first byte of the input chooses: the file as it is, or the part behind
 * its first line, correctly signed. A client can start with every file that is accepted. */
#include "fuzz.h"

static void check(const sc_network_list *list) {
  sc_network_options options;
  REQUIRE(list->seed_count > 0 && list->seed_count <= SC_NODE_MAX_SEEDS);
  REQUIRE(list->seed_count <= list->nodes.count && list->nodes.count <= SC_STORAGE_MAX_NODES);
  for (size_t i = 0; i < list->seed_count; i++)
    REQUIRE(sc_node_is_usable(&list->seeds[i], true));
  sc_network_list_options(&options, list);
  REQUIRE(options.path_length >= 1 && options.nodes.seeds == list->seeds);
}

static void sign(sc_buffer *out, sc_bytes rest) {
  sc_keypair boss;
  uint8_t seed[SC_ED25519_SEED_BYTES] = {1}, signature[SC_SIGNATURE_BYTES];
  char base64[SC_BASE64_CHARS(SC_SIGNATURE_BYTES) + 1], hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1], line[512];
  sc_buffer covered;
  sc_buffer_init(&covered, fuzz_env());
  sc_keypair_from_seed(&boss, seed);
  sc_hex_encode(hex, SC_BYTES(boss.ed.public_key));
  int len = snprintf(line, sizeof line, "\"operator\":\"%s\",", hex);
  REQUIRE(sc_buffer_append(&covered, sc_bytes_make(line, (size_t)len)) == SC_OK);
  REQUIRE(sc_buffer_append(&covered, rest) == SC_OK);
  sc_ed25519_sign(signature, &boss.ed, sc_buffer_bytes(&covered));
  sc_base64_encode(base64, SC_BYTES(signature), SC_BASE64_STANDARD);
  len = snprintf(line, sizeof line, "{\"signature\":\"%s\",\n", base64);
  REQUIRE(sc_buffer_append(out, sc_bytes_make(line, (size_t)len)) == SC_OK);
  REQUIRE(sc_buffer_append(out, sc_buffer_bytes(&covered)) == SC_OK);
  sc_buffer_free(&covered);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_network_list list;
  sc_buffer text;
  REQUIRE(sc_init() == SC_OK);
  sc_bytes input = sc_bytes_make(data, size);
  bool is_signed_here = (fuzz_take_byte(&input) & 1) != 0;
  sc_buffer_init(&text, fuzz_env());
  if (is_signed_here)
    sign(&text, input);
  sc_status status =
      sc_network_list_open(&list, fuzz_env(), NULL, is_signed_here ? sc_buffer_bytes(&text) : input);
  REQUIRE(status == SC_OK || status == SC_ERR_NODE_LIST || status == SC_ERR_SIGNATURE);
  REQUIRE(status != SC_ERR_SIGNATURE || !is_signed_here);
  REQUIRE((status == SC_OK) == (list.memory != NULL));
  if (status == SC_OK)
    check(&list);
  sc_network_list_free(&list);
  sc_buffer_free(&text);
  return 0;
}
