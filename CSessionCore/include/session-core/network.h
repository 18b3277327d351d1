/* The network room: a client of Session nodes, without sockets or a clock. */
#ifndef SC_NETWORK_H
#define SC_NETWORK_H

#include "network/address.h"
#include "network/client.h"
#include "network/driven.h"
#include "network/network_list.h"
#include "network/node.h"
#include "network/node_options.h"
#include "network/onion.h"
#include "network/onion_failure.h"
#include "network/onion_server.h"
#include "network/quic.h"
#include "network/quic_pool.h"
#include "network/storage_answer.h"
#include "network/storage_auth.h"
#include "network/storage_nodes.h"
#include "network/storage_reply.h"
#include "network/storage_request.h"
#include "network/weather.h"

#endif
