/* Blocking calls to the network: for programs without a loop, and for languages that handle JSON more easily
 * than C structures.
 *
 * Call them on any thread except the host's (SC_ERR_RUNTIME_THREAD), while the host is running
 * (SC_ERR_STATE). Stopping the host ends pending calls. */
#ifndef SC_RUNTIME_CALL_H
#define SC_RUNTIME_CALL_H

#include "../network/network_list.h"
#include "network_host.h"

SC_API_BEGIN

/* Starts a host for the network of a network file, with default options. `network` is the content of the
 * file; `folder` is where the host stores its files, or NULL. The statuses of sc_network_list_open,
 * sc_network_host_new and sc_network_host_start. */
SC_API SC_NODISCARD sc_status sc_network_host_open(sc_network_host **out, const sc_env *env, sc_bytes network,
                                                   const char *folder);

/* Makes a request and waits for its reply; `done` and `user` of the request are ignored. SC_OK if the
 * destination replied: `*code` is its code and `out` the body. Otherwise the status of sc_network_host_send
 * or of the reply. */
SC_API SC_NODISCARD sc_status sc_network_host_request(sc_buffer *out, int *code, sc_network_host *host,
                                                      const sc_network_request *request);

/* The same for a storage request in JSON, {"method": …, "params": {…}}, with all required signatures: to the
 * swarm of its account, or to any node if it has none. `timeout` is in nanoseconds for the whole call; 0 for
 * the time of the usual attempts. Also the statuses of sc_storage_call_parse. */
SC_API SC_NODISCARD sc_status sc_network_host_call(sc_buffer *out, int *code, sc_network_host *host,
                                                   sc_bytes call, uint64_t timeout);

SC_API_END

#endif
