/* Nearness is the Damerau-Levenshtein distance in letters (optimal string alignment: one slip inserts, drops,
 * replaces or swaps neighbours), with the first letters counting more: they are what tells words apart, and
 * people rarely miss them. Words that are equally near stay in the order of the list. */
#include "session-core/base/secret.h"
#include "words.h"

enum {
  most_letters = 24, /* of a typed word; more would not make any word nearer than another */
  slip_cost = 3,
  taken = UINT16_MAX,
};

typedef struct letters {
  uint32_t at[most_letters]; /* the bytes of each letter as a number */
  size_t count;
} letters;

static letters letters_of(sc_bytes word) {
  letters out = {.count = 0};
  for (size_t i = 0; i < word.len; i++) {
    uint8_t byte = fold_case(word.ptr[i]);
    if (out.count > 0 && !begins_letter(byte))
      out.at[out.count - 1] = out.at[out.count - 1] << 8 | byte;
    else if (out.count < most_letters)
      out.at[out.count++] = byte;
    else
      break;
  }
  return out;
}

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static unsigned distance(const letters *a, const letters *b) {
  unsigned rows[3][most_letters + 1];
  unsigned *two_back = rows[0], *previous = rows[1], *current = rows[2];
  for (size_t j = 0; j <= b->count; j++)
    current[j] = (unsigned)j;
  for (size_t i = 1; i <= a->count; i++) {
    unsigned *oldest = two_back;
    two_back = previous;
    previous = current;
    current = oldest;
    current[0] = (unsigned)i;
    for (size_t j = 1; j <= b->count; j++) {
      bool same = a->at[i - 1] == b->at[j - 1];
      current[j] = least(previous[j - 1] + !same, least(previous[j], current[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && a->at[i - 1] == b->at[j - 2] && a->at[i - 2] == b->at[j - 1];
      if (swapped)
        current[j] = least(current[j], two_back[j - 2] + 1);
    }
  }
  unsigned result = current[b->count];
  sc_wipe(rows, sizeof rows);
  return result;
}

static size_t shared_start(const letters *a, const letters *b, size_t max) {
  size_t shared = 0;
  while (shared < max && shared < a->count && shared < b->count && a->at[shared] == b->at[shared])
    shared++;
  return shared;
}

static uint16_t cost(const sc_phrase_language *language, const letters *typed, size_t index) {
  letters word = letters_of(sc_phrase_word(language, index));
  size_t shared = shared_start(typed, &word, language->prefix);
  if (shared == language->prefix)
    return 0;
  return (uint16_t)(slip_cost * distance(typed, &word) + language->prefix - shared);
}

static size_t cheapest(const uint16_t costs[static SC_PHRASE_LIST_WORDS]) {
  size_t best = 0;
  for (size_t i = 1; i < SC_PHRASE_LIST_WORDS; i++)
    if (costs[i] < costs[best])
      best = i;
  return best;
}

size_t sc_phrase_suggest(size_t *out, size_t max, const sc_phrase_language *language, sc_bytes text) {
  sc_bytes word;
  if (max == 0 || !sc_words_next(&word, &text))
    return 0;
  letters typed = letters_of(word);
  uint16_t costs[SC_PHRASE_LIST_WORDS];
  for (size_t i = 0; i < SC_PHRASE_LIST_WORDS; i++)
    costs[i] = cost(language, &typed, i);
  size_t count = max < SC_PHRASE_LIST_WORDS ? max : SC_PHRASE_LIST_WORDS;
  for (size_t i = 0; i < count; i++) {
    out[i] = cheapest(costs);
    costs[out[i]] = taken;
  }
  sc_wipe(&typed, sizeof typed);
  sc_wipe(costs, sizeof costs);
  return count;
}
