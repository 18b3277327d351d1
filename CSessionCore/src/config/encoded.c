#include "encoded.h"

#include "../base/bt_reader.h"

static const uint8_t *past_digits(uint64_t *out, const uint8_t *at) {
  uint64_t number = 0;
  unsigned digit;
  while ((digit = (unsigned)*at - '0') <= 9) {
    number = number * 10 + digit;
    at++;
  }
  *out = number;
  return at;
}

static const uint8_t *past_integer(const uint8_t *at) {
  while (*at != 'e')
    at++;
  return at + 1;
}

static const uint8_t *past_string(const uint8_t *at) {
  uint64_t len;
  at = past_digits(&len, at);
  return at + 1 + len;
}

sc_bytes sc_encoded_take(sc_bytes *rest) {
  const uint8_t *at = rest->ptr;
  size_t depth = 0;
  do {
    if (*at == 'e') {
      at++;
      depth--;
    } else if (*at == 'd' || *at == 'l') {
      at++;
      depth++;
    } else {
      at = *at == 'i' ? past_integer(at) : past_string(at);
    }
  } while (depth > 0);
  size_t len = (size_t)(at - rest->ptr);
  sc_bytes taken = sc_bytes_make(rest->ptr, len);
  *rest = sc_bytes_make(at, rest->len - len);
  return taken;
}

sc_bytes sc_encoded_body(sc_bytes container) {
  return sc_bytes_make(container.ptr + 1, container.len - 2);
}

sc_config_kind sc_encoded_kind(sc_bytes value) {
  switch (*value.ptr) {
  case 'i':
    return SC_CONFIG_INTEGER;
  case 'l':
    return SC_CONFIG_SET;
  case 'd':
    return SC_CONFIG_DICT;
  default:
    return SC_CONFIG_STRING;
  }
}

/* The bytes of a string; most keys are short. */
static sc_bytes string_of(sc_bytes encoded) {
  uint64_t len = (uint64_t)(encoded.ptr[0] - '0');
  const uint8_t *colon = encoded.ptr + 1;
  if (*colon != ':')
    colon = past_digits(&len, encoded.ptr);
  return sc_bytes_make(colon + 1, (size_t)len);
}

sc_config_value sc_encoded_scalar(sc_bytes value) {
  uint64_t number;
  if (*value.ptr != 'i')
    return sc_config_string(string_of(value));
  bool negative = value.ptr[1] == '-';
  past_digits(&number, value.ptr + 1 + negative);
  return sc_config_integer(negative ? -(int64_t)(number - 1) - 1 : (int64_t)number);
}

int sc_config_compare(sc_config_value a, sc_config_value b) {
  if (a.kind != b.kind)
    return a.kind == SC_CONFIG_INTEGER ? -1 : 1;
  if (a.kind == SC_CONFIG_INTEGER)
    return (a.integer > b.integer) - (a.integer < b.integer);
  return sc_bt_compare_keys(a.string, b.string);
}

int sc_encoded_compare_whole(sc_bytes encoded, sc_config_value scalar) {
  if (*encoded.ptr == 'i' || scalar.kind == SC_CONFIG_INTEGER)
    return sc_config_compare(sc_encoded_scalar(encoded), scalar);
  return sc_bt_compare_keys(string_of(encoded), scalar.string);
}

uint64_t sc_encoded_rank(sc_bytes encoded) {
  return *encoded.ptr == 'i' ? 0 : sc_config_rank(sc_config_string(string_of(encoded)));
}

static size_t digits_of(uint64_t number) {
  size_t count = 1;
  while (number >= 10) {
    number /= 10;
    count++;
  }
  return count;
}

static uint64_t magnitude_of(int64_t number) {
  return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

size_t sc_encoded_size(sc_config_value scalar) {
  if (scalar.kind == SC_CONFIG_STRING)
    return digits_of(scalar.string.len) + 1 + scalar.string.len;
  return digits_of(magnitude_of(scalar.integer)) + (scalar.integer < 0) + 2;
}

static uint8_t *put_digits(uint8_t *at, uint64_t number) {
  uint8_t *end = at + digits_of(number);
  for (uint8_t *digit = end; digit > at; number /= 10)
    *--digit = (uint8_t)('0' + number % 10);
  return end;
}

uint8_t *sc_encoded_put(uint8_t *at, sc_config_value scalar) {
  if (scalar.kind == SC_CONFIG_STRING) {
    at = put_digits(at, scalar.string.len);
    *at++ = ':';
    if (scalar.string.len > 0)
      memcpy(at, scalar.string.ptr, scalar.string.len);
    return at + scalar.string.len;
  }
  *at++ = 'i';
  if (scalar.integer < 0)
    *at++ = '-';
  at = put_digits(at, magnitude_of(scalar.integer));
  *at++ = 'e';
  return at;
}
