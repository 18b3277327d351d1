/* Bad weather for a thing that speaks UDP: what comes in is lost or delayed, as it may be anywhere, for
 * demonstrations and tests.
 *
 * The weather stands between a driver and the thing: driving it drives both. It borrows the thing, which
 * outlives it. One thread at a time, that of the driver. */
#ifndef SC_NETWORK_WEATHER_H
#define SC_NETWORK_WEATHER_H

#include "../base/env.h"
#include "driven.h"

SC_API_BEGIN

#define SC_WEATHER_MAX_HELD 512   /* datagrams that are on their way; more are lost */
#define SC_WEATHER_MAX_BYTES 2048 /* of one that is delayed; longer ones are lost */

typedef struct sc_weather sc_weather;

typedef struct sc_weather_conditions {
  uint64_t delay; /* nanoseconds until a datagram arrives; it overtakes none */
  uint32_t loss;  /* of 1000 datagrams, how many never do */
} sc_weather_conditions;

/* Fair weather over `thing`. */
SC_API SC_NODISCARD sc_status sc_weather_new(sc_weather **out, const sc_env *env, sc_driven thing);

/* What is on its way is lost. NULL is allowed. */
SC_API void sc_weather_free(sc_weather *weather);

/* How to drive it, and the thing with it. */
SC_API sc_driven sc_weather_driven(sc_weather *weather);

/* Changes the weather; what is on its way arrives as it would have. SC_ERR_ARGUMENT for a loss of more than
 * 1000, SC_ERR_NO_MEMORY: then nothing changes. */
SC_API SC_NODISCARD sc_status sc_weather_set(sc_weather *weather, const sc_weather_conditions *conditions);

SC_API_END

#endif
