#include "session-core/message/html_head.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static sc_html_head head_of(const char *page) {
  sc_html_head head;
  sc_html_head_read(&head, sc_bytes_text(page));
  return head;
}

#define IS(expected, actual) SAME(sc_bytes_text(expected), (actual))

static void titles_and_images_are_found(sc_test *t) {
  sc_html_head head = head_of("<!DOCTYPE html><html><head prefix=x><META CHARSET=utf-8>"
                              "<title lang=en>Plain\n title</title>"
                              "<meta property=\"og:title\" content=\"The > best\">"
                              "<meta content='/pic.png' property=og:image />"
                              "<meta name='twitter:title' content=\"It's\">"
                              "<meta property='og:title' content=second></head><title>late</title>");
  IS("utf-8", head.charset);
  IS("Plain\n title", head.title);
  IS("The > best", head.og_title);
  IS("/pic.png", head.og_image);
  IS("It's", head.twitter_title);
  CHECK(head.is_whole);
done:;
}

static void what_is_no_tag_is_skipped(sc_test *t) {
  sc_html_head head = head_of("<!-- <title>comment</title> --><!--><?xml <title>?>"
                              "<script>\"<title>script</title>\"</scripty></script >"
                              "<style><title>style</title></style><svg><title>drawing</title></svg>"
                              "1 < 2 <\xc3\xa4> <title>yes</TITLE><body><title>no</title>");
  IS("yes", head.title);
  CHECK(head.is_whole);
  IS("a<b>c</titles>", head_of("<title>a<b>c</titles></title>").title);
done:;
}

static void a_page_may_be_cut_anywhere(sc_test *t) {
  const char *page = "<html><head><meta property=\"og:title\" content='x'><title>y</title></head>";
  for (size_t len = 0; len < strlen(page); len++) {
    sc_html_head head;
    sc_html_head_read(&head, sc_bytes_make(page, len));
    CHECK(!head.is_whole);
  }
  CHECK(head_of(page).is_whole);
  IS("cut", head_of("<title>cut").title);
  CHECK(head_of("<meta property=og:title content=\"never closed>").og_title.len == 0);
done:;
}

static void values_and_attributes_are_limited(sc_test *t) {
  static char page[16384];
  char *at = page;
  at += sprintf(at, "<meta ");
  for (int i = 0; i < SC_HTML_MAX_ATTRIBUTES - 1; i++)
    at += sprintf(at, "a%d ", i);
  sprintf(at, "property=og:title content=late><meta property=og:title content=next>");
  IS("next", head_of(page).og_title);
  at = page + sprintf(page, "<meta property=og:title content='");
  memset(at, 'x', SC_HTML_MAX_VALUE + 1);
  sprintf(at + SC_HTML_MAX_VALUE + 1, "'><meta property=og:title content=short>");
  IS("short", head_of(page).og_title);
done:;
}

static void an_encoding_can_be_an_equivalent_of_a_header(sc_test *t) {
  IS("windows-1251",
     head_of("<meta http-equiv=Content-Type content=\"text/html; charset = windows-1251;x\">").charset);
  IS("utf-8", head_of("<meta http-equiv=content-type content='charset=\"utf-8\"'>").charset);
  CHECK(head_of("<meta http-equiv=refresh content='charset=x'>").charset.len == 0);
  CHECK(head_of("<meta http-equiv=content-type content='charset'>").charset.len == 0);
done:;
}

static void references_become_characters(sc_test *t) {
  static const struct {
    const char *text;
    const char *expected;
  } cases[] = {
      {"a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"},
      {"caf&eacute; &#233;&#xE9;&#Xe9;", "caf\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9"},
      {"&#x1F600;&#150;", "\xf0\x9f\x98\x80\xe2\x80\x93"},
      {"&amp;amp;", "&amp;"},
      {"AT&T &unknown; & &; &#; &#x; &#1a; &amp", "AT&T &unknown; & &; &#; &#x; &#1a; &amp"},
      {"&#0;&#xd800;&#9999999;", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"&#99999999999;", "&#99999999999;"},
      {"\xff\xc3(\xc3\xa9", "(\xc3\xa9"},
  };
  uint8_t text[64];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t len = sc_html_text(text, sizeof text, sc_bytes_text(cases[i].text));
    IS(cases[i].expected, sc_bytes_make(text, len));
  }
done:;
}

static void a_text_ends_at_a_whole_character(sc_test *t) {
  uint8_t text[4];
  CHECK(sc_html_text(text, 4, sc_bytes_text("abc\xc3\xa9")) == 3);
  CHECK(sc_html_text(text, 4, sc_bytes_text("ab&eacute;")) == 4);
  CHECK(sc_html_text(text, 0, sc_bytes_text("a")) == 0);
done:;
}

SUITE(message_html_head, "message/html_head", {"titles and images are found", titles_and_images_are_found},
      {"what is no tag is skipped", what_is_no_tag_is_skipped},
      {"a page may be cut anywhere", a_page_may_be_cut_anywhere},
      {"values and attributes are limited", values_and_attributes_are_limited},
      {"an encoding can be an equivalent of a header", an_encoding_can_be_an_equivalent_of_a_header},
      {"references become characters", references_become_characters},
      {"a text ends at a whole character", a_text_ends_at_a_whole_character});
