#include "support/test.h"

static sc_onion_url url_of(const char *host, const char *target) {
  return (sc_onion_url){.host = sc_bytes_text(host), .target = sc_bytes_text(target)};
}

typedef struct known_url {
  const char *host;
  bool is_http;
  uint16_t port;
  const char *text;
} known_url;

static void the_default_port_is_omitted(sc_test *t) {
  static const known_url known[] = {
      {"example.org", false, 0, "https://example.org/oxen/v4/lsrpc"},
      {"example.org", false, 443, "https://example.org/oxen/v4/lsrpc"},
      {"example.org", false, 80, "https://example.org:80/oxen/v4/lsrpc"},
      {"192.0.2.7", true, 80, "http://192.0.2.7/oxen/v4/lsrpc"},
      {"192.0.2.7", true, 443, "http://192.0.2.7:443/oxen/v4/lsrpc"},
      {"[2001:db8::7]", true, 65535, "http://[2001:db8::7]:65535/oxen/v4/lsrpc"},
  };
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_onion_url url = url_of(known[i].host, "/oxen/v4/lsrpc");
    url.is_http = known[i].is_http;
    url.port = known[i].port;
    OK(sc_onion_url_write(&text, &url));
    SAME(sc_bytes_text(known[i].text), sc_buffer_bytes(&text));
  }
done:
  sc_buffer_free(&text);
}

static void invalid_hosts_are_refused(sc_test *t) {
  static const char *const hosts[] = {"",      "a/b",  "user@host", "a b",  "a\tb",          "a\nb", "a:80",
                                      "[::1",  "[]",   "::1",       "a?b",  "a#b",           "a\\b", "a\"b",
                                      "a%2eb", "\x7f", "h\xc3\xa9", "[a]b", "[fe80::1%25lo]"};
  char long_host[SC_ONION_MAX_HOST_CHARS + 2] = "";
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
    sc_onion_url url = url_of(hosts[i], "/oxen/v4/lsrpc");
    FAILS(SC_ERR_ONION_URL, sc_onion_url_check(&url));
    FAILS(SC_ERR_ONION_URL, sc_onion_url_write(&text, &url));
    CHECK(text.len == 0);
  }
  sc_onion_url nul = url_of("ab", "/oxen/v4/lsrpc");
  nul.host = sc_bytes_make("a\0b", 3);
  FAILS(SC_ERR_ONION_URL, sc_onion_url_check(&nul));
  memset(long_host, 'a', SC_ONION_MAX_HOST_CHARS);
  sc_onion_url longest = url_of(long_host, "/oxen/v4/lsrpc");
  OK(sc_onion_url_check(&longest));
  long_host[SC_ONION_MAX_HOST_CHARS] = 'a';
  sc_onion_url longer = url_of(long_host, "/oxen/v4/lsrpc");
  FAILS(SC_ERR_ONION_URL, sc_onion_url_check(&longer));
done:
  sc_buffer_free(&text);
}

static void targets_have_a_known_prefix_and_suffix(sc_test *t) {
  static const char *const good[] = {"/loki/v3/lsrpc", "/oxen/v4/lsrpc", "/oxen/lsrpc",
                                     "/oxen/a-b_c~d.e/lsrpc"};
  static const char *const bad[] = {"",
                                    "/lsrpc",
                                    "/loki",
                                    "loki/v3/lsrpc",
                                    "/oxen/v4/lsrpcx",
                                    "/oxen/v4/lsrpc?a=b",
                                    "/oxen/?/lsrpc",
                                    "/oxen/#/lsrpc",
                                    "/Oxen/v4/lsrpc",
                                    "/oxen/../admin/lsrpc",
                                    "/oxen/%2e%2e/lsrpc",
                                    "/oxen/v4 /lsrpc",
                                    "/oxen/\r\n/lsrpc",
                                    "/oxen/\"/lsrpc"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    sc_onion_url url = url_of("h", good[i]);
    OK(sc_onion_url_check(&url));
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sc_onion_url url = url_of("h", bad[i]);
    FAILS(SC_ERR_ONION_URL, sc_onion_url_check(&url));
  }
done:;
}

static void target_length_is_limited(sc_test *t) {
  char target[SC_ONION_MAX_TARGET_CHARS + 2];
  memset(target, 'a', sizeof target);
  memcpy(target, "/oxen/", 6);
  memcpy(target + SC_ONION_MAX_TARGET_CHARS - 6, "/lsrpc", 7);
  sc_onion_url url = url_of("h", target);
  OK(sc_onion_url_check(&url));
  memcpy(target + SC_ONION_MAX_TARGET_CHARS - 6, "a/lsrpc", 8);
  url = url_of("h", target);
  FAILS(SC_ERR_ONION_URL, sc_onion_url_check(&url));
done:;
}

SUITE(network_onion_url, "network/onion/url", {"the default port is omitted", the_default_port_is_omitted},
      {"invalid hosts are refused", invalid_hosts_are_refused},
      {"targets have a known prefix and suffix", targets_have_a_known_prefix_and_suffix},
      {"target length is limited", target_length_is_limited});
