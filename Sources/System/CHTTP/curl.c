#include "CHTTP.h"
#include "library.h"

#include <pthread.h>

/* The calls of libcurl that are used. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#define FUNCTIONS(X)                                                                                         \
  X(curl_easy_cleanup)                                                                                       \
  X(curl_easy_getinfo)                                                                                       \
  X(curl_easy_init)                                                                                          \
  X(curl_easy_setopt)                                                                                        \
  X(curl_easy_strerror)                                                                                      \
  X(curl_free)                                                                                               \
  X(curl_global_init)                                                                                        \
  X(curl_multi_add_handle)                                                                                   \
  X(curl_multi_cleanup)                                                                                      \
  X(curl_multi_info_read)                                                                                    \
  X(curl_multi_init)                                                                                         \
  X(curl_multi_perform)                                                                                      \
  X(curl_multi_poll)                                                                                         \
  X(curl_multi_remove_handle)                                                                                \
  X(curl_multi_setopt)                                                                                       \
  X(curl_multi_wakeup)                                                                                       \
  X(curl_slist_append)                                                                                       \
  X(curl_slist_free_all)                                                                                     \
  X(curl_url)                                                                                                \
  X(curl_url_cleanup)                                                                                        \
  X(curl_url_get)                                                                                            \
  X(curl_url_set)

#define FIELD(name) __typeof__(&name) name;
#define SYMBOL(name) {#name, &library.name},

static struct { FUNCTIONS(FIELD) } library;

static bool is_loaded;

static void load(void) {
  const struct http_symbol symbols[] = {FUNCTIONS(SYMBOL)};
  is_loaded = http_load("libcurl-gnutls.so.4", symbols, sizeof symbols / sizeof *symbols);
}

bool http_load_client(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}

CURLcode curl_global_init(long flags) {
  return http_load_client() ? library.curl_global_init(flags) : CURLE_FAILED_INIT;
}

CURL *curl_easy_init(void) {
  return http_load_client() ? library.curl_easy_init() : NULL;
}

CURLM *curl_multi_init(void) {
  return http_load_client() ? library.curl_multi_init() : NULL;
}

CURLU *curl_url(void) {
  return http_load_client() ? library.curl_url() : NULL;
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return http_load_client() ? library.curl_slist_append(list, text) : NULL;
}

/* The others take what these return, so the library is loaded by then. */

void curl_easy_cleanup(CURL *transfer) {
  library.curl_easy_cleanup(transfer);
}

const char *curl_easy_strerror(CURLcode code) {
  return library.curl_easy_strerror(code);
}

void curl_free(void *memory) {
  library.curl_free(memory);
}

CURLMcode curl_multi_add_handle(CURLM *transfers, CURL *transfer) {
  return library.curl_multi_add_handle(transfers, transfer);
}

CURLMcode curl_multi_remove_handle(CURLM *transfers, CURL *transfer) {
  return library.curl_multi_remove_handle(transfers, transfer);
}

CURLMcode curl_multi_cleanup(CURLM *transfers) {
  return library.curl_multi_cleanup(transfers);
}

CURLMsg *curl_multi_info_read(CURLM *transfers, int *rest) {
  return library.curl_multi_info_read(transfers, rest);
}

CURLMcode curl_multi_perform(CURLM *transfers, int *running) {
  return library.curl_multi_perform(transfers, running);
}

CURLMcode curl_multi_poll(CURLM *transfers, struct curl_waitfd *extra, unsigned count, int milliseconds,
                          int *ready) {
  return library.curl_multi_poll(transfers, extra, count, milliseconds, ready);
}

CURLMcode curl_multi_wakeup(CURLM *transfers) {
  return library.curl_multi_wakeup(transfers);
}

void curl_slist_free_all(struct curl_slist *list) {
  if (list)
    library.curl_slist_free_all(list);
}

void curl_url_cleanup(CURLU *url) {
  library.curl_url_cleanup(url);
}

CURLUcode curl_url_get(CURLU *url, CURLUPart part, char **out, unsigned flags) {
  return library.curl_url_get(url, part, out, flags);
}

CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags) {
  return library.curl_url_set(url, part, text, flags);
}

CURLcode http_set_number(CURL *transfer, CURLoption option, long value) {
  return library.curl_easy_setopt(transfer, option, value);
}

CURLcode http_set_size(CURL *transfer, CURLoption option, curl_off_t value) {
  return library.curl_easy_setopt(transfer, option, value);
}

CURLcode http_set_text(CURL *transfer, CURLoption option, const char *value) {
  return library.curl_easy_setopt(transfer, option, value);
}

CURLcode http_set_pointer(CURL *transfer, CURLoption option, void *value) {
  return library.curl_easy_setopt(transfer, option, value);
}

CURLcode http_set_url(CURL *transfer, CURLU *url) {
  return library.curl_easy_setopt(transfer, CURLOPT_CURLU, url);
}

CURLcode http_set_list(CURL *transfer, CURLoption option, struct curl_slist *list) {
  return library.curl_easy_setopt(transfer, option, list);
}

CURLcode http_set_taking(CURL *transfer, CURLoption option, curl_write_callback take) {
  return library.curl_easy_setopt(transfer, option, take);
}

CURLcode http_set_opening(CURL *transfer, curl_opensocket_callback open) {
  return library.curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, open);
}

CURLcode http_get_number(CURL *transfer, CURLINFO info, long *out) {
  return library.curl_easy_getinfo(transfer, info, out);
}

CURLMcode http_set_limit(CURLM *transfers, CURLMoption option, long value) {
  return library.curl_multi_setopt(transfers, option, value);
}
