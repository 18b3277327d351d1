/* A network on a thread of its own: it is driven there, and its files are read and written.
 *
 * The host owns its network and its runtime. Requests are made from any thread; what they ask is written down
 * before the call returns. Callbacks run on the host's thread, and may make requests there too. Nothing may
 * be called after sc_network_host_free. */
#ifndef SC_RUNTIME_NETWORK_HOST_H
#define SC_RUNTIME_NETWORK_HOST_H

#include "../network/client.h"
#include "loop.h"

SC_API_BEGIN

typedef struct sc_network_host sc_network_host;

typedef struct sc_network_host_options {
  const char *folder; /* of the files, which exists; NULL: none are read, and none kept. Copied */
  sc_address address; /* to send from; SC_ADDRESS_NONE for any of IPv4 */
  sc_runtime_options runtime;
} sc_network_host_options;

/* Makes a network, reads its files, and opens its socket; it does nothing yet. `network` is as for
 * sc_network_new: events come on the host's thread. The failures of sc_network_new, sc_runtime_new and
 * sc_guest_new; SC_ERR_TOO_LARGE for a folder with too long a name. A file that cannot be read is passed
 * over. */
SC_API SC_NODISCARD sc_status sc_network_host_new(sc_network_host **out, const sc_env *env,
                                                  const sc_network_options *network,
                                                  const sc_network_host_options *options);

/* Gives it its thread, and resumes the network. SC_ERR_STATE when it was started before, or stopped;
 * SC_ERR_SYSTEM_LIMIT, after which it may be started again. */
SC_API SC_NODISCARD sc_status sc_network_host_start(sc_network_host *host, bool build);

/* Ends all requests, tells peers, writes the files and ends the thread: at the latest after `grace`
 * nanoseconds. Not on the host's own thread. As sc_runtime_stop. */
SC_API SC_NODISCARD sc_status sc_network_host_stop(sc_network_host *host, uint64_t grace);

/* Stops it without grace, if that was not done. Not on the host's own thread. NULL is allowed. */
SC_API void sc_network_host_free(sc_network_host *host);

/* Sends a request, from any thread. `request->done` is called exactly once if this succeeds, on the host's
 * thread, with the ticket that is in `out` by then (which may be NULL); also with the failures by which
 * sc_network_send refuses a request for want of room. SC_ERR_RUNTIME_BUSY, SC_ERR_RUNTIME_STOPPED,
 * SC_ERR_NO_MEMORY, and what sc_network_send says of requests that cannot be written. */
SC_API SC_NODISCARD sc_status sc_network_host_send(sc_network_ticket *out, sc_network_host *host,
                                                   const sc_network_request *request);

/* Has a request of sc_network_host_send end soon, unless it has ended by then; from any thread.
 * SC_ERR_RUNTIME_BUSY, SC_ERR_RUNTIME_STOPPED, SC_ERR_NO_MEMORY. */
SC_API SC_NODISCARD sc_status sc_network_host_cancel(sc_network_host *host, sc_network_ticket ticket);

/* Runs once on the host's thread, where everything of the network may be called. */
typedef void (*sc_network_host_task)(void *user, sc_network *network, uint64_t now);

/* From any thread: to suspend and resume, to look at paths. The same failures. */
SC_API SC_NODISCARD sc_status sc_network_host_post(sc_network_host *host, sc_network_host_task task,
                                                   void *user);

SC_API_END

#endif
