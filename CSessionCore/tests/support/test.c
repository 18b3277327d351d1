#include "test.h"

#include <stdio.h>
#include <stdlib.h>

void sc_test_fail(sc_test *t, const char *file, int line, const char *what) {
  t->failed = true;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

bool sc_test_status(sc_test *t, const char *file, int line, const char *call, sc_status expected,
                    sc_status actual) {
  if (actual == expected)
    return true;
  if (t->torture && actual == SC_ERR_NO_MEMORY) {
    t->out_of_memory = true;
    return false;
  }
  t->failed = true;
  fprintf(stderr, "%s:%d: %s\n  returned %s (%s), not %s\n", file, line, call, sc_status_name(actual),
          sc_status_text(actual), sc_status_name(expected));
  return false;
}

static void print_bytes(const char *label, sc_bytes bytes) {
  enum { shown = 96 };
  fprintf(stderr, "  %s (%zu bytes) ", label, bytes.len);
  for (size_t i = 0; i < bytes.len && i < shown; i++)
    fprintf(stderr, "%02x", bytes.ptr[i]);
  fprintf(stderr, bytes.len > shown ? "…\n" : "\n");
}

bool sc_test_same(sc_test *t, const char *file, int line, sc_bytes expected, sc_bytes actual) {
  if (sc_bytes_same(expected, actual))
    return true;
  t->failed = true;
  fprintf(stderr, "%s:%d: bytes differ\n", file, line);
  print_bytes("expected", expected);
  print_bytes("actual  ", actual);
  return false;
}

void sc_test_skip(sc_test *t, const char *reason) {
  t->skipped = true;
  if (!t->torture)
    printf("  skipped: %s\n", reason);
}

sc_status sc_test_hex(sc_buffer *out, const char *hex) {
  size_t len = strlen(hex) / 2;
  uint8_t *space;
  sc_status status = sc_buffer_extend(&space, out, len);
  if (status == SC_OK)
    sc_test_hex_into(space, len, hex);
  return status;
}

void sc_test_hex_into(uint8_t *out, size_t len, const char *hex) {
  if (sc_hex_decode(out, len, sc_bytes_text(hex)) != SC_OK) {
    fprintf(stderr, "the test's own hexadecimal text is wrong: %s\n", hex);
    abort();
  }
}
