#define _POSIX_C_SOURCE 200809L

#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/* The calls of libpq that are used. */
#define FUNCTIONS(X)                                                                                         \
  X(PQclear)                                                                                                 \
  X(PQcmdTuples)                                                                                             \
  X(PQconnectPoll)                                                                                           \
  X(PQconnectStartParams)                                                                                    \
  X(PQconnectionNeedsPassword)                                                                               \
  X(PQconninfoFree)                                                                                          \
  X(PQconninfoParse)                                                                                         \
  X(PQconsumeInput)                                                                                          \
  X(PQerrorMessage)                                                                                          \
  X(PQfinish)                                                                                                \
  X(PQflush)                                                                                                 \
  X(PQfreemem)                                                                                               \
  X(PQftype)                                                                                                 \
  X(PQgetResult)                                                                                             \
  X(PQgetisnull)                                                                                             \
  X(PQgetlength)                                                                                             \
  X(PQgetvalue)                                                                                              \
  X(PQisBusy)                                                                                                \
  X(PQnfields)                                                                                               \
  X(PQnotifies)                                                                                              \
  X(PQntuples)                                                                                               \
  X(PQparameterStatus)                                                                                       \
  X(PQresultErrorField)                                                                                      \
  X(PQresultStatus)                                                                                          \
  X(PQsendPrepare)                                                                                           \
  X(PQsendQuery)                                                                                             \
  X(PQsendQueryPrepared)                                                                                     \
  X(PQserverVersion)                                                                                         \
  X(PQsetErrorVerbosity)                                                                                     \
  X(PQsetNoticeProcessor)                                                                                    \
  X(PQsetnonblocking)                                                                                        \
  X(PQsocket)                                                                                                \
  X(PQstatus)                                                                                                \
  X(PQtransactionStatus)

#define FIELD(name) __typeof__(&name) name;
#define SYMBOL(name) {#name, &library.name},

static struct { FUNCTIONS(FIELD) } library;

static bool is_loaded;

static void load(void) {
  const struct {
    const char *name;
    void *out;
  } symbols[] = {FUNCTIONS(SYMBOL)};
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *found = dlsym(handle, symbols[i].name);
    if (!found)
      return;
    memcpy(symbols[i].out, &found, sizeof found);
  }
  is_loaded = true;
}

bool postgresql_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}

/* The server's notices would go to standard error. */
static void ignore_notice(void *user, const char *text) {
  (void)user;
  (void)text;
}

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Waits until the socket is ready. False when the time is over. */
static bool is_ready(PGconn *connection, short events, long long deadline) {
  struct pollfd socket = {.fd = library.PQsocket(connection), .events = events};
  for (;;) {
    long long left = deadline - now_ms();
    if (left < 0 || socket.fd < 0)
      return false;
    int count = poll(&socket, 1, (int)left);
    if (count > 0)
      return true;
    if (count < 0 && errno != EINTR)
      return false;
  }
}

PGconn *postgresql_connect(const char *const *keywords, const char *const *values, int timeout_ms) {
  long long deadline = now_ms() + timeout_ms;
  PGconn *connection = library.PQconnectStartParams(keywords, values, 1);
  if (!connection || library.PQstatus(connection) == CONNECTION_BAD)
    return connection;
  library.PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  library.PQsetNoticeProcessor(connection, ignore_notice, NULL);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
    if (!is_ready(connection, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline))
      return connection;
    status = library.PQconnectPoll(connection);
  }
  if (status == PGRES_POLLING_OK)
    library.PQsetnonblocking(connection, 1);
  return connection;
}

PGresult *postgresql_await(PGconn *connection, int timeout_ms) {
  long long deadline = now_ms() + timeout_ms;
  PGresult *kept = NULL;
  for (;;) {
    int flushed = library.PQflush(connection);
    if (flushed < 0)
      break;
    if (!library.PQisBusy(connection) && flushed == 0) {
      PGresult *next = library.PQgetResult(connection);
      if (!next) {
        if (library.PQstatus(connection) == CONNECTION_BAD)
          break;
        return kept;
      }
      if (kept && library.PQresultStatus(kept) == PGRES_FATAL_ERROR) {
        library.PQclear(next);
      } else {
        library.PQclear(kept);
        kept = next;
      }
      continue;
    }
    if (!is_ready(connection, flushed > 0 ? POLLIN | POLLOUT : POLLIN, deadline) ||
        !library.PQconsumeInput(connection))
      break;
  }
  library.PQclear(kept);
  return NULL;
}

void PQclear(PGresult *result) {
  library.PQclear(result);
}

char *PQcmdTuples(PGresult *result) {
  return library.PQcmdTuples(result);
}

int PQconnectionNeedsPassword(const PGconn *connection) {
  return library.PQconnectionNeedsPassword(connection);
}

void PQconninfoFree(PQconninfoOption *options) {
  library.PQconninfoFree(options);
}

PQconninfoOption *PQconninfoParse(const char *text, char **error) {
  return library.PQconninfoParse(text, error);
}

int PQconsumeInput(PGconn *connection) {
  return library.PQconsumeInput(connection);
}

char *PQerrorMessage(const PGconn *connection) {
  return library.PQerrorMessage(connection);
}

void PQfinish(PGconn *connection) {
  library.PQfinish(connection);
}

void PQfreemem(void *memory) {
  library.PQfreemem(memory);
}

Oid PQftype(const PGresult *result, int column) {
  return library.PQftype(result, column);
}

int PQgetisnull(const PGresult *result, int row, int column) {
  return library.PQgetisnull(result, row, column);
}

int PQgetlength(const PGresult *result, int row, int column) {
  return library.PQgetlength(result, row, column);
}

char *PQgetvalue(const PGresult *result, int row, int column) {
  return library.PQgetvalue(result, row, column);
}

int PQnfields(const PGresult *result) {
  return library.PQnfields(result);
}

PGnotify *PQnotifies(PGconn *connection) {
  return library.PQnotifies(connection);
}

int PQntuples(const PGresult *result) {
  return library.PQntuples(result);
}

const char *PQparameterStatus(const PGconn *connection, const char *name) {
  return library.PQparameterStatus(connection, name);
}

char *PQresultErrorField(const PGresult *result, int field) {
  return library.PQresultErrorField(result, field);
}

ExecStatusType PQresultStatus(const PGresult *result) {
  return library.PQresultStatus(result);
}

int PQsendPrepare(PGconn *connection, const char *name, const char *text, int count, const Oid *types) {
  return library.PQsendPrepare(connection, name, text, count, types);
}

int PQsendQuery(PGconn *connection, const char *text) {
  return library.PQsendQuery(connection, text);
}

int PQsendQueryPrepared(PGconn *connection, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats, int result_format) {
  return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats, result_format);
}

int PQserverVersion(const PGconn *connection) {
  return library.PQserverVersion(connection);
}

int PQsocket(const PGconn *connection) {
  return library.PQsocket(connection);
}

ConnStatusType PQstatus(const PGconn *connection) {
  return library.PQstatus(connection);
}

PGTransactionStatusType PQtransactionStatus(const PGconn *connection) {
  return library.PQtransactionStatus(connection);
}
