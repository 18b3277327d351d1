/* Calls of libmicrohttpd with a variable number of arguments, which Swift cannot make.
 */
#pragma once

#include <microhttpd.h>
#include <stddef.h>

/* The options of a server; its strings are not copied and must outlive it. */
struct http_server_setup {
  void *user; /* given to each of the callbacks */
  MHD_AccessHandlerCallback answer;
  void *(*begin)(void *user, const char *target, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connected;
  int socket; /* bound and listening; the server's from now on */
  unsigned idle_seconds;
  unsigned max_connections;
  unsigned max_connections_per_peer; /* 0 is any number */
  size_t max_head_bytes;
  const char *certificate; /* PEM; NULL for a server without TLS */
  const char *key;
  const char *priorities;
};

/* NULL when it does not begin; the socket is the caller's then. */
static inline struct MHD_Daemon *http_server_start(const struct http_server_setup *setup) {
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
  return MHD_start_daemon(
      flags, 0, NULL, NULL, setup->answer, setup->user, MHD_OPTION_LISTEN_SOCKET, setup->socket,
      MHD_OPTION_URI_LOG_CALLBACK, setup->begin, setup->user, MHD_OPTION_NOTIFY_COMPLETED, setup->completed,
      setup->user, MHD_OPTION_NOTIFY_CONNECTION, setup->connected, setup->user, MHD_OPTION_CONNECTION_TIMEOUT,
      setup->idle_seconds, MHD_OPTION_CONNECTION_LIMIT, setup->max_connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, setup->max_connections_per_peer, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      setup->max_head_bytes, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY,
      setup->certificate ? tls : none, MHD_OPTION_END);
}

/* -1 when it has none. */
static inline int http_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *http_connection_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}
