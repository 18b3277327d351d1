/* libpq, loaded when a server is first configured to use PostgreSQL: nothing else needs it, and it brings a
 * second TLS library along. Its functions have their usual names; they are for use after `postgresql_load`.
 */
#pragma once

#ifdef __swift__
/* The types of the C library belong to Swift's import of it. */
#pragma clang module import SwiftGlibc
#endif

#include <postgresql/libpq-fe.h>
#include <stdbool.h>

/* Loads the library. False if it is missing. */
bool postgresql_load(void);

/* Connects within a time. NULL without memory; otherwise to be closed by `PQfinish`, also after a failure,
 * which `PQstatus` tells and `PQerrorMessage` describes with its SQLSTATE. */
PGconn *postgresql_connect(const char *const *keywords, const char *const *values, int timeout_ms);

/* Waits for the end of what was sent. The caller clears the result: the last one, or the first failure. NULL
 * if the connection is lost or the time is over; it must not be used any more then. */
PGresult *postgresql_await(PGconn *connection, int timeout_ms);
