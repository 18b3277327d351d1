/* The runtime room: sockets, the thread and the clock. Nothing else in the core touches them. */
#ifndef SC_RUNTIME_H
#define SC_RUNTIME_H

#include "runtime/call.h"
#include "runtime/clock.h"
#include "runtime/counts.h"
#include "runtime/guest.h"
#include "runtime/loop.h"
#include "runtime/network_host.h"

#endif
