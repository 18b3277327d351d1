#include "network/quic/strays.h"

#include "support/test.h"

static bool push(sc_quic_strays *strays, uint8_t mark) {
  sc_quic_stray *stray = sc_quic_strays_place(strays);
  if (stray == NULL)
    return false;
  *stray = (sc_quic_stray){.peer = {.port = mark}, .bytes = {mark}};
  sc_quic_strays_push(strays, (size_t)(10 + mark));
  return true;
}

static void stray_replies_are_sent_in_order_as_space_allows(sc_test *t) {
  sc_quic_strays strays;
  sc_datagrams runs[3];
  uint8_t room[200];
  sc_outbox out = {.runs = runs, .run_capacity = 3, .bytes = room, .capacity = sizeof room};
  sc_quic_strays_init(&strays, t->env);
  if (!push(&strays, 1)) {
    t->out_of_memory = t->torture;
    CHECK(t->torture);
    goto done;
  }
  for (uint8_t i = 2; i <= 5; i++)
    CHECK(push(&strays, i));
  CHECK(push(&strays, 190));
  sc_quic_strays_send(&strays, &out);
  CHECK(out.run_count == 3);
  for (uint8_t i = 0; i < 3; i++)
    CHECK(runs[i].peer.port == i + 1 && runs[i].bytes.len == i + 11U && runs[i].segment == i + 11U &&
          runs[i].bytes.ptr[0] == i + 1);
  sc_outbox_clear(&out);
  sc_quic_strays_send(&strays, &out);
  CHECK(out.run_count == 2 && strays.count == 1); /* the last does not fit */
  sc_outbox_clear(&out);
  sc_quic_strays_send(&strays, &out);
  CHECK(out.run_count == 1 && runs[0].bytes.len == 200 && strays.count == 0);
done:
  sc_quic_strays_free(&strays);
}

static void a_full_queue_refuses_more(sc_test *t) {
  sc_quic_strays strays;
  sc_quic_strays_init(&strays, t->env);
  size_t pushed = 0;
  while (pushed < 1000 && push(&strays, 1))
    pushed++;
  if (pushed == 0)
    t->out_of_memory = t->torture;
  CHECK(pushed == sc_quic_most_strays || t->torture);
done:
  sc_quic_strays_free(&strays);
}

SUITE(network_quic_strays, "network/quic/strays",
      {"stray replies are sent in order as space allows", stray_replies_are_sent_in_order_as_space_allows},
      {"a full queue refuses more", a_full_queue_refuses_more});
