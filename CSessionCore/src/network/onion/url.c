/* Addresses that a last hop may be sent to. This is an allow-list, so that nothing in an address needs an
 * escape in JSON or means something else to the next parser. */
#include <stdio.h>

#include "../../base/text.h"
#include "session-core/network/onion.h"

/* Letters, digits and what `others` lists. */
static bool consists_of(sc_bytes text, const char *others) {
  for (size_t i = 0; i < text.len; i++) {
    uint8_t c = text.ptr[i];
    if (!sc_ascii_is_letter(c) && !sc_ascii_is_digit(c) && (c == '\0' || strchr(others, c) == NULL))
      return false;
  }
  return true;
}

static bool host_is_allowed(sc_bytes host) {
  if (host.len == 0 || host.len > SC_ONION_MAX_HOST_CHARS)
    return false;
  if (host.ptr[0] != '[')
    return consists_of(host, ".-_");
  bool bracketed = host.len > 2 && host.ptr[host.len - 1] == ']';
  return bracketed && consists_of(sc_bytes_make(host.ptr + 1, host.len - 2), ":.");
}

/* Two dots could lead out of the folder that the beginning promises. */
static bool has_two_dots(sc_bytes text) {
  for (size_t i = 1; i < text.len; i++)
    if (text.ptr[i - 1] == '.' && text.ptr[i] == '.')
      return true;
  return false;
}

static bool target_is_allowed(sc_bytes target) {
  bool begins = sc_text_starts_with(target, "/loki/") || sc_text_starts_with(target, "/oxen/");
  return target.len <= SC_ONION_MAX_TARGET_CHARS && begins && sc_text_ends_with(target, "/lsrpc") &&
         consists_of(target, "/.-_~") && !has_two_dots(target);
}

sc_status sc_onion_url_check(const sc_onion_url *url) {
  return host_is_allowed(url->host) && target_is_allowed(url->target) ? SC_OK : SC_ERR_ONION_URL;
}

sc_status sc_onion_url_write(sc_buffer *out, const sc_onion_url *url) {
  sc_buffer_clear(out);
  sc_status status = sc_onion_url_check(url);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(url->is_http ? "http://" : "https://"));
  if (status == SC_OK)
    status = sc_buffer_append(out, url->host);
  char port[sizeof ":65535"] = "";
  if (url->port != 0 && url->port != (url->is_http ? SC_ONION_HTTP_PORT : SC_ONION_HTTPS_PORT))
    snprintf(port, sizeof port, ":%u", (unsigned)url->port);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text(port));
  if (status == SC_OK)
    status = sc_buffer_append(out, url->target);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
