/* The network room: what speaks to Session nodes, without a socket or a clock. */
#ifndef SC_NETWORK_H
#define SC_NETWORK_H

#include "network/address.h"
#include "network/driven.h"
#include "network/onion.h"
#include "network/onion_failure.h"
#include "network/onion_node.h"
#include "network/onion_server.h"
#include "network/quic.h"
#include "network/quic_pool.h"

#endif
