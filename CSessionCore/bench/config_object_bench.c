/* Configs of usual and of extreme sizes: filled, edited, pushed, saved, loaded, and merged between two
 * devices of one account.
 *
 * Each step changes what the next one starts from, so bench_run does not fit: a step is prepared, timed and
 * undone again and again, in the processor's time, and the best counts. The floor does to the same message
 * what the format cannot do without, and nothing else. Beside it stand the times that another implementation
 * takes for the same step on a machine like this. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zstd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bench.h"
#include "config/object.h"

enum { repetitions = 25, zstd_level = 1 };

static const int64_t wall_ms = 1700000000000;

/* One device: the contacts, conversations or groups of an account, or the members of a group. */
typedef struct device {
  sc_contacts *contacts;
  sc_convo_info *conversations;
  sc_user_groups *groups;
  sc_group_members *members;
  sc_config *config;
  sc_config_outgoing out;
} device;

typedef struct subject {
  const char *name;
  const char *part; /* of the names of the steps to be run */
  size_t count;
  sc_keypair account;
  sc_id *ids;
  device a, b;
  unsigned edits;
  unsigned hashes;
  sc_buffer message;   /* as it is published, for the floors */
  uint8_t **copies;    /* of its records, for the floor of filling */
  double *of_thousand; /* times of the steps with 1,000 records; 0 for those that were not run */
  sc_buffer dump;
  void (*load)(struct subject *s, device *out, sc_bytes dump);
  void (*unload)(device *d);
  void (*fill)(struct subject *s, device *d, size_t index);
  void (*touch)(struct subject *s, device *d, size_t index);
} subject;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Contacts: about 125 bytes each, half of them with a picture. */

static void load_contacts(subject *s, device *out, sc_bytes dump) {
  BENCH_OK(sc_contacts_new(&out->contacts, bench_env(), &s->account, dump));
  out->config = sc_contacts_config(out->contacts);
  sc_config_outgoing_init(&out->out, bench_env());
}

static void unload_contacts(device *d) {
  sc_contacts_free(d->contacts);
  sc_config_outgoing_free(&d->out);
}

static void fill_contact(subject *s, device *d, size_t index) {
  char name[32], url[64];
  uint8_t key[32];
  sc_contact contact;
  BENCH_OK(sc_contacts_get_or_make(&contact, d->contacts, &s->ids[index]));
  memset(key, (int)(index % 251) + 1, sizeof key);
  snprintf(name, sizeof name, "Person %zu", index);
  snprintf(url, sizeof url, "http://filev2.getsession.org/file/%zu", 1000000 + index);
  contact.name = sc_bytes_text(name);
  contact.approved = contact.approved_me = true;
  contact.created_s = 1680000000 + (int64_t)index;
  if (index % 2 == 0)
    contact.picture = (sc_config_picture){sc_bytes_text(url), SC_BYTES(key)};
  BENCH_OK(sc_contacts_set(d->contacts, &contact));
}

static void touch_contact(subject *s, device *d, size_t index) {
  char name[32];
  snprintf(name, sizeof name, "Nick %u", ++s->edits);
  sc_contact contact;
  BENCH_OK(sc_contacts_get(&contact, d->contacts, &s->ids[index]));
  contact.nickname = sc_bytes_text(name);
  BENCH_OK(sc_contacts_set(d->contacts, &contact));
}

/* Conversations: how far each has been read. */

static void load_conversations(subject *s, device *out, sc_bytes dump) {
  BENCH_OK(sc_convo_info_new(&out->conversations, bench_env(), &s->account, dump));
  out->config = sc_convo_info_config(out->conversations);
  sc_config_outgoing_init(&out->out, bench_env());
}

static void unload_conversations(device *d) {
  sc_convo_info_free(d->conversations);
  sc_config_outgoing_free(&d->out);
}

static void read_up_to(subject *s, device *d, size_t index, int64_t time_ms) {
  sc_convo convo;
  BENCH_OK(sc_convo_info_get_or_make(&convo, d->conversations, SC_CONVO_CONTACT, &s->ids[index]));
  convo.last_read_ms = time_ms;
  BENCH_OK(sc_convo_info_set(d->conversations, &convo, (uint64_t)wall_ms));
}

static void fill_conversation(subject *s, device *d, size_t index) {
  read_up_to(s, d, index, wall_ms - (int64_t)(index * 7919 % 100000));
}

static void touch_conversation(subject *s, device *d, size_t index) {
  read_up_to(s, d, index, wall_ms + ++s->edits);
}

/* Groups: as they are joined. */

static void load_groups(subject *s, device *out, sc_bytes dump) {
  BENCH_OK(sc_user_groups_new(&out->groups, bench_env(), &s->account, dump));
  out->config = sc_user_groups_config(out->groups);
  sc_config_outgoing_init(&out->out, bench_env());
}

static void unload_groups(device *d) {
  sc_user_groups_free(d->groups);
  sc_config_outgoing_free(&d->out);
}

static void put_group(subject *s, device *d, size_t index, int64_t joined_s) {
  char name[32];
  sc_user_group group;
  sc_id id = s->ids[index];
  id.bytes[0] = SC_ID_GROUP;
  BENCH_OK(sc_user_groups_get_or_make_group(&group, d->groups, &id));
  snprintf(name, sizeof name, "Group %zu", index);
  group.name = sc_bytes_text(name);
  group.membership.joined_s = joined_s;
  BENCH_OK(sc_user_groups_set_group(d->groups, &group));
}

static void fill_group(subject *s, device *d, size_t index) {
  put_group(s, d, index, 1680000000 + (int64_t)index);
}

static void touch_group(subject *s, device *d, size_t index) {
  put_group(s, d, index, 1690000000 + ++s->edits);
}

/* Members: of a group whose admin the account is, so that its messages are signed. */

static void load_members(subject *s, device *out, sc_bytes dump) {
  static const uint8_t key[SC_KEY_BYTES] = {7};
  sc_id group;
  sc_id_make(&group, SC_ID_GROUP, s->account.ed.public_key);
  BENCH_OK(sc_group_members_new(&out->members, bench_env(), &group, &s->account.ed, dump));
  out->config = sc_group_members_config(out->members);
  BENCH_OK(sc_config_add_key(out->config, SC_BYTES(key), true, false));
  sc_config_outgoing_init(&out->out, bench_env());
}

static void unload_members(device *d) {
  sc_group_members_free(d->members);
  sc_config_outgoing_free(&d->out);
}

static void put_member(subject *s, device *d, size_t index, const char *name) {
  sc_group_member member = {.id = s->ids[index], .name = sc_bytes_text(name)};
  BENCH_OK(sc_group_members_set(d->members, &member));
}

static void fill_member(subject *s, device *d, size_t index) {
  char name[32];
  snprintf(name, sizeof name, "Member %zu", index);
  put_member(s, d, index, name);
}

static void touch_member(subject *s, device *d, size_t index) {
  char name[32];
  snprintf(name, sizeof name, "Renamed %u", ++s->edits);
  put_member(s, d, index, name);
}

/* Messages between the devices */

static void push(subject *s, device *d) {
  (void)s;
  BENCH_OK(sc_config_push(&d->out, d->config, (uint64_t)wall_ms));
}

/* One name for each message that was ever stored. */
static size_t name_messages(subject *s, char names[][32], sc_bytes *hashes, const device *d) {
  size_t count = sc_config_stored_count(&d->out.messages);
  for (size_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "h%u.%u", s->hashes, (unsigned)i);
    hashes[i] = sc_bytes_text(names[i]);
  }
  return count;
}

static void confirm(subject *s, device *d) {
  char names[64][32];
  sc_bytes hashes[64];
  s->hashes++;
  size_t count = name_messages(s, names, hashes, d);
  BENCH_OK(sc_config_confirm(d->config, d->out.seqno, hashes, count));
}

static void merge(subject *s, device *to, const device *from, sc_config_effect expected) {
  char names[64][32];
  sc_bytes hashes[64];
  sc_config_incoming incoming[64];
  sc_config_effect effect;
  size_t count = name_messages(s, names, hashes, from);
  for (size_t i = 0; i < count; i++)
    incoming[i] = (sc_config_incoming){hashes[i], sc_config_stored_message(&from->out.messages, i)};
  BENCH_OK(sc_config_merge(&effect, NULL, to->config, incoming, count, (uint64_t)wall_ms));
  if (effect != expected)
    bench_stop(__FILE__, __LINE__, "merge", SC_ERR_STATE);
}

/* The plain message from a dump. */
static void read_message(subject *s) {
  sc_bt_reader reader;
  sc_bytes message;
  BENCH_OK(sc_config_dump(&s->dump, s->a.config, (uint64_t)wall_ms));
  sc_bt_reader_init(&reader, sc_buffer_bytes(&s->dump));
  BENCH_OK(sc_bt_enter_dict(&reader));
  BENCH_OK(sc_bt_find_key(&reader, sc_bytes_text("$")));
  BENCH_OK(sc_bt_read_string(&message, &reader));
  sc_buffer_clear(&s->message);
  BENCH_OK(sc_buffer_append(&s->message, message));
}

/* Floors */

typedef struct workshop {
  uint8_t *frame, *scratch;
  size_t frame_len, room;
  ZSTD_CCtx *compressor;
  ZSTD_DCtx *decompressor;
} workshop;

static workshop shop;

static void floor_ok(int failed) {
  if (failed != 0)
    bench_stop(__FILE__, __LINE__, "a primitive", SC_ERR_STATE);
}

static void hash_message(const subject *s) {
  uint8_t hash[32];
  floor_ok(crypto_generichash(hash, sizeof hash, s->message.ptr, s->message.len, NULL, 0));
  bench_keep(hash);
}

static void floor_seal(subject *s) {
  static const uint8_t key[32], nonce[24];
  uint8_t hash[24];
  hash_message(s);
  shop.frame_len =
      ZSTD_compressCCtx(shop.compressor, shop.frame, shop.room, s->message.ptr, s->message.len, zstd_level);
  floor_ok((int)ZSTD_isError(shop.frame_len));
  floor_ok(crypto_generichash(hash, sizeof hash, shop.frame, shop.frame_len, NULL, 0));
  floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(shop.frame, NULL, shop.frame, shop.frame_len, NULL, 0,
                                                      NULL, nonce, key));
  bench_keep(shop.frame);
}

static void floor_open(subject *s) {
  static const uint8_t key[32], nonce[24];
  floor_ok(crypto_aead_xchacha20poly1305_ietf_decrypt(shop.scratch, NULL, NULL, shop.frame,
                                                      shop.frame_len + 16, NULL, 0, nonce, key));
  size_t len = ZSTD_decompressDCtx(shop.decompressor, shop.scratch + shop.room / 2, shop.room / 2,
                                   shop.scratch, shop.frame_len);
  floor_ok(len != s->message.len);
  hash_message(s);
  BENCH_OK(sc_bt_validate(sc_buffer_bytes(&s->message)));
}

static void floor_copy(subject *s) {
  memcpy(shop.scratch, s->message.ptr, s->message.len);
  bench_keep(shop.scratch);
}

static void floor_load(subject *s) {
  uint8_t *copy = sc_allocate(bench_env(), s->message.len);
  floor_ok(copy == NULL);
  memcpy(copy, s->message.ptr, s->message.len);
  BENCH_OK(sc_bt_validate(sc_bytes_make(copy, s->message.len)));
  sc_release(bench_env(), copy);
}

/* As much memory as a record takes, and its bytes. */
static uint8_t *copy_record(const subject *s) {
  size_t size = s->message.len / s->count;
  uint8_t *copy = sc_allocate(bench_env(), size);
  floor_ok(copy == NULL);
  memcpy(copy, s->message.ptr, size);
  bench_keep(copy);
  return copy;
}

static void floor_edit(subject *s) {
  sc_release(bench_env(), copy_record(s));
}

static void floor_fill(subject *s) {
  for (size_t i = 0; i < s->count; i++)
    s->copies[i] = copy_record(s);
}

static void drop_copies(subject *s) {
  for (size_t i = 0; i < s->count; i++)
    sc_release(bench_env(), s->copies[i]);
}

/* Steps */

typedef struct step {
  const char *name;
  void (*prepare)(subject *s); /* not timed; may be NULL */
  void (*run)(subject *s);
  void (*undo)(subject *s); /* as prepare */
  void (*floor)(subject *s);
  const char *floor_name;
  double target; /* how many times as fast as the other implementation */
  double
      growth; /* from 1,000 records to 10,000, at most so many times the time; 0 where it does not matter */
  bool cold;  /* with nothing in the caches, and no memory that was used before */
} step;

static size_t some_index(const subject *s) {
  return s->edits * (size_t)7919 % s->count;
}

static void edit_and_push(subject *s) {
  s->touch(s, &s->a, some_index(s));
  push(s, &s->a);
}

static void edit(subject *s) {
  s->touch(s, &s->a, some_index(s));
}

static void publish(subject *s) {
  push(s, &s->a);
  confirm(s, &s->a);
}

static void edit_and_publish(subject *s) {
  edit(s);
  publish(s);
}

static void catch_up(subject *s) {
  merge(s, &s->b, &s->a, SC_CONFIG_ADOPTED);
}

static void edit_both(subject *s) {
  s->touch(s, &s->b, (some_index(s) + 1) % s->count);
  push(s, &s->b);
  confirm(s, &s->b);
  edit_and_publish(s);
}

/* The same, of devices that have agreed for so long that no message looks back to a merge. */
static void edit_both_in_peace(subject *s) {
  for (int i = 0; i < SC_CONFIG_LAG; i++) {
    edit_and_publish(s);
    catch_up(s);
  }
  edit_both(s);
}

static void merge_other(subject *s) {
  merge(s, &s->a, &s->b, SC_CONFIG_RESOLVED);
}

static void publish_to_other(subject *s) {
  publish(s);
  catch_up(s);
}

static void save(subject *s) {
  BENCH_OK(sc_config_dump(&s->dump, s->a.config, (uint64_t)wall_ms));
}

static device loaded;

static void load(subject *s) {
  s->load(s, &loaded, sc_buffer_bytes(&s->dump));
}

static void unload(subject *s) {
  s->unload(&loaded);
}

static const step steps[] = {
    {"set-push", NULL, edit_and_push, NULL, floor_seal, "hash, zstd, hash, AEAD", 2, 0, false},
    {"first-set", publish, edit, NULL, NULL, NULL, 2, 0, false},
    {"edit-again", edit, edit, NULL, floor_edit, "allocating, copying one", 1.2, 0, false},
    {"dump", publish, save, NULL, floor_copy, "copying", 2, 0, false},
    {"load", save, load, unload, floor_load, "allocating, copying, bt", 2, 12, false},
    {"load-cold", save, load, unload, floor_load, "allocating, copying, bt", 2, 12, true},
    {"merge", edit_and_publish, catch_up, NULL, floor_open, "AEAD, zstd, hash, bt", 3, 0, false},
    {"conflict", edit_both_in_peace, merge_other, publish_to_other, floor_open, "AEAD, zstd, hash, bt", 3, 0,
     false},
    {"conflict-again", edit_both, merge_other, publish_to_other, floor_open, "AEAD, zstd, hash, bt", 3, 0,
     false},
};
enum { step_count = sizeof steps / sizeof steps[0] };

/* Milliseconds that the other implementation takes; 0 where it is not known. */
static const struct {
  const char *name;
  double ms[step_count];
} references[] = {
    {"contacts-1000", {4.0, 1.9, 0, 1.0, 0.93, 0, 2.7, 4.2, 0}},
    {"contacts-10000", {69, 34, 0, 19, 10, 0, 36, 69, 0}},
    {"conversations-10000", {25, 0, 0, 0, 0, 0, 11, 19, 0}},
};

/* Milliseconds that a step may take on a machine like this. */
static const struct {
  const char *name;
  double ms;
} limits[] = {
    {"config/contacts-10000/fill", 25},
    {"config/conversations-10000/fill", 14},
    {"config/groups-10000/fill", 20},
    {"config/contacts-10000/edit-again", 0.003},
    {"config/conversations-10000/edit-again", 0.003},
    {"config/groups-10000/edit-again", 0.003},
    {"config/contacts-10000/load", 4},
    {"config/contacts-10000/load-cold", 4},
};

static double reference_of(const subject *s, size_t step) {
  for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
    if (strcmp(references[i].name, s->name) == 0)
      return references[i].ms[step];
  return 0;
}

static void call(void (*function)(subject *s), subject *s) {
  if (function != NULL)
    function(s);
}

static double time_of(void (*function)(subject *s), subject *s) {
  double start = seconds();
  function(s);
  return (seconds() - start) * 1e3;
}

/* Passes through more memory than caches hold, and gives back what is not used. */
static void evict(void) {
  enum { more_than_caches = 64 * 1024 * 1024, line = 64 };
  static volatile uint8_t passed[more_than_caches];
  for (size_t i = 0; i < sizeof passed; i += line)
    passed[i]++;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static void keep_less(double *least, double other) {
  if (*least == 0 || other < *least)
    *least = other;
}

static void name_step(char *out, size_t size, const char *name, size_t index) {
  snprintf(out, size, "config/%s/%s", name, steps[index].name);
}

static const char *verdict(bool met) {
  return met ? "met" : "MISSED";
}

static void print_limit(const char *name, double best) {
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (strcmp(limits[i].name, name) == 0)
      printf("; target <= %.4g ms: %s", limits[i].ms, verdict(best <= limits[i].ms));
}

static void print_times(const char *name, double best, double floor, const char *floor_name) {
  printf("%s: %.4g ms", name, best);
  if (floor > 0)
    printf("; floor %.4g ms (%s); time ratio %.3g", floor, floor_name, best / floor);
  print_limit(name, best);
}

/* Compares with the time that the same step took with 1,000 records, if it was run. */
static void print_growth(subject *s, size_t index, double best) {
  double most = steps[index].growth;
  double before = s->of_thousand[index];
  if (s->count == 1000)
    s->of_thousand[index] = best;
  else if (most > 0 && before > 0)
    printf("; %.3g times that of 1,000, target <= %.3g: %s", best / before, most,
           verdict(best / before <= most));
}

static void run_step(subject *s, size_t index) {
  const step *step = &steps[index];
  char name[96];
  name_step(name, sizeof name, s->name, index);
  if (strstr(name, s->part) == NULL)
    return;
  double best = 0, floor = 0;
  read_message(s);
  floor_seal(s);
  for (int i = 0; i < repetitions; i++) {
    call(step->prepare, s);
    if (step->cold)
      evict();
    keep_less(&best, time_of(step->run, s));
    call(step->undo, s);
    if (step->floor == NULL)
      continue;
    if (step->cold)
      evict();
    keep_less(&floor, time_of(step->floor, s));
  }
  print_times(name, best, floor, step->floor_name);
  print_growth(s, index, best);
  double reference = reference_of(s, index);
  if (reference > 0)
    printf("; reference %.4g ms: %.3g times as fast, target >= %.3g: %s", reference, reference / best,
           step->target, verdict(reference / best >= step->target));
  printf("\n");
}

static void make_ids(subject *s) {
  s->ids = malloc(s->count * sizeof *s->ids);
  for (size_t i = 0; s->ids != NULL && i < s->count; i++) {
    randombytes_buf(s->ids[i].bytes, sizeof s->ids[i].bytes);
    s->ids[i].bytes[0] = SC_ID_STANDARD;
  }
}

static void fill_all(subject *s) {
  for (size_t i = 0; i < s->count; i++)
    s->fill(s, &s->a, i);
}

static void fill(subject *s) {
  enum { fills = 5 };
  char name[96];
  double best = 0, floor = 0;
  for (int i = 0; i < fills; i++) {
    if (i > 0) {
      s->unload(&s->a);
      s->load(s, &s->a, (sc_bytes){0});
    }
    keep_less(&best, time_of(fill_all, s));
  }
  push(s, &s->a);
  confirm(s, &s->a);
  read_message(s);
  for (int i = 0; i < fills; i++) {
    keep_less(&floor, time_of(floor_fill, s));
    drop_copies(s);
  }
  snprintf(name, sizeof name, "config/%s/fill", s->name);
  print_times(name, best, floor, "allocating, copying");
  printf("; %zu bytes in %zu messages\n", s->message.len, sc_config_stored_count(&s->a.out.messages));
}

static void prepare_floors(subject *s) {
  shop.room = 4 * s->message.len + 4096;
  shop.frame = malloc(shop.room);
  shop.scratch = malloc(shop.room);
  shop.compressor = ZSTD_createCCtx();
  shop.decompressor = ZSTD_createDCtx();
  floor_seal(s);
}

static void close_floors(void) {
  free(shop.frame);
  free(shop.scratch);
  ZSTD_freeCCtx(shop.compressor);
  ZSTD_freeDCtx(shop.decompressor);
}

static void measure(subject *s) {
  static const uint8_t seed[32] = {1};
  sc_keypair_from_seed(&s->account, seed);
  make_ids(s);
  s->copies = malloc(s->count * sizeof *s->copies);
  sc_buffer_init(&s->message, bench_env());
  sc_buffer_init(&s->dump, bench_env());
  s->load(s, &s->a, (sc_bytes){0});
  s->load(s, &s->b, (sc_bytes){0});
  fill(s);
  prepare_floors(s);
  catch_up(s);
  for (size_t i = 0; i < step_count; i++) {
    if (strcmp(steps[i].name, "merge") == 0) { /* both devices must agree here */
      edit_and_publish(s);
      catch_up(s);
    }
    run_step(s, i);
  }
  close_floors();
  s->unload(&s->a);
  s->unload(&s->b);
  sc_buffer_free(&s->message);
  sc_buffer_free(&s->dump);
  free(s->copies);
  free(s->ids);
}

static bool any_step_has(const char *name, const char *part) {
  char full[96];
  for (size_t i = 0; i < step_count; i++) {
    name_step(full, sizeof full, name, i);
    if (strstr(full, part) != NULL)
      return true;
  }
  return false;
}

typedef struct kind {
  const char *name;
  void (*load)(subject *s, device *out, sc_bytes dump);
  void (*unload)(device *d);
  void (*fill)(subject *s, device *d, size_t index);
  void (*touch)(subject *s, device *d, size_t index);
} kind;

static const kind kinds[] = {
    {"contacts", load_contacts, unload_contacts, fill_contact, touch_contact},
    {"conversations", load_conversations, unload_conversations, fill_conversation, touch_conversation},
    {"groups", load_groups, unload_groups, fill_group, touch_group},
    {"members", load_members, unload_members, fill_member, touch_member},
};

static void measure_size(const char *part, const kind *what, double *of_thousand, size_t count) {
  char name[48];
  snprintf(name, sizeof name, "%s-%zu", what->name, count);
  if (!any_step_has(name, part))
    return;
  subject s = {.name = name,
               .part = part,
               .count = count,
               .of_thousand = of_thousand,
               .load = what->load,
               .unload = what->unload,
               .fill = what->fill,
               .touch = what->touch};
  measure(&s);
}

int main(int argc, char **argv) {
  static const size_t sizes[] = {100, 1000, 10000};
  static double of_thousand[sizeof kinds / sizeof kinds[0]][step_count];
  bench_begin(argc, argv);
  const char *part = argc > 1 ? argv[1] : "";
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      if (kinds[k].load != load_members || sizes[i] < 1000)
        measure_size(part, &kinds[k], of_thousand[k], sizes[i]);
  return 0;
}
