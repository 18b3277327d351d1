/* libcurl and libmicrohttpd, loaded when they are first needed: most runs of a command need neither, and
 * libcurl alone brings twenty libraries along. Their functions have their usual names. Those with a variable
 * number of arguments, which Swift cannot call, are here once for each type.
 */
#pragma once

#ifdef __swift__
/* The types of the C library belong to Swift's import of it. */
#pragma clang module import SwiftGlibc
#endif

#include <curl/curl.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

/* Load the libraries. Where one is missing its functions fail: they return NULL or an error. */
bool http_load_client(void);
bool http_load_server(void);

CURLcode http_set_number(CURL *transfer, CURLoption option, long value);
CURLcode http_set_size(CURL *transfer, CURLoption option, curl_off_t value);
CURLcode http_set_text(CURL *transfer, CURLoption option, const char *value);
CURLcode http_set_pointer(CURL *transfer, CURLoption option, void *value);
CURLcode http_set_url(CURL *transfer, CURLU *url);
CURLcode http_set_list(CURL *transfer, CURLoption option, struct curl_slist *list);
/* For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
CURLcode http_set_taking(CURL *transfer, CURLoption option, curl_write_callback take);
CURLcode http_set_opening(CURL *transfer, curl_opensocket_callback open);
CURLcode http_get_number(CURL *transfer, CURLINFO info, long *out);
CURLMcode http_set_limit(CURLM *transfers, CURLMoption option, long value);

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
struct MHD_Daemon *http_server_start(const struct http_server_setup *setup);
/* -1 when it has none. */
int http_connection_socket(struct MHD_Connection *connection);
const struct sockaddr *http_connection_peer(struct MHD_Connection *connection);
