/* Records are found by a hash of what has to agree, so that two records of one node are two candidates. */
#include "ballot.h"

#include "../../crypto/blake2b.h"

typedef struct candidate {
  uint8_t hash[SC_KEY_BYTES];
  sc_node node;
  size_t votes;
} candidate;

void sc_ballot_init(sc_ballot *ballot, const sc_env *env) {
  *ballot = (sc_ballot){0};
  sc_key_table_init(&ballot->records, env, SC_KEY_BYTES, sizeof(candidate));
}

void sc_ballot_free(sc_ballot *ballot) {
  sc_key_table_free(&ballot->records);
  ballot->lists = 0;
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
sc_status sc_ballot_count(sc_ballot *ballot, const sc_node_list *list) {
  sc_status status = sc_key_table_reserve(&ballot->records, ballot->records.count + sc_node_list_count(list));
  for (size_t i = 0; status == SC_OK && i < sc_node_list_count(list); i++) {
    const sc_node *node = &sc_node_list_nodes(list)[i];
    uint8_t hash[SC_KEY_BYTES];
    void *record;
    hash_of(hash, node);
    status = sc_key_table_put(&record, NULL, &ballot->records, hash);
    if (status == SC_OK) {
      ((candidate *)record)->node = *node;
      ((candidate *)record)->votes++;
    }
  }
  ballot->lists += status == SC_OK;
  return status;
}

sc_status sc_ballot_tally(sc_node_list *out, const sc_ballot *ballot, size_t enough) {
  const candidate *candidates = ballot->records.records;
  sc_status status = sc_key_table_reserve(&out->table, ballot->records.count);
  for (size_t votes = ballot->lists; votes >= enough && votes > 0; votes--)
    for (size_t i = 0; status == SC_OK && i < ballot->records.count; i++)
      if (candidates[i].votes == votes)
        status = sc_node_list_add(out, &candidates[i].node, true);
  if (status != SC_OK)
    sc_node_list_free(out);
  return status;
}
