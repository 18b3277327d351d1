/* The two clocks a program passes into the core: one that only goes forward, and the one people set.
 *
 * Any thread. */
#ifndef SC_RUNTIME_CLOCK_H
#define SC_RUNTIME_CLOCK_H

#include <stdint.h>

#include "../base/api.h"

SC_API_BEGIN

#define SC_NS_PER_MS ((uint64_t)1000000)
#define SC_NS_PER_SECOND ((uint64_t)1000000000)

/* Nanoseconds since some moment in the past: for deadlines and durations. It never goes back. */
SC_API uint64_t sc_clock_now(void);

/* Milliseconds since 1970, as this machine believes: for what is written into messages. It may jump. */
SC_API uint64_t sc_clock_wall_ms(void);

SC_API_END

#endif
