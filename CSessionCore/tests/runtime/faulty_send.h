/* A sendmmsg that fails on request, for errors a loopback interface never gives.
 *
 * The linker replaces the real one with it (--wrap); otherwise it calls the real one. Settings apply to the
 * calling thread only. */
#ifndef SC_TESTS_FAULTY_SEND_H
#define SC_TESTS_FAULTY_SEND_H

#include <stddef.h>

/* After `good` more calls, `times` calls fail with `error`. */
void faulty_send_after(size_t good, size_t times, int error);

/* The next call sends this many messages at most. */
void faulty_send_at_most(unsigned messages);

#endif
