/* A sendmmsg that fails when told to, for what a loopback interface never does by itself.
 *
 * The linker puts it in the place of the real one (--wrap), which it otherwise calls. What a thread tells it
 * holds for that thread alone. */
#ifndef SC_TESTS_FAULTY_SEND_H
#define SC_TESTS_FAULTY_SEND_H

#include <stddef.h>

/* After `good` more calls, `times` calls fail with `error`. */
void faulty_send_after(size_t good, size_t times, int error);

/* The next call sends this many messages at most. */
void faulty_send_at_most(unsigned messages);

#endif
