#include "support/pieces.h"

enum { chunk = 1 << SC_ARCHIVE_MIN_CHUNK_LOG2, one_slot = 48 + 104 + 32, tag = 16 };

static const uint8_t seed[32] = {1, 2, 3}, key_file[32] = {4, 5, 6}, other[32] = {7};

static const sc_archive_secret passphrase = {
    SC_ARCHIVE_SLOT_PASSPHRASE, {(const uint8_t *)"correct horse", 13}, {1, SC_PASSPHRASE_MIN_MEMORY}};
static const sc_archive_secret account = {SC_ARCHIVE_SLOT_ACCOUNT, {seed, 32}, {0, 0}};
static const sc_archive_secret key = {SC_ARCHIVE_SLOT_KEY_FILE, {key_file, 32}, {0, 0}};
static const sc_archive_secret another_account = {SC_ARCHIVE_SLOT_ACCOUNT, {other, 32}, {0, 0}};
static const sc_archive_secret another_passphrase = {
    SC_ARCHIVE_SLOT_PASSPHRASE, {(const uint8_t *)"battery", 7}, {0, 0}};

/* An archive, what is in it, and what it opens to. */
typedef struct example {
  const sc_env *env;
  sc_buffer content, sealed, opened;
} example;

static void example_init(example *e, const sc_env *env) {
  e->env = env;
  sc_buffer_init(&e->content, env);
  sc_buffer_init(&e->sealed, env);
  sc_buffer_init(&e->opened, env);
}

static void example_free(example *e) {
  sc_buffer_free(&e->content);
  sc_buffer_free(&e->sealed);
  sc_buffer_free(&e->opened);
}

static sc_status write_frames(void *sealer, sc_bytes piece) {
  return sc_archive_sealer_write(sealer, piece);
}

static sc_status write_file(void *opener, sc_bytes piece) {
  return sc_archive_opener_write(opener, piece);
}

static sc_status example_seal(example *e, const sc_archive_secret *secrets, size_t count, size_t len,
                              uint64_t sizes) {
  sc_test_sink sink = {.into = &e->sealed};
  sc_archive_sealer *sealer;
  sc_buffer_clear(&e->sealed);
  sc_status status = sc_test_content(&e->content, len);
  if (status == SC_OK)
    status = sc_archive_sealer_new(&sealer, e->env, sc_test_sink_of(&sink), secrets, count,
                                   SC_ARCHIVE_MIN_CHUNK_LOG2);
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_frames, sealer, sc_buffer_bytes(&e->content), sizes);
  if (status == SC_OK)
    status = sc_archive_sealer_finish(sealer);
  sc_archive_sealer_free(sealer);
  return sink.broke_a_rule ? SC_ERR_STATE : status;
}

static sc_status open_bytes(example *e, sc_bytes sealed, const sc_archive_secret *secrets, size_t count,
                            uint64_t sizes) {
  sc_test_sink sink = {.into = &e->opened};
  sc_archive_opener *opener;
  sc_buffer_clear(&e->opened);
  sc_status status = sc_archive_opener_new(&opener, e->env, sc_test_sink_of(&sink), secrets, count);
  if (status != SC_OK)
    return status;
  status = sc_test_in_pieces(write_file, opener, sealed, sizes);
  if (status == SC_OK)
    status = sc_archive_opener_finish(opener);
  if (status != SC_OK && sc_archive_opener_finish(opener) != SC_ERR_STATE)
    sink.broke_a_rule = true;
  sc_archive_opener_free(opener);
  return sink.broke_a_rule ? SC_ERR_STATE : status;
}

static sc_status example_open(example *e, const sc_archive_secret *secret) {
  return open_bytes(e, sc_buffer_bytes(&e->sealed), secret, 1, 0);
}

static void an_archive_opens_to_its_content(sc_test *t) {
  static const size_t lens[] = {1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5};
  example e;
  example_init(&e, t->env);
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
    for (uint64_t sizes = 0; sizes < (t->torture ? 1 : 4); sizes++) {
      OK(example_seal(&e, &account, 1, lens[i], sizes));
      size_t chunks = (lens[i] + chunk - 1) / chunk;
      CHECK(e.sealed.len == one_slot + lens[i] + chunks * tag);
      OK(open_bytes(&e, sc_buffer_bytes(&e.sealed), &account, 1, sizes));
      SAME(sc_buffer_bytes(&e.content), sc_buffer_bytes(&e.opened));
    }
done:
  example_free(&e);
}

static void each_of_its_secrets_opens_it(sc_test *t) {
  const sc_archive_secret all[] = {passphrase, account, key};
  const sc_archive_secret one_is_right[] = {another_account, another_passphrase, account};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, all, 3, 10, 0));
  for (size_t i = 0; i < 3; i++) {
    OK(example_open(&e, &all[i]));
    SAME(sc_buffer_bytes(&e.content), sc_buffer_bytes(&e.opened));
  }
  OK(open_bytes(&e, sc_buffer_bytes(&e.sealed), one_is_right, 3, 0));
done:
  example_free(&e);
}

static void other_secrets_do_not_open_it(sc_test *t) {
  const sc_archive_secret two[] = {passphrase, account};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, two, 2, 10, 0));
  FAILS(SC_ERR_ARCHIVE_WRONG_KEY, example_open(&e, &another_account));
  FAILS(SC_ERR_ARCHIVE_WRONG_KEY, example_open(&e, &another_passphrase));
  FAILS(SC_ERR_ARCHIVE_NO_SLOT, example_open(&e, &key));
  CHECK(e.opened.len == 0);
done:
  example_free(&e);
}

static void two_archives_share_neither_keys_nor_bytes(sc_test *t) {
  example a, b;
  example_init(&a, t->env);
  example_init(&b, t->env);
  OK(example_seal(&a, &account, 1, 100, 0));
  OK(example_seal(&b, &account, 1, 100, 0));
  SAME(sc_buffer_bytes(&a.content), sc_buffer_bytes(&b.content));
  CHECK(memcmp(a.sealed.ptr + 16, b.sealed.ptr + 16, 32) != 0);
  CHECK(memcmp(a.sealed.ptr + one_slot, b.sealed.ptr + one_slot, 100) != 0);
done:
  example_free(&a);
  example_free(&b);
}

static void the_header_says_what_everybody_may_know(sc_test *t) {
  const sc_archive_secret two[] = {key, passphrase};
  sc_archive_header header;
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, two, 2, 1, 0));
  OK(sc_archive_header_read(&header, sc_buffer_bytes(&e.sealed)));
  CHECK(header.minor_version == 0 && header.chunk_log2 == SC_ARCHIVE_MIN_CHUNK_LOG2);
  CHECK(header.len == 48 + 2 * 104 + 32 && header.slot_count == 2);
  CHECK(header.slots[0].kind == SC_ARCHIVE_SLOT_KEY_FILE && header.slots[0].cost.passes == 0);
  CHECK(header.slots[1].kind == SC_ARCHIVE_SLOT_PASSPHRASE && header.slots[1].cost.passes == 1);
  CHECK(header.slots[1].cost.memory == SC_PASSPHRASE_MIN_MEMORY);
  SAME(sc_bytes_make(e.sealed.ptr + 16, 16), SC_BYTES(header.id));
done:
  example_free(&e);
}

/* One byte of the header changes. */
static void a_header_of_another_form_is_refused(sc_test *t) {
  static const struct {
    size_t at;
    uint8_t value;
    sc_status status;
  } changes[] = {
      {0, 'T', SC_ERR_ARCHIVE_MAGIC},   {7, 1, SC_ERR_ARCHIVE_MAGIC},      {8, 2, SC_ERR_ARCHIVE_VERSION},
      {8, 0, SC_ERR_ARCHIVE_VERSION},   {10, 11, SC_ERR_ARCHIVE_HEADER},   {10, 21, SC_ERR_ARCHIVE_HEADER},
      {11, 0, SC_ERR_ARCHIVE_HEADER},   {11, 4, SC_ERR_ARCHIVE_HEADER},    {11, 2, SC_ERR_ARCHIVE_HEADER},
      {13, 1, SC_ERR_ARCHIVE_HEADER},   {15, 183, SC_ERR_ARCHIVE_HEADER},  {48, 4, SC_ERR_ARCHIVE_HEADER},
      {48, 0, SC_ERR_ARCHIVE_HEADER},   {49, 1, SC_ERR_ARCHIVE_HEADER},    {55, 1, SC_ERR_ARCHIVE_HEADER},
      {63, 1, SC_ERR_ARCHIVE_HEADER},   {64, 0, SC_ERR_ARCHIVE_WRONG_KEY}, {9, 1, SC_ERR_ARCHIVE_DAMAGED},
      {10, 13, SC_ERR_ARCHIVE_DAMAGED}, {32, 0, SC_ERR_ARCHIVE_DAMAGED},
  };
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, &account, 1, 10, 0));
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    uint8_t *byte = &e.sealed.ptr[changes[i].at], before = *byte;
    *byte = changes[i].value == before ? (uint8_t)(before + 1) : changes[i].value;
    FAILS(changes[i].status, example_open(&e, &account));
    *byte = before;
  }
  OK(example_open(&e, &account));
done:
  example_free(&e);
}

static void two_slots_of_a_kind_are_refused(sc_test *t) {
  const sc_archive_secret two[] = {account, key};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, two, 2, 10, 0));
  e.sealed.ptr[48 + 104] = SC_ARCHIVE_SLOT_ACCOUNT;
  FAILS(SC_ERR_ARCHIVE_HEADER, example_open(&e, &account));
done:
  example_free(&e);
}

/* Puts bytes in front of the MAC, and says so in the length. */
static sc_status extend_header(sc_buffer *out, const sc_buffer *sealed, sc_bytes extension) {
  sc_buffer_clear(out);
  size_t front = one_slot - 32;
  sc_status status = sc_buffer_append(out, sc_bytes_make(sealed->ptr, front));
  if (status == SC_OK)
    status = sc_buffer_append(out, extension);
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_make(sealed->ptr + front, sealed->len - front));
  if (status == SC_OK)
    out->ptr[15] = (uint8_t)(one_slot + extension.len);
  return status;
}

static void unknown_extensions_are_passed_over_if_they_may_be(sc_test *t) {
  static const uint8_t even[] = {0, 2, 0, 1, 9, 0, 4, 0, 0}, odd[] = {0, 2, 0, 0, 0, 3, 0, 0};
  static const uint8_t long_one[] = {0, 2, 0, 2, 9}, short_one[] = {0, 2, 0};
  static const struct {
    sc_bytes extension;
    sc_status status;
  } cases[] = {{{even, sizeof even}, SC_OK},
               {{odd, sizeof odd}, SC_ERR_ARCHIVE_VERSION},
               {{long_one, sizeof long_one}, SC_ERR_ARCHIVE_HEADER},
               {{short_one, sizeof short_one}, SC_ERR_ARCHIVE_HEADER}};
  sc_archive_header header;
  sc_buffer extended;
  example e;
  example_init(&e, t->env);
  sc_buffer_init(&extended, t->env);
  OK(example_seal(&e, &account, 1, 10, 0));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(extend_header(&extended, &e.sealed, cases[i].extension));
    FAILS(cases[i].status, sc_archive_header_read(&header, sc_buffer_bytes(&extended)));
  }
done:
  example_free(&e);
  sc_buffer_free(&extended);
}

static void costs_out_of_range_are_refused_before_anything_is_derived(sc_test *t) {
  const sc_archive_secret two[] = {passphrase, account};
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, two, 2, 10, 0));
  e.sealed.ptr[48 + 4] = 1; /* 2^24 passes and more */
  FAILS(SC_ERR_PASSPHRASE_COST, example_open(&e, &passphrase));
  e.sealed.ptr[48 + 4] = 0;
  e.sealed.ptr[48 + 8] = 0xff;
  FAILS(SC_ERR_PASSPHRASE_COST, example_open(&e, &passphrase));
  FAILS(SC_ERR_ARCHIVE_DAMAGED, example_open(&e, &account)); /* whose slot was not changed */
done:
  example_free(&e);
}

static void a_changed_byte_is_detected(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, &account, 1, 2 * chunk + 10, 0));
  for (size_t at = 0; at < e.sealed.len; at += at < one_slot + 20 ? 1 : 97) {
    if (t->torture && at > 0)
      break;
    e.sealed.ptr[at] ^= 0x40;
    sc_status status = example_open(&e, &account);
    e.sealed.ptr[at] ^= 0x40;
    CHECK(status != SC_OK);
    if (at == 0)
      FAILS(SC_ERR_ARCHIVE_MAGIC, status);
  }
done:
  example_free(&e);
}

static void a_file_that_was_cut_is_not_opened_to_its_end(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, &account, 1, 2 * chunk, 0));
  for (size_t len = 0; len < e.sealed.len && !t->torture; len += len < one_slot + 40 ? 1 : 61) {
    sc_status expected = len < 8                                            ? SC_ERR_ARCHIVE_MAGIC
                         : len <= one_slot || len == one_slot + chunk + tag ? SC_ERR_ARCHIVE_TRUNCATED
                                                                            : SC_ERR_ARCHIVE_DAMAGED;
    FAILS(expected, open_bytes(&e, sc_bytes_make(e.sealed.ptr, len), &account, 1, 0));
  }
  FAILS(SC_ERR_ARCHIVE_TRUNCATED,
        open_bytes(&e, sc_bytes_make(e.sealed.ptr, one_slot + chunk + tag), &account, 1, 0));
done:
  example_free(&e);
}

static void chunks_stay_in_their_place(sc_test *t) {
  enum { sealed_chunk = chunk + tag };
  uint8_t *first, swapped[sealed_chunk];
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, &account, 1, 3 * chunk, 0));
  first = e.sealed.ptr + one_slot;
  memcpy(swapped, first, sealed_chunk);
  memcpy(first, first + sealed_chunk, sealed_chunk);
  memcpy(first + sealed_chunk, swapped, sealed_chunk);
  FAILS(SC_ERR_ARCHIVE_DAMAGED, example_open(&e, &account));
  CHECK(e.opened.len == 0);
done:
  example_free(&e);
}

static void the_damaged_chunk_is_named(sc_test *t) {
  sc_test_sink sink = {.into = NULL};
  sc_archive_opener *opener = NULL;
  example e;
  example_init(&e, t->env);
  OK(example_seal(&e, &account, 1, 3 * chunk, 0));
  e.sealed.ptr[one_slot + 2 * (chunk + tag)] ^= 1;
  OK(sc_archive_opener_new(&opener, t->env, sc_test_sink_of(&sink), &account, 1));
  OK(sc_archive_opener_write(opener, sc_buffer_bytes(&e.sealed)));
  FAILS(SC_ERR_ARCHIVE_DAMAGED, sc_archive_opener_finish(opener));
  CHECK(sc_archive_opener_chunks(opener) == 2 && sink.len == 2 * chunk);
done:
  sc_archive_opener_free(opener);
  example_free(&e);
}

static void secrets_that_cannot_be_are_refused(sc_test *t) {
  static const uint8_t long_passphrase[SC_ARCHIVE_MAX_PASSPHRASE + 1] = {'a'};
  const sc_archive_secret empty = {SC_ARCHIVE_SLOT_PASSPHRASE, {seed, 0}, {1, SC_PASSPHRASE_MIN_MEMORY}};
  const sc_archive_secret too_long = {
      SC_ARCHIVE_SLOT_PASSPHRASE, {long_passphrase, sizeof long_passphrase}, {1, SC_PASSPHRASE_MIN_MEMORY}};
  const sc_archive_secret short_seed = {SC_ARCHIVE_SLOT_ACCOUNT, {seed, 16}, {0, 0}};
  const sc_archive_secret free_of_cost = {SC_ARCHIVE_SLOT_PASSPHRASE, {seed, 3}, {0, 0}};
  const sc_archive_secret twice[] = {account, account};
  example e;
  example_init(&e, t->env);
  FAILS(SC_ERR_ARGUMENT, example_seal(&e, &account, 0, 1, 0));
  FAILS(SC_ERR_ARGUMENT, example_seal(&e, &empty, 1, 1, 0));
  FAILS(SC_ERR_TOO_LARGE, example_seal(&e, &too_long, 1, 1, 0));
  FAILS(SC_ERR_KEY_SIZE, example_seal(&e, &short_seed, 1, 1, 0));
  FAILS(SC_ERR_PASSPHRASE_COST, example_seal(&e, &free_of_cost, 1, 1, 0));
  FAILS(SC_ERR_ARGUMENT, example_seal(&e, twice, 2, 1, 0));
  FAILS(SC_ERR_STATE, example_seal(&e, &account, 1, 0, 0));
  FAILS(SC_ERR_KEY_SIZE, example_open(&e, &short_seed));
done:
  example_free(&e);
}

static void a_sink_that_refuses_ends_the_archive(sc_test *t) {
  sc_archive_sealer *sealer = NULL;
  sc_test_sink sink = {.into = NULL, .refuse_at = 2};
  example e;
  example_init(&e, t->env);
  OK(sc_test_content(&e.content, 2 * chunk));
  OK(sc_archive_sealer_new(&sealer, t->env, sc_test_sink_of(&sink), &account, 1, SC_ARCHIVE_MIN_CHUNK_LOG2));
  FAILS(SC_ERR_SINK, sc_archive_sealer_write(sealer, sc_buffer_bytes(&e.content)));
  FAILS(SC_ERR_STATE, sc_archive_sealer_write(sealer, sc_buffer_bytes(&e.content)));
  FAILS(SC_ERR_STATE, sc_archive_sealer_finish(sealer));
  CHECK(!sink.broke_a_rule);
done:
  sc_archive_sealer_free(sealer);
  example_free(&e);
}

SUITE(archive_sealed, "archive/sealed", {"an archive opens to its content", an_archive_opens_to_its_content},
      {"each of its secrets opens it", each_of_its_secrets_opens_it},
      {"other secrets do not open it", other_secrets_do_not_open_it},
      {"two archives share neither keys nor bytes", two_archives_share_neither_keys_nor_bytes},
      {"the header says what everybody may know", the_header_says_what_everybody_may_know},
      {"a header of another form is refused", a_header_of_another_form_is_refused},
      {"two slots of a kind are refused", two_slots_of_a_kind_are_refused},
      {"unknown extensions are passed over if they may be",
       unknown_extensions_are_passed_over_if_they_may_be},
      {"costs out of range are refused before anything is derived",
       costs_out_of_range_are_refused_before_anything_is_derived},
      {"a changed byte is detected", a_changed_byte_is_detected},
      {"a file that was cut is not opened to its end", a_file_that_was_cut_is_not_opened_to_its_end},
      {"chunks stay in their place", chunks_stay_in_their_place},
      {"the damaged chunk is named", the_damaged_chunk_is_named},
      {"secrets that cannot be are refused", secrets_that_cannot_be_are_refused},
      {"a sink that refuses ends the archive", a_sink_that_refuses_ends_the_archive});
