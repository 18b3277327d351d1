/* Functions of a host for the other files of this room. */
#ifndef SC_SRC_RUNTIME_NETWORK_HOST_H
#define SC_SRC_RUNTIME_NETWORK_HOST_H

#include "session-core/network/network_list.h"
#include "session-core/runtime/network_host.h"

/* Transfers ownership of the list to the host. */
void sc_network_host_keep(sc_network_host *host, const sc_network_list *list);

/* Checks that a caller may block. SC_ERR_RUNTIME_THREAD on the host's own thread; SC_ERR_STATE if the host
 * has no thread, so that no reply would come. */
SC_NODISCARD sc_status sc_network_host_may_wait(const sc_network_host *host);

#endif
