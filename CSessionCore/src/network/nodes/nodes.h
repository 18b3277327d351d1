/* A client's knowledge of its network: the pool of nodes, their strikes, the swarms, and the refresh that
 * keeps them current. The router uses this header; the parts have their own.
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
  /* Asks a node for its list, by SC_STORAGE_ACTIVE_NODES, or by SC_STORAGE_SERVICE_NODES if it does not know
   * that; over a path if `routed`, which holds for all nodes but seeds. The host passes the reply to
   * sc_nodes_answered or sc_nodes_failed with the token, later, never from within. Anything but SC_OK: the
   * call cannot be made. */
  sc_status (*ask)(void *user, uint64_t token, const sc_node *node, sc_storage_method method, bool routed);
  /* True if requests can use a path now. */
  bool (*has_path)(void *user);
  /* A list is to be asked for as soon as there is a path: build one. */
  void (*want_path)(void *user);
  /* The file is to be written, from sc_nodes_write_pool or _write_strikes, now or soon. May be NULL. */
  void (*save)(void *user, sc_nodes_file file);
  /* The pool was replaced; borrowed nodes are invalid. May be NULL. */
  void (*replaced)(void *user);
} sc_nodes_host;

typedef struct sc_nodes sc_nodes;

/* SC_ERR_ARGUMENT for contradictory options, SC_ERR_NO_SEEDS without seeds. */
SC_NODISCARD sc_status sc_nodes_new(sc_nodes **out, const sc_env *env, const sc_node_options *options,
                                    const sc_nodes_host *host);
/* Tells waiters that nothing was refreshed. NULL is allowed. */
void sc_nodes_free(sc_nodes *nodes);

const sc_node_pool *sc_nodes_pool(const sc_nodes *nodes);

/* True if the pool is from a seed, in this run. */
bool sc_nodes_are_of_seed(const sc_nodes *nodes);

/* ---- choosing ---- */

/* Fills `out` with up to `count` nodes that are not struck out, not among `excluded`, and with diversity in
 * no /24 of those excluded or chosen. Returns how many there are. */
size_t sc_nodes_pick(const sc_node **out, sc_nodes *nodes, uint64_t wall, size_t count,
                     const sc_node *excluded, size_t excluded_count);

/* NULL when it is not in the pool. */
const sc_node *sc_nodes_find(const sc_nodes *nodes, const uint8_t key[static SC_KEY_BYTES]);

/* Nodes that sc_nodes_pick could give, diversity apart; counts no further than `most`. */
size_t sc_nodes_usable(sc_nodes *nodes, uint64_t wall, size_t most);

/* ---- strikes ---- */

/* One strike against a node, or as many as strike it out. */
SC_NODISCARD sc_status sc_nodes_strike(sc_nodes *nodes, uint64_t now, uint64_t wall,
                                       const uint8_t key[static SC_KEY_BYTES], bool permanent);
size_t sc_nodes_strikes(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);
bool sc_nodes_is_struck_out(sc_nodes *nodes, uint64_t wall, const uint8_t key[static SC_KEY_BYTES]);
/* Has the file saved, empty. */
void sc_nodes_clear_strikes(sc_nodes *nodes, uint64_t now);

/* ---- swarms ---- */

/* Finds the swarm of an account, `account` being its key without the prefix. Unless strikes are ignored,
 * those struck out are left out as long as enough others remain. Does not refresh anything: sc_nodes_want
 * does. SC_ERR_NO_SWARM when the pool has none. */
SC_NODISCARD sc_status sc_nodes_swarm(sc_swarm *out, sc_nodes *nodes, uint64_t wall,
                                      const uint8_t account[static SC_KEY_BYTES], bool ignore_strikes);

/* The hint in a redirect of an account: see swarms.h. */
bool sc_nodes_hint(uint64_t *out, const sc_nodes *nodes, const uint8_t account[static SC_KEY_BYTES],
                   const sc_storage_swarm *swarm);

/* The nodes of a swarm, set aside or not. False if there is no such swarm. */
bool sc_nodes_of_swarm(sc_swarm *out, const sc_nodes *nodes, uint64_t swarm);

/* ---- refreshing ---- */

/* Refreshes if it is time: the pool empty, old, or short of usable nodes. While the pool stays short,
 * refreshes back off. See refresh.h for the result, and waiter.h for the waiter, which may be NULL. */
sc_refresh_want sc_nodes_want(sc_nodes *nodes, uint64_t now, uint64_t wall, sc_refresh_waiter *waiter);

/* Refreshes because a node says the pool is wrong, unless that was done a short while ago. `account` is the
 * key whose swarm says so, or NULL: one account causes at most every second of these refreshes if others want
 * them too. */
sc_refresh_want sc_nodes_want_evidence(sc_nodes *nodes, uint64_t now, uint64_t wall, const uint8_t *account,
                                       sc_refresh_waiter *waiter);

/* True if a refresh is running or postponed. */
bool sc_nodes_is_refreshing(const sc_nodes *nodes);

/* Passes the body of a node's reply. SC_ERR_NOT_FOUND if it came too late. SC_ERR_NODE_LIST for an invalid
 * or too short list, and SC_ERR_NO_MEMORY, count as failures of the node. */
SC_NODISCARD sc_status sc_nodes_answered(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token,
                                         sc_bytes body);

/* `why` is SC_ERR_STORAGE_METHOD when the node answered that it does not know the method, anything else
 * otherwise. SC_ERR_NOT_FOUND as before; SC_ERR_NO_MEMORY when that made the refresh fail. */
SC_NODISCARD sc_status sc_nodes_failed(sc_nodes *nodes, uint64_t now, uint64_t wall, uint64_t token,
                                       sc_status why);

/* When sc_nodes_advance wants to be called next; UINT64_MAX for never. */
uint64_t sc_nodes_deadline(const sc_nodes *nodes);

/* Does the work that is due. SC_ERR_NO_MEMORY if that failed a refresh, which is retried. */
SC_NODISCARD sc_status sc_nodes_advance(sc_nodes *nodes, uint64_t now, uint64_t wall);

/* Gives up the refresh, tells waiters that nothing was refreshed, and has changed strikes saved. Nothing is
 * refreshed until sc_nodes_resume. */
void sc_nodes_suspend(sc_nodes *nodes, uint64_t now);
void sc_nodes_resume(sc_nodes *nodes);

/* ---- files ---- */

/* Reads the pool that was saved at `modified`, milliseconds since 1970; does nothing when there is a pool
 * already. SC_ERR_NODE_FILE: the file is of no use and should be removed. SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_nodes_load_pool(sc_nodes *nodes, uint64_t wall, sc_bytes file, uint64_t modified);
SC_NODISCARD sc_status sc_nodes_write_pool(sc_buffer *out, const sc_nodes *nodes);

/* Adds the strikes that were saved; keeps what can be read of a file that was cut off. */
SC_NODISCARD sc_status sc_nodes_load_strikes(sc_nodes *nodes, uint64_t wall, sc_bytes file);
SC_NODISCARD sc_status sc_nodes_write_strikes(sc_buffer *out, sc_nodes *nodes, uint64_t wall);

/* Forgets pool and strikes, and gives up the refresh; has both files saved, empty. */
void sc_nodes_clear(sc_nodes *nodes, uint64_t now);

#endif
