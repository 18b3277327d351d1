#include "CHTTP.h"
#include "library.h"

#include <pthread.h>

/* The calls of libmicrohttpd that are used. */
#define FUNCTIONS(X)                                                                                         \
  X(MHD_add_response_header)                                                                                 \
  X(MHD_create_response_from_buffer)                                                                         \
  X(MHD_create_response_from_fd_at_offset64)                                                                 \
  X(MHD_destroy_response)                                                                                    \
  X(MHD_get_connection_info)                                                                                 \
  X(MHD_get_connection_values)                                                                               \
  X(MHD_queue_response)                                                                                      \
  X(MHD_quiesce_daemon)                                                                                      \
  X(MHD_resume_connection)                                                                                   \
  X(MHD_start_daemon)                                                                                        \
  X(MHD_stop_daemon)                                                                                         \
  X(MHD_suspend_connection)

#define FIELD(name) __typeof__(&name) name;
#define SYMBOL(name) {#name, &library.name},

static struct { FUNCTIONS(FIELD) } library;

static bool is_loaded;

static void load(void) {
  const struct http_symbol symbols[] = {FUNCTIONS(SYMBOL)};
  is_loaded = http_load("libmicrohttpd.so.12", symbols, sizeof symbols / sizeof *symbols);
}

bool http_load_server(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}

struct MHD_Daemon *http_server_start(const struct http_server_setup *setup) {
  if (!http_load_server())
    return NULL;
  const struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)setup->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)setup->key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)setup->priorities},
      {MHD_OPTION_END, 0, NULL},
  };
  const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (setup->certificate)
    flags |= MHD_USE_TLS;
  return library.MHD_start_daemon(
      flags, 0, NULL, NULL, setup->answer, setup->user, MHD_OPTION_LISTEN_SOCKET, setup->socket,
      MHD_OPTION_URI_LOG_CALLBACK, setup->begin, setup->user, MHD_OPTION_NOTIFY_COMPLETED, setup->completed,
      setup->user, MHD_OPTION_NOTIFY_CONNECTION, setup->connected, setup->user, MHD_OPTION_CONNECTION_TIMEOUT,
      setup->idle_seconds, MHD_OPTION_CONNECTION_LIMIT, setup->max_connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, setup->max_connections_per_peer, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      setup->max_head_bytes, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY,
      setup->certificate ? tls : none, MHD_OPTION_END);
}

/* The others are called only while a server runs. */

int http_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

const struct sockaddr *http_connection_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *name, const char *value) {
  return library.MHD_add_response_header(response, name, value);
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *bytes,
                                                     enum MHD_ResponseMemoryMode mode) {
  return library.MHD_create_response_from_buffer(size, bytes, mode);
}

struct MHD_Response *MHD_create_response_from_fd_at_offset64(uint64_t size, int file, uint64_t offset) {
  return library.MHD_create_response_from_fd_at_offset64(size, file, offset);
}

void MHD_destroy_response(struct MHD_Response *response) {
  library.MHD_destroy_response(response);
}

int MHD_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                              MHD_KeyValueIterator take, void *user) {
  return library.MHD_get_connection_values(connection, kind, take, user);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response) {
  return library.MHD_queue_response(connection, status, response);
}

MHD_socket MHD_quiesce_daemon(struct MHD_Daemon *server) {
  return library.MHD_quiesce_daemon(server);
}

void MHD_resume_connection(struct MHD_Connection *connection) {
  library.MHD_resume_connection(connection);
}

void MHD_stop_daemon(struct MHD_Daemon *server) {
  library.MHD_stop_daemon(server);
}

void MHD_suspend_connection(struct MHD_Connection *connection) {
  library.MHD_suspend_connection(connection);
}
