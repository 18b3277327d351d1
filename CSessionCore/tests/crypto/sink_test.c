#include "support/test.h"

static void a_buffer_collects_the_pieces(sc_test *t) {
  sc_buffer out = {.env = t->env};
  const sc_sink sink = sc_sink_to_buffer(&out);
  OK(sink.write(sink.user, sc_bytes_text("one ")));
  OK(sink.write(sink.user, sc_bytes_make(NULL, 0)));
  OK(sink.write(sink.user, sc_bytes_text("piece after another, longer than what the buffer began with")));
  SAME(sc_bytes_text("one piece after another, longer than what the buffer began with"),
       sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

SUITE(crypto_sink, "crypto/sink", {"a buffer collects the pieces", a_buffer_collects_the_pieces});
