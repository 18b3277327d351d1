/* The public API of the core, room by room.
 *
 * Call sc_init() before anything else. Objects belong to one thread at a time; distinct objects are
 * independent. Only the runtime room opens sockets, reads the clock or starts a thread. */
#ifndef SESSION_CORE_H
#define SESSION_CORE_H

#include "archive.h"
#include "base.h"
#include "config.h"
#include "crypto.h"
#include "message.h"
#include "network.h"
#include "node.h"
#include "ratchet.h"
#include "runtime.h"

#endif
