#include "crypto/reread.h"

#include "support/pieces.h"

enum { content_bytes = 5000 };

static sc_status update(void *reread, sc_bytes piece) {
  sc_reread_update(reread, piece);
  return SC_OK;
}

static void equal_bytes_in_different_pieces_match(sc_test *t) {
  sc_buffer content;
  sc_reread reread;
  sc_buffer_init(&content, t->env);
  OK(sc_test_content(&content, content_bytes));
  for (uint64_t pieces = 0; pieces < 20; pieces++) {
    sc_reread_init(&reread, t->env);
    OK(sc_test_in_pieces(update, &reread, sc_buffer_bytes(&content), pieces));
    sc_reread_again(&reread);
    OK(sc_test_in_pieces(update, &reread, sc_buffer_bytes(&content), 3 * pieces + 1));
    CHECK(sc_reread_same(&reread));
  }
done:
  sc_buffer_free(&content);
}

static void two_empty_passes_match(sc_test *t) {
  sc_reread reread;
  sc_reread_init(&reread, t->env);
  sc_reread_update(&reread, sc_bytes_make(NULL, 0));
  sc_reread_again(&reread);
  CHECK(sc_reread_same(&reread));
done:;
}

static void a_changed_bit_is_detected(sc_test *t) {
  sc_buffer content;
  sc_reread reread;
  sc_buffer_init(&content, t->env);
  OK(sc_test_content(&content, content_bytes));
  for (size_t at = 0; at < content.len; at += t->torture ? 999 : 1) {
    sc_reread_init(&reread, t->env);
    sc_reread_update(&reread, sc_buffer_bytes(&content));
    sc_reread_again(&reread);
    content.ptr[at] ^= (uint8_t)(1 << at % 8);
    sc_reread_update(&reread, sc_buffer_bytes(&content));
    CHECK(!sc_reread_same(&reread));
  }
done:
  sc_buffer_free(&content);
}

static void a_changed_order_or_length_is_detected(sc_test *t) {
  static uint8_t zeros[2048];
  sc_reread reread;
  sc_reread_init(&reread, t->env);
  sc_reread_update(&reread, sc_bytes_text("ab"));
  sc_reread_again(&reread);
  sc_reread_update(&reread, sc_bytes_text("ba"));
  CHECK(!sc_reread_same(&reread));
  for (size_t len = 0; len < sizeof zeros; len += 31) {
    sc_reread_init(&reread, t->env);
    sc_reread_update(&reread, sc_bytes_make(zeros, len));
    sc_reread_again(&reread);
    sc_reread_update(&reread, sc_bytes_make(zeros, len + 1));
    CHECK(!sc_reread_same(&reread));
  }
done:;
}

static void each_comparison_has_its_own_key(sc_test *t) {
  sc_reread one, other;
  sc_reread_init(&one, t->env);
  sc_reread_init(&other, t->env);
  sc_reread_again(&one);
  sc_reread_again(&other);
  CHECK(memcmp(one.first, other.first, sizeof one.first) != 0);
done:;
}

SUITE(crypto_reread, "crypto/reread",
      {"equal bytes in different pieces match", equal_bytes_in_different_pieces_match},
      {"two empty passes match", two_empty_passes_match},
      {"a changed bit is detected", a_changed_bit_is_detected},
      {"a changed order or length is detected", a_changed_order_or_length_is_detected},
      {"each comparison has its own key", each_comparison_has_its_own_key});
