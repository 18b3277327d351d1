/* Heads of web pages: what is found lies within the page, and its text is UTF-8 and no longer than asked for.
 * More of a page behind the end of its head changes nothing. */
#include <string.h>

#include "../src/base/utf8.h"
#include "fuzz.h"

enum { largest_input = 65536, text_size = 64 };

static void check_part(sc_bytes part, sc_bytes page) {
  uint8_t text[text_size];
  REQUIRE(part.len == 0 || (part.ptr >= page.ptr && part.ptr + part.len <= page.ptr + page.len));
  size_t len = sc_html_text(text, sizeof text, part);
  REQUIRE(len <= sizeof text && sc_utf8_is_valid(sc_bytes_make(text, len)));
  REQUIRE(sc_html_text(text, 0, part) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t longer[largest_input + 7];
  sc_html_head head;
  sc_html_head again;
  if (size > largest_input)
    return 0;
  if (size > 0)
    memcpy(longer, data, size);
  memcpy(longer + size, "<title>", 7);
  sc_bytes page = sc_bytes_make(longer, size);
  sc_html_head_read(&head, page);
  const sc_bytes parts[] = {head.charset, head.title, head.og_title, head.og_image, head.twitter_title};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    check_part(parts[i], page);
  if (!head.is_whole)
    return 0;
  sc_html_head_read(&again, sc_bytes_make(longer, size + 7));
  REQUIRE(memcmp(&again, &head, sizeof head) == 0);
  return 0;
}
