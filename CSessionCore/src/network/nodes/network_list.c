#include "session-core/network/network_list.h"

#include "../storage/reply.h"
#include "node_list.h"
#include "session-core/crypto/signature.h"

static sc_status find_seeds(sc_network_list *list) {
  const sc_storage_node_list *nodes = &list->nodes;
  size_t most = nodes->count < SC_NODE_MAX_SEEDS ? nodes->count : SC_NODE_MAX_SEEDS;
  sc_node *seeds = sc_storage_take(list->memory, most, sizeof *seeds);
  if (seeds == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < nodes->count && list->seed_count < most; i++) {
    seeds[list->seed_count] = sc_node_of_record(&nodes->list[i]);
    list->seed_count += sc_node_is_usable(&seeds[list->seed_count], true);
  }
  list->seeds = seeds;
  return list->seed_count > 0 ? SC_OK : SC_ERR_NODE_LIST;
}

/* A number of 16 bits that has to be there. */
static bool read_number(uint16_t *out, sc_rpc_value dict, const char *key) {
  uint64_t number = UINT64_MAX;
  bool good = sc_rpc_member_u64(&number, dict, key) && number <= UINT16_MAX;
  *out = good ? (uint16_t)number : 0;
  return good;
}

typedef struct heading {
  uint8_t operator_key[SC_KEY_BYTES];
  uint8_t signature[SC_SIGNATURE_BYTES];
} heading;

static bool read_heading(heading *out, sc_rpc_value dict) {
  sc_rpc_value key, signature;
  return sc_rpc_member(&key, dict, "operator") && sc_rpc_member(&signature, dict, "signature") &&
         sc_rpc_key(out->operator_key, sizeof out->operator_key, key) &&
         sc_rpc_fixed(out->signature, sizeof out->signature, signature);
}

static sc_status check_signature(const heading *h, const uint8_t *operator_key, sc_bytes text) {
  const uint8_t *end = memchr(text.ptr, '\n', text.len);
  if (operator_key != NULL && memcmp(operator_key, h->operator_key, sizeof h->operator_key) != 0)
    return SC_ERR_SIGNATURE;
  if (end == NULL)
    return SC_ERR_NODE_LIST;
  const sc_bytes covered = sc_bytes_make(end + 1, text.len - (size_t)(end + 1 - text.ptr));
  return sc_ed25519_verify(SC_BYTES(h->operator_key), covered, SC_BYTES(h->signature));
}

static sc_status read_list(sc_network_list *list, sc_rpc_value dict) {
  sc_storage_service_nodes read = {0};
  bool good = sc_rpc_member_text(&list->name, dict, "name") &&
              read_number(&list->fork[0], dict, "hardfork") &&
              read_number(&list->fork[1], dict, "snode_revision");
  sc_status status = good ? sc_storage_service_nodes_read(&read, list->memory, dict) : SC_ERR_NODE_LIST;
  if (status != SC_OK)
    return status;
  list->height = read.height;
  list->block_hash = read.block_hash;
  list->nodes = read.nodes;
  return find_seeds(list);
}

static sc_status read_file(sc_network_list *list, const uint8_t *operator_key, sc_bytes text) {
  sc_rpc_value dict = {0};
  heading h;
  sc_status status = sc_rpc_open(&dict, list->memory, text);
  if (status != SC_OK)
    return status;
  if (dict.form != SC_STORAGE_JSON || !read_heading(&h, dict))
    return SC_ERR_NODE_LIST;
  memcpy(list->operator_key, h.operator_key, sizeof h.operator_key);
  status = check_signature(&h, operator_key, text);
  return status == SC_OK ? read_list(list, dict) : status;
}

sc_status sc_network_list_open(sc_network_list *out, const sc_env *env, const uint8_t *operator_key,
                               sc_bytes text) {
  sc_network_list list = {0};
  *out = list;
  sc_status status = sc_storage_memory_new(&list.memory, env);
  if (status != SC_OK)
    return status;
  status = read_file(&list, operator_key, text);
  if (status == SC_OK) {
    *out = list;
    return SC_OK;
  }
  sc_storage_memory_free(list.memory);
  return status == SC_ERR_NO_MEMORY || status == SC_ERR_SIGNATURE ? status : SC_ERR_NODE_LIST;
}

void sc_network_list_free(sc_network_list *list) {
  sc_storage_memory_free(list->memory);
  *list = (sc_network_list){0};
}

/* A destination is not a hop of its own path, so a path has fewer hops than there are seeds. */
void sc_network_list_options(sc_network_options *out, const sc_network_list *list) {
  size_t others = list->seed_count > 1 ? list->seed_count - 1 : 1;
  sc_network_options_default(out, SC_NETWORK_PRIVATE);
  out->nodes.seeds = list->seeds;
  out->nodes.seed_count = list->seed_count;
  if (out->path_length > others)
    out->path_length = (uint32_t)others;
}
