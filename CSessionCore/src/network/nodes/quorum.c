/* Records are found by a hash of what has to agree, so that two records of one node are two candidates. */
#include "quorum.h"

#include "../../crypto/blake2b.h"

typedef struct candidate {
  uint8_t hash[SC_KEY_BYTES];
  sc_node node;
  bool voters[SC_NODE_MAX_LISTS]; /* the lists that have it */
  size_t votes;
} candidate;

void sc_quorum_init(sc_quorum *quorum, const sc_env *env) {
  *quorum = (sc_quorum){0};
  sc_key_table_init(&quorum->records, env, SC_KEY_BYTES, sizeof(candidate));
}

void sc_quorum_free(sc_quorum *quorum) {
  sc_key_table_free(&quorum->records);
  quorum->lists = 0;
}

static void hash_of(uint8_t out[static SC_KEY_BYTES], const sc_node *node) {
  const sc_bytes pieces[] = {
      SC_BYTES(node->key),
      SC_BYTES(node->ip),
      sc_bytes_make(&node->https_port, sizeof node->https_port),
      sc_bytes_make(&node->quic_port, sizeof node->quic_port),
      sc_bytes_make(&node->swarm, sizeof node->swarm),
  };
  sc_blake2b_pieces(out, SC_KEY_BYTES, (sc_bytes){0}, NULL, pieces, sizeof pieces / sizeof pieces[0]);
}

/* Room is made first: a list that was counted in part would have votes without being one. */
sc_status sc_quorum_add(sc_quorum *quorum, const sc_node_list *list) {
  sc_status status = sc_key_table_reserve(&quorum->records, quorum->records.count + sc_node_list_count(list));
  for (size_t i = 0; status == SC_OK && i < sc_node_list_count(list); i++) {
    const sc_node *node = &sc_node_list_nodes(list)[i];
    uint8_t hash[SC_KEY_BYTES];
    void *record;
    hash_of(hash, node);
    status = sc_key_table_put(&record, NULL, &quorum->records, hash);
    if (status == SC_OK) {
      candidate *found = record;
      found->node = *node;
      found->voters[quorum->lists] = true;
      found->votes++;
    }
  }
  quorum->lists += status == SC_OK;
  return status;
}

sc_status sc_quorum_result(sc_node_list *out, const sc_quorum *quorum, size_t enough) {
  const candidate *candidates = quorum->records.records;
  sc_status status = sc_key_table_reserve(&out->table, quorum->records.count);
  for (size_t votes = quorum->lists; votes >= enough && votes > 0; votes--)
    for (size_t i = 0; status == SC_OK && i < quorum->records.count; i++)
      if (candidates[i].votes == votes)
        status = sc_node_list_add(out, &candidates[i].node, true);
  if (status != SC_OK)
    sc_node_list_free(out);
  return status;
}

size_t sc_quorum_supporters(const sc_quorum *quorum, const sc_node_list *list, size_t differences) {
  const candidate *candidates = quorum->records.records;
  size_t shared[SC_NODE_MAX_LISTS] = {0}, strange[SC_NODE_MAX_LISTS] = {0}, supporters = 0;
  for (size_t i = 0; i < quorum->records.count; i++) {
    const sc_node *node = sc_key_table_find(&list->table, candidates[i].node.key);
    bool is_shared = node != NULL && sc_node_agrees(node, &candidates[i].node);
    for (size_t k = 0; k < quorum->lists; k++) {
      shared[k] += is_shared && candidates[i].voters[k];
      strange[k] += node == NULL && candidates[i].voters[k];
    }
  }
  for (size_t k = 0; k < quorum->lists; k++)
    supporters += sc_node_list_count(list) - shared[k] + strange[k] <= differences;
  return supporters;
}
