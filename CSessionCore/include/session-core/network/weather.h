/* Simulated loss and delay of received datagrams, for demonstrations and tests.
 *
 * A weather is placed between a driver and an endpoint: driving it drives both. It borrows the endpoint,
 * which must outlive it. One thread at a time, that of the driver. */
#ifndef SC_NETWORK_WEATHER_H
#define SC_NETWORK_WEATHER_H

#include "../base/env.h"
#include "driven.h"

SC_API_BEGIN

#define SC_WEATHER_MAX_HELD 512   /* delayed datagrams; further ones are lost */
#define SC_WEATHER_MAX_BYTES 2048 /* size of a delayed datagram; larger ones are lost */

typedef struct sc_weather sc_weather;

typedef struct sc_weather_conditions {
  uint64_t delay; /* nanoseconds until a datagram arrives; the order is kept */
  uint32_t loss;  /* lost datagrams in 1000 */
} sc_weather_conditions;

/* Creates a weather without loss or delay in front of `thing`. */
SC_API SC_NODISCARD sc_status sc_weather_new(sc_weather **out, const sc_env *env, sc_driven thing);

/* Delayed datagrams are lost. NULL is allowed. */
SC_API void sc_weather_free(sc_weather *weather);

/* Returns the endpoint to drive. */
SC_API sc_driven sc_weather_driven(sc_weather *weather);

/* Changes loss and delay; delayed datagrams are not affected. SC_ERR_ARGUMENT for a loss of more than 1000,
 * SC_ERR_NO_MEMORY; after a failure nothing changes. */
SC_API SC_NODISCARD sc_status sc_weather_set(sc_weather *weather, const sc_weather_conditions *conditions);

SC_API_END

#endif
