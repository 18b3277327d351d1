/* Calls of libcurl with a variable number of arguments, which Swift cannot make: one for each type of them.
 */
#pragma once

#include <curl/curl.h>

static inline CURLcode http_set_number(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode http_set_size(CURL *transfer, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode http_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode http_set_pointer(CURL *transfer, CURLoption option, void *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode http_set_url(CURL *transfer, CURLU *url) {
  return curl_easy_setopt(transfer, CURLOPT_CURLU, url);
}

static inline CURLcode http_set_list(CURL *transfer, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(transfer, option, list);
}

/* For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
static inline CURLcode http_set_taking(CURL *transfer, CURLoption option, curl_write_callback take) {
  return curl_easy_setopt(transfer, option, take);
}

static inline CURLcode http_set_opening(CURL *transfer, curl_opensocket_callback open) {
  return curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, open);
}

static inline CURLcode http_get_number(CURL *transfer, CURLINFO info, long *out) {
  return curl_easy_getinfo(transfer, info, out);
}

static inline CURLMcode http_set_limit(CURLM *transfers, CURLMoption option, long value) {
  return curl_multi_setopt(transfers, option, value);
}
