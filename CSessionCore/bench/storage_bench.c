/* Large replies to a retrieve, beside what cannot be left out: reading JSON, decoding base64, hashing each
 * message. Two sizes show that the time grows with the size and not faster. */
#include "bench.h"

enum { data_bytes = 2000, few = 350, many = 2450 };

static struct {
  sc_storage_request request;
  uint8_t data[many][data_bytes];
  char hashes[many][SC_STORAGE_HASH_CHARS + 1];
  char base64[SC_BASE64_CHARS(data_bytes) + 1];
  sc_storage_message messages[many];
} world;

typedef struct work {
  size_t count;
  sc_storage_reply reply;
  sc_buffer json;
  sc_buffer bt;
} work;

static void make_world(void) {
  world.request = (sc_storage_request){.method = SC_STORAGE_RETRIEVE, .account = {5}};
  sc_random(NULL, world.data[0], sizeof world.data);
  sc_base64_encode(world.base64, SC_BYTES(world.data[0]), SC_BASE64_STANDARD);
  for (size_t i = 0; i < many; i++) {
    sc_bytes data = SC_BYTES(world.data[i]);
    sc_storage_message_hash(world.hashes[i], world.request.account, 0, data);
    world.messages[i] = (sc_storage_message){.hash = sc_bytes_text(world.hashes[i]),
                                             .timestamp = 1700000000000,
                                             .expiry = 1701209600000,
                                             .data = data};
  }
}

static void make_work(work *w, size_t count) {
  *w = (work){.count = count, .reply.of.messages = {world.messages, count, true}};
  BENCH_OK(sc_storage_reply_write(&w->json, SC_STORAGE_JSON, &world.request, &w->reply));
  BENCH_OK(sc_storage_reply_write(&w->bt, SC_STORAGE_BT, &world.request, &w->reply));
}

static void read_body(sc_bytes body) {
  sc_storage_parsed_reply parsed;
  BENCH_OK(sc_storage_reply_parse(&parsed, bench_env(), &world.request, body));
  bench_keep(parsed.reply.of.messages.list);
  sc_storage_parsed_reply_free(&parsed);
}

static void read_json(void *user) {
  read_body(sc_buffer_bytes(&((work *)user)->json));
}

static void read_bt(void *user) {
  read_body(sc_buffer_bytes(&((work *)user)->bt));
}

static void hash_all(size_t count) {
  uint8_t hash[32];
  for (size_t i = 0; i < count; i++) {
    BENCH_OK(sc_blake2b(hash, sizeof hash, (sc_bytes){0}, SC_BYTES(world.data[i])));
    bench_keep(hash);
  }
}

static void json_floor(void *user) {
  static uint8_t decoded[data_bytes];
  work *w = user;
  sc_json *document;
  BENCH_OK(sc_json_parse(&document, sc_buffer_bytes(&w->json), SC_JSON_DEFAULT_DEPTH));
  sc_json_free(document);
  for (size_t i = 0; i < w->count; i++)
    BENCH_OK(sc_base64_decode(decoded, data_bytes, sc_bytes_text(world.base64), SC_BASE64_STANDARD));
  bench_keep(decoded);
  hash_all(w->count);
}

static void bt_floor(void *user) {
  hash_all(((work *)user)->count);
}

static void write_json(void *user) {
  work *w = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_storage_reply_write(&out, SC_STORAGE_JSON, &world.request, &w->reply));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void base64_floor(void *user) {
  static char text[sizeof world.base64];
  work *w = user;
  for (size_t i = 0; i < w->count; i++)
    sc_base64_encode(text, SC_BYTES(world.data[i]), SC_BASE64_STANDARD);
  bench_keep(text);
}

static void run(const char *name, work *w, bench_body ours, bench_body floor, const char *floor_name,
                size_t bytes, double target) {
  bench_run(&(bench_case){.name = name,
                          .ours = ours,
                          .floor = floor,
                          .floor_name = floor_name,
                          .user = w,
                          .amount = (double)bytes,
                          .measure = BENCH_MB_PER_S,
                          .goal = target > 0 ? BENCH_TIME_RATIO_AT_MOST : BENCH_NO_GOAL,
                          .target = target,
                          .count_allocations = true});
}

int main(int argc, char **argv) {
  static work small, large;
  bench_begin(argc, argv);
  make_world();
  make_work(&small, few);
  make_work(&large, many);
  run("storage/retrieve read JSON 1 MB", &small, read_json, json_floor, "JSON, base64, hashes",
      small.json.len, 1.25);
  run("storage/retrieve read JSON 7 MB", &large, read_json, json_floor, "JSON, base64, hashes",
      large.json.len, 1.25);
  run("storage/retrieve read bt 5 MB", &large, read_bt, bt_floor, "hashes", large.bt.len, 0);
  run("storage/retrieve write JSON 7 MB", &large, write_json, base64_floor, "base64", large.json.len, 0);
  sc_buffer_free(&small.json);
  sc_buffer_free(&small.bt);
  sc_buffer_free(&large.json);
  sc_buffer_free(&large.bt);
  return 0;
}
