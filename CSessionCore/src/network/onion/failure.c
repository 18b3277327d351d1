/* One table serves both sides: a node writes these texts, and a client looks for them. */
#include "session-core/network/onion_failure.h"

#include "../../base/text.h"
#include "session-core/base/encoding.h"

typedef enum ending {
  ENDS_HERE,
  ENDS_WITH_NODE,  /* 64 hexadecimal digits, then the end or white space */
  ENDS_WITH_WORDS, /* free text */
  ENDS_WITH_LINE,  /* the same, and a line feed */
} ending;

typedef struct known_text {
  int code;
  const char *text;
  ending ending;
} known_text;

static const known_text known_texts[] = {
    [SC_ONION_FAILED_REQUEST] = {400, "Error parsing onion request: ", ENDS_WITH_WORDS},
    [SC_ONION_FAILED_RELAY] = {400, "Invalid internal onion request: ", ENDS_WITH_WORDS},
    [SC_ONION_FAILED_OPENING] = {400, "Invalid ciphertext", ENDS_HERE},
    [SC_ONION_FAILED_LENGTH] = {400, "onion request max path length exceeded", ENDS_HERE},
    [SC_ONION_FAILED_RATE] = {429, "Too many requests, try again later", ENDS_HERE},
    [SC_ONION_FAILED_RESPONSE] = {500, "Invalid response from snode", ENDS_HERE},
    [SC_ONION_FAILED_NEXT_UNKNOWN] = {502, "Next node not found: ", ENDS_WITH_NODE},
    [SC_ONION_FAILED_NEXT_UNREACHABLE] = {502, "Next node is currently unreachable: ", ENDS_WITH_NODE},
    [SC_ONION_FAILED_SERVER] = {502, "", ENDS_WITH_WORDS},
    [SC_ONION_FAILED_NODE_NOT_READY] = {503, "Snode not ready: ", ENDS_WITH_NODE},
    [SC_ONION_FAILED_GUARD_NOT_READY] = {503, "Service node is not ready: ", ENDS_WITH_LINE},
    [SC_ONION_FAILED_GUARD_BUSY] = {503, "Server busy, try again later", ENDS_HERE},
    [SC_ONION_FAILED_TIMEOUT] = {504, "Request time out", ENDS_HERE},
    [SC_ONION_FAILED_SERVER_TIMEOUT] = {504, "", ENDS_WITH_WORDS},
};
enum { kind_count = sizeof known_texts / sizeof known_texts[0], code_digits = 3 };

static bool is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static sc_bytes from(sc_bytes text, size_t start) {
  return sc_bytes_make(text.ptr + start, text.len - start);
}

/* Takes "<code> <reason>", an empty line behind it, off the front of `body`; 0, and nothing taken, when it
 * does not begin so. */
static int take_quic_code(sc_bytes *body) {
  if (body->len <= code_digits || body->ptr[code_digits] != ' ')
    return 0;
  int code = 0;
  for (size_t i = 0; i < code_digits; i++) {
    if (!is_digit(body->ptr[i]))
      return 0;
    code = code * 10 + (body->ptr[i] - '0');
  }
  const uint8_t *line_end = memchr(body->ptr, '\n', body->len);
  size_t after = line_end == NULL ? body->len : (size_t)(line_end - body->ptr) + 1;
  if (after >= body->len || body->ptr[after] != '\n')
    return 0;
  *body = from(*body, after + 1);
  return code;
}

static bool is_of_servers(size_t kind) {
  return kind == SC_ONION_FAILED_SERVER || kind == SC_ONION_FAILED_SERVER_TIMEOUT;
}

static sc_onion_failure_kind kind_of(int code, sc_bytes body, bool to_server) {
  for (size_t kind = SC_ONION_FAILED_OTHERWISE + 1; kind < kind_count; kind++) {
    const known_text *known = &known_texts[kind];
    if (known->code == code && sc_text_starts_with(body, known->text) && (to_server || !is_of_servers(kind)))
      return (sc_onion_failure_kind)kind;
  }
  return SC_ONION_FAILED_OTHERWISE;
}

static bool is_space(uint8_t byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool read_node(uint8_t out[static SC_KEY_BYTES], sc_bytes text) {
  size_t digits = SC_HEX_CHARS(SC_KEY_BYTES);
  bool whole = text.len >= digits && (text.len == digits || is_space(text.ptr[digits]));
  return whole && sc_hex_decode(out, SC_KEY_BYTES, sc_bytes_make(text.ptr, digits)) == SC_OK;
}

/* The client knows that it reached the first hop; a name for it in a text from further on is a lie. */
static size_t place_of(const uint8_t *key, const sc_onion_node *hops, size_t hop_count,
                       const sc_onion_destination *destination) {
  for (size_t i = 1; i < hop_count; i++)
    if (memcmp(hops[i].ed25519, key, SC_KEY_BYTES) == 0)
      return i;
  bool is_destination =
      destination->kind == SC_ONION_TO_NODE && memcmp(destination->node.ed25519, key, SC_KEY_BYTES) == 0;
  return is_destination ? hop_count : SC_ONION_NO_NODE;
}

void sc_onion_failure_parse(sc_onion_failure *out, int code, sc_bytes body, const sc_onion_node *hops,
                            size_t hop_count, const sc_onion_destination *destination) {
  int quic_code = take_quic_code(&body);
  *out = (sc_onion_failure){.code = code == 0 ? quic_code : code, .node = SC_ONION_NO_NODE};
  out->kind = kind_of(out->code, body, destination->kind == SC_ONION_TO_SERVER);
  const known_text *known = &known_texts[out->kind];
  uint8_t key[SC_KEY_BYTES];
  if (known->ending == ENDS_WITH_NODE && read_node(key, from(body, strlen(known->text))))
    out->node = place_of(key, hops, hop_count, destination);
}

static sc_status append_ending(sc_buffer *out, ending ending, const uint8_t *node, sc_bytes detail) {
  char digits[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  switch (ending) {
  case ENDS_WITH_NODE:
    sc_hex_encode(digits, sc_bytes_make(node, SC_KEY_BYTES));
    return sc_buffer_append(out, sc_bytes_text(digits));
  case ENDS_WITH_LINE: {
    sc_status status = sc_buffer_append(out, detail);
    return status == SC_OK ? sc_buffer_append_byte(out, '\n') : status;
  }
  case ENDS_WITH_WORDS:
    return sc_buffer_append(out, detail);
  case ENDS_HERE:
    break;
  }
  return SC_OK;
}

sc_status sc_onion_failure_write(sc_buffer *out, int *code, sc_onion_failure_kind kind, const uint8_t *node,
                                 sc_bytes detail) {
  sc_buffer_clear(out);
  if ((size_t)kind >= kind_count || known_texts[kind].text == NULL)
    return SC_ERR_ARGUMENT;
  const known_text *known = &known_texts[kind];
  if (known->ending == ENDS_WITH_NODE && node == NULL)
    return SC_ERR_ARGUMENT;
  sc_status status = sc_buffer_append(out, sc_bytes_text(known->text));
  if (status == SC_OK)
    status = append_ending(out, known->ending, node, detail);
  if (status == SC_OK)
    *code = known->code;
  else
    sc_buffer_clear(out);
  return status;
}
