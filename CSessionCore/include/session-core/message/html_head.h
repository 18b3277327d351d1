/* What the head of a web page says for the preview of a link: its title and image.
 *
 * A scanner of tags without a tree: it reads up to the end of the head, and never fails. Nothing allocates.
 * What it finds borrows from the page and is as the page has it: in the page's character encoding, with
 * references such as &amp;. Calls are independent of each other. */
#ifndef SC_MESSAGE_HTML_HEAD_H
#define SC_MESSAGE_HTML_HEAD_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The attributes of a tag that are looked at, and the longest value; the others are skipped. */
#define SC_HTML_MAX_ATTRIBUTES 32
#define SC_HTML_MAX_VALUE 8192

/* The first of each; empty if there is none. */
typedef struct sc_html_head {
  sc_bytes charset;
  sc_bytes title;
  sc_bytes og_title;
  sc_bytes og_image;
  sc_bytes twitter_title;
  bool is_whole; /* the head ends within the page */
} sc_html_head;

SC_API void sc_html_head_read(sc_html_head *out, sc_bytes page);

/* Writes a text with its references replaced, as far as `size` bytes hold whole characters, and returns the
 * length. Unknown references stay as they are. The text must be UTF-8; what is not is left out. */
SC_API size_t sc_html_text(uint8_t *out, size_t size, sc_bytes text);

SC_API_END

#endif
