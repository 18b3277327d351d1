/* The content of a host, for this room. */
#ifndef SC_SRC_RUNTIME_NETWORK_HOST_H
#define SC_SRC_RUNTIME_NETWORK_HOST_H

#include "session-core/network/network_list.h"
#include "session-core/runtime/network_host.h"

/* The list goes when the host does. */
void sc_network_host_keep(sc_network_host *host, const sc_network_list *list);

/* SC_ERR_RUNTIME_THREAD on the host's own thread; SC_ERR_STATE when it has none, so that nothing that is
 * waited for would come. */
SC_NODISCARD sc_status sc_network_host_may_wait(const sc_network_host *host);

#endif
