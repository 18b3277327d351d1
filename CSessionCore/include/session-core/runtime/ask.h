/* Asking the network and waiting for what comes of it: for programs without a loop, and for languages that
 * know JSON better than C's structures.
 *
 * Any thread but that of the host, which must be running: SC_ERR_RUNTIME_THREAD and SC_ERR_STATE otherwise.
 * Stopping the host ends what is waited for. */
#ifndef SC_RUNTIME_ASK_H
#define SC_RUNTIME_ASK_H

#include "../network/network_list.h"
#include "network_host.h"

SC_API_BEGIN

/* Begins to run a host for the network that a file tells of, with usual options. `network` is the content of
 * the file; `folder` is where the host keeps what it learns, or NULL. What sc_network_list_open,
 * sc_network_host_new and sc_network_host_start say. */
SC_API SC_NODISCARD sc_status sc_network_host_open(sc_network_host **out, const sc_env *env, sc_bytes network,
                                                   const char *folder);

/* Makes a request, whose `done` and `user` are not looked at, and waits until it is done. SC_OK when the
 * destination answered: `*code` is its code, and `out` holds the body. Otherwise what sc_network_host_send
 * says, or the status of the reply. */
SC_API SC_NODISCARD sc_status sc_network_host_ask(sc_buffer *out, int *code, sc_network_host *host,
                                                  const sc_network_request *request);

/* The same for a call to storage nodes in JSON, {"method": …, "params": {…}}, signed as it has to be: to the
 * swarm of its account, or to any node when it is about none. `timeout` nanoseconds for everything; 0: as
 * long as the usual attempts take. Also what sc_storage_call_parse says. */
SC_API SC_NODISCARD sc_status sc_network_host_call(sc_buffer *out, int *code, sc_network_host *host,
                                                   sc_bytes call, uint64_t timeout);

SC_API_END

#endif
