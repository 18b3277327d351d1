/* The node room: what a storage and relay node needs in addition to the network room. */
#ifndef SC_NODE_H
#define SC_NODE_H

#include "node/monitor.h"
#include "node/onion.h"
#include "node/storage.h"
#include "node/transfer.h"

#endif
