#include "sample_merge.h"

#include "../../base/sort.h"

static sc_day newer(sc_day a, sc_day b) {
  return a > b ? a : b;
}

static const sc_guard *find(const sc_sample *sample, const uint8_t *key) {
  for (size_t i = 0; i < sample->count; i++)
    if (memcmp(sample->guards[i].key, key, SC_KEY_BYTES) == 0)
      return &sample->guards[i];
  return NULL;
}

static bool is_confirmed_earlier(const sc_guard *a, const sc_guard *b) {
  if (a->number == 0 || b->number == 0)
    return a->number != 0;
  return a->confirmed != b->confirmed ? a->confirmed < b->confirmed : a->number < b->number;
}

static sc_guard merge_guard(const sc_guard *own, const sc_guard *base, const sc_guard *file) {
  sc_guard out = is_confirmed_earlier(own, file) ? *own : *file;
  out.sampled = own->sampled < file->sampled ? own->sampled : file->sampled;
  out.back_until = newer(own->back_until, file->back_until);
  /* The side that changed this since the last merge has seen a later list. */
  out.unlisted = base != NULL && base->unlisted == file->unlisted ? own->unlisted : file->unlisted;
  return out;
}

static int order_growths(const void *left, const void *right) {
  const sc_day *a = left, *b = right;
  return sc_order_numbers(*b, *a);
}

/* The newest of both, each once. Both sides may have added one on the same day. */
static void merge_growths(sc_sample *own, const sc_sample *file) {
  sc_day all[2 * sc_sample_growths];
  size_t count = 0;
  for (size_t i = 0; i < sc_sample_growths; i++) {
    all[count++] = own->growths[i];
    bool is_known = false;
    for (size_t j = 0; j < sc_sample_growths; j++)
      is_known |= own->growths[j] == file->growths[i];
    if (!is_known)
      all[count++] = file->growths[i];
  }
  sc_sort(all, count, sizeof *all, order_growths);
  memcpy(own->growths, all, sizeof own->growths);
}

typedef struct numbered {
  sc_guard *guard;
  size_t place;
} numbered;

static int order_numbered(const void *left, const void *right) {
  const numbered *a = left, *b = right;
  if (a->guard->number != b->guard->number)
    return sc_order_numbers(a->guard->number, b->guard->number);
  if (a->guard->confirmed != b->guard->confirmed)
    return sc_order_numbers(a->guard->confirmed, b->guard->confirmed);
  return sc_order_numbers(a->place, b->place);
}

/* Both sides may have given the same number to different guards. */
static void number_anew(sc_sample *sample) {
  numbered list[sc_sample_most];
  size_t count = 0;
  for (size_t i = 0; i < sample->count; i++)
    if (sample->guards[i].number != 0)
      list[count++] = (numbered){&sample->guards[i], i};
  sc_sort(list, count, sizeof *list, order_numbered);
  for (size_t i = 0; i < count; i++)
    list[i].guard->number = (uint32_t)i + 1;
}

/* The others of the file come first: they were drawn earlier than ours that are not in it. */
static void merge_guards(sc_sample *own, const sc_sample *base, const sc_sample *file) {
  sc_sample out = {0};
  for (size_t i = 0; i < file->count; i++) {
    const sc_guard *theirs = &file->guards[i];
    const sc_guard *ours = find(own, theirs->key), *before = find(base, theirs->key);
    if (ours != NULL)
      out.guards[out.count++] = merge_guard(ours, before, theirs);
    else if (before == NULL)
      out.guards[out.count++] = *theirs;
  }
  for (size_t i = 0; i < own->count && out.count < sc_sample_most; i++) {
    const sc_guard *ours = &own->guards[i];
    if (find(file, ours->key) == NULL && find(base, ours->key) == NULL)
      out.guards[out.count++] = *ours;
  }
  memcpy(own->guards, out.guards, sizeof own->guards);
  own->count = out.count;
}

/* As guards, but nothing is known of a middle except when it ends. */
static void merge_middles(sc_sample *own, const sc_sample *base, const sc_sample *file) {
  sc_sample out = {0};
  for (size_t i = 0; i < file->middle_count; i++) {
    const sc_middle *theirs = &file->middles[i];
    if (!sc_sample_has(own, theirs->key) &&
        (sc_sample_has_middle(own, theirs->key) || !sc_sample_has_middle(base, theirs->key)))
      out.middles[out.middle_count++] = *theirs;
  }
  for (size_t i = 0; i < own->middle_count && out.middle_count < sc_sample_most_middles; i++) {
    const sc_middle *ours = &own->middles[i];
    if (!sc_sample_has(own, ours->key) && !sc_sample_has_middle(file, ours->key) &&
        !sc_sample_has_middle(base, ours->key))
      out.middles[out.middle_count++] = *ours;
  }
  memcpy(own->middles, out.middles, sizeof own->middles);
  own->middle_count = out.middle_count;
}

void sc_sample_merge(sc_sample *own, const sc_sample *base, const sc_sample *file) {
  if (file->count == 0)
    return;
  if (base->count == 0 || own->count == 0) {
    *own = *file;
    return;
  }
  merge_guards(own, base, file);
  merge_middles(own, base, file);
  number_anew(own);
  merge_growths(own, file);
  own->setback = newer(own->setback, file->setback);
  if (file->walked != base->walked && file->walked > own->walked)
    own->walked = file->walked;
}
