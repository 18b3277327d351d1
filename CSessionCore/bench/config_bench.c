/* Configs: ten thousand contacts, gone through, read and stored one by one; as many conversations, gone
 * through and aged. */
#include "bench.h"
#include "config/convo_info_volatile.h"

enum { contacts_count = 10000 };

typedef struct book {
  sc_contacts *contacts;
  sc_buffer data; /* their encoding, inside of a message */
  uint64_t stored;
} book;

static sc_id numbered(uint32_t number) {
  sc_id id;
  uint8_t key[SC_KEY_BYTES] = {0};
  for (size_t i = 0; i < sizeof number; i++)
    key[i] = (uint8_t)(number * 2654435761u >> (8 * i));
  sc_id_make(&id, SC_ID_STANDARD, key);
  return id;
}

static sc_contact somebody(uint32_t number) {
  static const uint8_t key[SC_CONFIG_PICTURE_KEY_BYTES] = {1};
  return (sc_contact){
      .id = numbered(number),
      .name = sc_bytes_text("Somebody We Know"),
      .nickname = sc_bytes_text("sb"),
      .picture = {sc_bytes_text("http://filev2.getsession.org/file/1234567890"), SC_BYTES(key)},
      .created_s = 1700000000 + number,
      .approved = true,
      .approved_me = true,
  };
}

static void walk(void *user) {
  const book *b = user;
  sc_contact contact;
  size_t count = 0;
  sc_status status = sc_contacts_first(&contact, b->contacts);
  for (; status == SC_OK; status = sc_contacts_next(&contact, b->contacts))
    count++;
  if (count != contacts_count)
    bench_stop(__FILE__, __LINE__, "sc_contacts_next", status);
  bench_keep(&contact);
}

static void walk_floor(void *user) {
  const book *b = user;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_buffer_bytes(&b->data));
  BENCH_OK(sc_bt_skip(&reader));
  bench_keep(&reader);
}

static void get(void *user) {
  const book *b = user;
  sc_contact contact;
  for (uint32_t i = 0; i < contacts_count; i++) {
    sc_id id = numbered(i);
    BENCH_OK(sc_contacts_get(&contact, b->contacts, &id));
  }
  bench_keep(&contact);
}

/* Each with another time, so that each is a change. */
static void set(void *user) {
  book *b = user;
  for (uint32_t i = 0; i < contacts_count; i += 10) {
    sc_contact contact = somebody(i);
    contact.mute_until_s = (int64_t)++b->stored;
    BENCH_OK(sc_contacts_set(b->contacts, &contact));
  }
}

static void set_same(void *user) {
  book *b = user;
  sc_contact contact;
  for (uint32_t i = 0; i < contacts_count; i += 10) {
    sc_id id = numbered(i);
    BENCH_OK(sc_contacts_get(&contact, b->contacts, &id));
    BENCH_OK(sc_contacts_set(b->contacts, &contact));
  }
}

/* Bytes of the same kind and number, in one piece. */
static void encode(sc_buffer *out, sc_config *config) {
  sc_buffer dump;
  sc_bt_reader reader;
  sc_bytes message;
  sc_buffer_init(&dump, bench_env());
  BENCH_OK(sc_config_dump(&dump, config, 0));
  sc_bt_reader_init(&reader, sc_buffer_bytes(&dump));
  BENCH_OK(sc_bt_enter_dict(&reader));
  BENCH_OK(sc_bt_find_key(&reader, sc_bytes_text("$")));
  BENCH_OK(sc_bt_read_string(&message, &reader));
  BENCH_OK(sc_buffer_append(out, message));
  sc_buffer_free(&dump);
}

static void open_book(book *out) {
  sc_account account;
  uint8_t seed[SC_SEED_BYTES] = {1};
  sc_account_from_seed(&account, seed);
  *out = (book){0};
  BENCH_OK(sc_contacts_new(&out->contacts, bench_env(), &account.keys, sc_bytes_make(NULL, 0)));
  for (uint32_t i = 0; i < contacts_count; i++) {
    sc_contact contact = somebody(i);
    BENCH_OK(sc_contacts_set(out->contacts, &contact));
  }
  sc_buffer_init(&out->data, bench_env());
  encode(&out->data, sc_contacts_config(out->contacts));
  sc_account_wipe(&account);
}

typedef struct readings {
  sc_convo_info *info;
  sc_buffer data; /* their encoding, inside of a message */
  size_t seen;
} readings;

enum { convos_count = 10000 };
static const uint64_t read_ms = 1700000000000;

static void see_all(void *user) {
  readings *r = user;
  sc_convo convo;
  r->seen = 0;
  sc_status status = sc_convo_info_first(&convo, r->info);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, r->info))
    r->seen += convo.last_read_ms > 0;
  if (r->seen != convos_count)
    bench_stop(__FILE__, __LINE__, "sc_convo_info_next", status);
}

/* As each push and each merge does; none is old enough. */
static void age(void *user) {
  readings *r = user;
  BENCH_OK(sc_convo_info_age(r->info, read_ms));
}

static void skip_readings(void *user) {
  readings *r = user;
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_buffer_bytes(&r->data));
  BENCH_OK(sc_bt_skip(&reader));
  bench_keep(&reader);
}

static void open_readings(readings *out) {
  sc_account account;
  uint8_t seed[SC_SEED_BYTES] = {2};
  sc_account_from_seed(&account, seed);
  *out = (readings){0};
  BENCH_OK(sc_convo_info_new(&out->info, bench_env(), &account.keys, sc_bytes_make(NULL, 0)));
  for (uint32_t i = 0; i < convos_count; i++) {
    sc_convo convo = {.kind = SC_CONVO_CONTACT, .id = numbered(i), .last_read_ms = (int64_t)read_ms + i};
    BENCH_OK(sc_convo_info_set(out->info, &convo, read_ms));
  }
  sc_buffer_init(&out->data, bench_env());
  encode(&out->data, sc_convo_info_config(out->info));
  sc_account_wipe(&account);
}

static void run_readings(void) {
  readings r;
  open_readings(&r);
  bench_run(&(bench_case){.name = "convos/go through 10,000",
                          .ours = see_all,
                          .floor = skip_readings,
                          .floor_name = "skip their encoding",
                          .user = &r,
                          .amount = convos_count,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 0.5,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "convos/age 10,000",
                          .ours = age,
                          .floor = see_all,
                          .floor_name = "go through them",
                          .user = &r,
                          .amount = convos_count,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_TIME_RATIO_AT_MOST,
                          .target = 1.5,
                          .count_allocations = true});
  sc_buffer_free(&r.data);
  sc_convo_info_free(r.info);
}

int main(int argc, char **argv) {
  book b;
  bench_begin(argc, argv);
  open_book(&b);
  bench_run(&(bench_case){.name = "contacts/go through 10,000",
                          .ours = walk,
                          .floor = walk_floor,
                          .floor_name = "skip their encoding",
                          .user = &b,
                          .amount = contacts_count,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 0.5,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "contacts/get",
                          .ours = get,
                          .user = &b,
                          .amount = contacts_count,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 1,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "contacts/set",
                          .ours = set,
                          .user = &b,
                          .amount = contacts_count / 10,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 10,
                          .count_allocations = true});
  bench_run(&(bench_case){.name = "contacts/set the same",
                          .ours = set_same,
                          .user = &b,
                          .amount = contacts_count / 10,
                          .measure = BENCH_US_PER_OP,
                          .goal = BENCH_FIGURE_AT_MOST,
                          .target = 5,
                          .count_allocations = true});
  sc_contacts_free(b.contacts);
  sc_buffer_free(&b.data);
  run_readings();
  return 0;
}
