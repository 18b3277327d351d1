/* A client's knowledge of its network: the pool of nodes, their strikes, the swarms, and the refresh that
 * keeps the pool up to date. The router uses this header; the parts have their own.
 *
 * Nothing here opens a file or a connection: the host does, through sc_nodes_host. `now` is monotonic, in
 * nanoseconds; `wall` is milliseconds since 1970. One thread. Pointers to nodes are borrowed until the pool
 * changes, which happens only inside sc_nodes_load_pool, _answered, _failed, _advance and _clear;
 * host.replaced reports it. */
#ifndef SC_SRC_NETWORK_NODES_NODES_H
#define SC_SRC_NETWORK_NODES_NODES_H

#include "pool.h"
#include "refresh.h"
#include "session-core/network/node_options.h"
#include "session-core/network/storage_reply.h"
#include "strikes.h"
#include "swarms.h"

typedef enum sc_nodes_file {
  SC_NODES_FILE_POOL,
  SC_NODES_FILE_STRIKES,
} sc_nodes_file;

typedef struct sc_nodes_host {
  void *user;
  /* Calls a node for its list with SC_STORAGE_ACTIVE_NODES, or SC_STORAGE_SERVICE_NODES if it does not
   * support that; over a path if `routed`, as for all nodes except seeds. The host passes the reply with the
   * token to sc_nodes_replied or sc_nodes_failed, after this call has returned. Anything but SC_OK: the call
   * cannot be made. */
  sc_status (*call_list)(void *user, uint64_t token, const sc_node *node, sc_storage_method method,
                         bool routed);
  /* True if requests can use a path now. */
  bool (*has_path)(void *user);
  /* A list is fetched as soon as there is a path: build one. */
  void (*want_path)(void *user);
  /* The file must be written soon, with the result of sc_nodes_write_pool or _write_strikes. May be NULL. */
  void (*save)(void *user, sc_nodes_file file);
  /* The pool was replaced; borrowed nodes are invalid. May be NULL. */
  void (*replaced)(void *user);
} sc_nodes_host;

typedef struct sc_nodes sc_nodes;

/* SC_ERR_ARGUMENT for contradictory options, SC_ERR_NO_SEEDS without seeds. */
SC_NODISCARD sc_status sc_nodes_new(sc_nodes **out, const sc_env *env, const sc_node_options *options,
                                    const sc_nodes_host *host);
/* Frees the object after notifying waiters that nothing was refreshed. NULL is allowed. */
void sc_nodes_free(sc_nodes *nodes);

const sc_node_pool *sc_nodes_pool(const sc_nodes *nodes);

/* True if the pool is from a seed, in this run. */
bool sc_nodes_are_of_seed(const sc_nodes *nodes);

/* ---- choosing ---- */

/* Fills `out` with up to `count` nodes that are not struck out, not among `excluded`, and with diversity in
 * no /24 of those excluded or chosen. Returns how many there are. */
size_t sc_nodes_pick(const sc_node **out, sc_nodes *nodes, uint64_t wall, size_t count,
                     const sc_node *excluded, size_t excluded_count);

/* Returns the node with this key, or NULL. */
const sc_node *sc_nodes_find(const sc_nodes *nodes, const uint8_t key[static SC_KEY_BYTES]);

/* Counts the nodes that sc_nodes_pick could return, ignoring diversity, up to `most`. */
size_t sc_nodes_usable(sc_nodes *nodes, uint64_t wall, size_t most);

/* ---- strikes ---- */

/* Adds one strike against a node, or if `permanent` as many as strike it out. */
SC_NODISCARD sc_status sc_nodes_strike(sc_nodes *nodes, uint64_t now, uint64_t wall,
                                       const uint8_t key[static SC_KEY_BYTES], bool permanent);
size_t sc_nodes_strikes(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);
bool sc_nodes_is_struck_out(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);
/* Deletes all strikes and has the empty file saved. */
void sc_nodes_clear_strikes(sc_nodes *nodes, uint64_t now);

/* ---- swarms ---- */

/* Finds the swarm of an account, `account` being its key without the prefix. Unless strikes are ignored,
 * those struck out are left out as long as enough others remain. Does not refresh anything: sc_nodes_want
 * does. SC_ERR_NO_SWARM if the pool has none. */
SC_NODISCARD sc_status sc_nodes_swarm(sc_swarm *out, sc_nodes *nodes, uint64_t wall,
                                      const uint8_t account[static SC_KEY_BYTES], bool ignore_strikes);

/* Reads the hint in a redirect of an account: see swarms.h. */
bool sc_nodes_hint(uint64_t *out, const sc_nodes *nodes, const uint8_t account[static SC_KEY_BYTES],
                   const sc_storage_swarm *swarm);

/* Fills in all nodes of a swarm, struck out or not. False if there is no such swarm. */
bool sc_nodes_of_swarm(sc_swarm *out, const sc_nodes *nodes, uint64_t swarm);

/* ---- refreshing ---- */

/* Refreshes if the pool is empty, old, or short of usable nodes. While the pool stays short, refreshes back
 * off. See refresh.h for the result, and waiter.h for the waiter, which may be NULL. */
sc_refresh_want sc_nodes_want(sc_nodes *nodes, uint64_t now, uint64_t wall, sc_refresh_waiter *waiter);

/* Refreshes because a node contradicts the pool, unless that happened recently. `account` is the key whose
 * swarm contradicts it, or NULL: one account causes at most every second refresh of this kind while others
 * want them too. */
sc_refresh_want sc_nodes_want_evidence(sc_nodes *nodes, uint64_t now, uint64_t wall, const uint8_t *account,
                                       sc_refresh_waiter *waiter);

/* True if a refresh is running or postponed. */
bool sc_nodes_is_refreshing(const sc_nodes *nodes);

/* Passes the body of a node's reply. SC_ERR_NOT_FOUND if it came too late. SC_ERR_NODE_LIST for an invalid
 * or too short list, and SC_ERR_NO_MEMORY, count as failures of the node. */
SC_NODISCARD sc_status sc_nodes_replied(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token,
                                        sc_bytes body);

/* Reports a failed call. `why` is SC_ERR_STORAGE_METHOD if the node does not support the method.
 * SC_ERR_NOT_FOUND as above; SC_ERR_NO_MEMORY if that failed the refresh. */
SC_NODISCARD sc_status sc_nodes_failed(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token,
                                       sc_status why);

/* Returns when to call sc_nodes_advance next; UINT64_MAX for never. */
uint64_t sc_nodes_deadline(const sc_nodes *nodes);

/* Does the work that is due. SC_ERR_NO_MEMORY if that failed a refresh, which is retried. */
SC_NODISCARD sc_status sc_nodes_advance(sc_nodes *nodes, uint64_t now, uint64_t wall);

/* Cancels the refresh, notifies waiters that nothing was refreshed, and has changed strikes saved. Nothing is
 * refreshed until sc_nodes_resume. */
void sc_nodes_suspend(sc_nodes *nodes, uint64_t now);
void sc_nodes_resume(sc_nodes *nodes);

/* ---- files ---- */

/* Reads a pool file saved at `modified`, milliseconds since 1970; does nothing if there is a pool.
 * SC_ERR_NODE_FILE: the file is useless and should be removed. SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_nodes_load_pool(sc_nodes *nodes, uint64_t wall, sc_bytes file, uint64_t modified);
SC_NODISCARD sc_status sc_nodes_write_pool(sc_buffer *out, const sc_nodes *nodes);

/* Adds saved strikes, as many as can be read from a truncated file. */
SC_NODISCARD sc_status sc_nodes_load_strikes(sc_nodes *nodes, uint64_t wall, sc_bytes file);
SC_NODISCARD sc_status sc_nodes_write_strikes(sc_buffer *out, sc_nodes *nodes, uint64_t wall);

/* Forgets pool and strikes, cancels the refresh, and has both empty files saved. */
void sc_nodes_clear(sc_nodes *nodes, uint64_t now);

#endif
