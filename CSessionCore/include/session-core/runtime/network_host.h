/* A network client on its own thread, with its files.
 *
 * The host owns its network and its runtime. Requests can be made on any thread; arguments are copied before
 * the call returns. Callbacks run on the host's thread and may make requests. Nothing may be called after
 * sc_network_host_free. */
#ifndef SC_RUNTIME_NETWORK_HOST_H
#define SC_RUNTIME_NETWORK_HOST_H

#include "../network/client.h"
#include "loop.h"

SC_API_BEGIN

typedef struct sc_network_host sc_network_host;

typedef struct sc_network_host_options {
  const char *folder; /* existing folder for caches, copied; NULL: nothing is stored */
  /* Existing folder for the guards, copied; NULL: `folder`. It must survive the deletion of caches. Processes
   * in one network that share it share their guards. */
  const char *state_folder;
  sc_address address; /* source address; SC_ADDRESS_NONE for any IPv4 address */
  sc_runtime_options runtime;
} sc_network_host_options;

/* Creates a network, reads its files, and opens its socket; it does nothing yet. `network` is as for
 * sc_network_new; events arrive on the host's thread. The statuses of sc_network_new, sc_runtime_new and
 * sc_guest_new; SC_ERR_TOO_LARGE for too long a path. An unreadable file is ignored. */
SC_API SC_NODISCARD sc_status sc_network_host_new(sc_network_host **out, const sc_env *env,
                                                  const sc_network_options *network,
                                                  const sc_network_host_options *options);

/* Starts the thread and resumes the network. SC_ERR_STATE if it was started or stopped before;
 * SC_ERR_SYSTEM_LIMIT, after which it can be called again. */
SC_API SC_NODISCARD sc_status sc_network_host_start(sc_network_host *host, bool build);

/* Ends all requests, notifies peers, writes the files and ends the thread, within `grace` nanoseconds. Not
 * on the host's own thread. As sc_runtime_stop. */
SC_API SC_NODISCARD sc_status sc_network_host_stop(sc_network_host *host, uint64_t grace);

/* Stops without a grace period unless stopped, and frees the host. Not on the host's own thread. NULL is
 * allowed. */
SC_API void sc_network_host_free(sc_network_host *host);

/* Sends a request. After success `request->done` is called exactly once, on the host's thread, with the
 * ticket that is in `out` by then (which may be NULL); also with the statuses by which sc_network_send
 * refuses a request because of limits. SC_ERR_RUNTIME_BUSY, SC_ERR_RUNTIME_STOPPED, SC_ERR_NO_MEMORY, and
 * those of sc_network_send for a request that cannot be encoded. Any thread. */
SC_API SC_NODISCARD sc_status sc_network_host_send(sc_network_ticket *out, sc_network_host *host,
                                                   const sc_network_request *request);

/* Cancels a request soon, unless it has ended by then. SC_ERR_RUNTIME_BUSY, SC_ERR_RUNTIME_STOPPED,
 * SC_ERR_NO_MEMORY. Any thread. */
SC_API SC_NODISCARD sc_status sc_network_host_cancel(sc_network_host *host, sc_network_ticket ticket);

/* Runs once on the host's thread, where all functions of the network may be called. */
typedef void (*sc_network_host_task)(void *user, sc_network *network, uint64_t now);

/* Queues a task, for example to suspend and resume, or to inspect paths. The same failures. Any thread. */
SC_API SC_NODISCARD sc_status sc_network_host_post(sc_network_host *host, sc_network_host_task task,
                                                   void *user);

SC_API_END

#endif
