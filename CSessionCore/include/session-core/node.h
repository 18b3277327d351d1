/* The node room: the additions to the network room that a storage and relay node needs. */
#ifndef SC_NODE_H
#define SC_NODE_H

#include "node/monitor.h"
#include "node/onion.h"
#include "node/storage.h"
#include "node/transfer.h"

#endif
