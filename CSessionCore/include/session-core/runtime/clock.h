/* The two clocks that programs pass into the core: a monotonic one, and the wall clock.
 *
 * Any thread. */
#ifndef SC_RUNTIME_CLOCK_H
#define SC_RUNTIME_CLOCK_H

#include <stdint.h>

#include "../base/api.h"

SC_API_BEGIN

#define SC_NS_PER_MS ((uint64_t)1000000)
#define SC_NS_PER_SECOND ((uint64_t)1000000000)

/* Returns monotonic nanoseconds since some moment in the past, for deadlines and durations. */
SC_API uint64_t sc_clock_now(void);

/* Returns milliseconds since 1970 by this machine's clock, for messages. It may jump. */
SC_API uint64_t sc_clock_wall_ms(void);

SC_API_END

#endif
