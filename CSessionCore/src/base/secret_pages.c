#include "secret_pages.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* With the 16 bytes that libsodium keeps before them, the slots fill a page of 4,096 bytes. */
enum { slot_count = 30 };

/* Read-only but for the moment in which a slot changes. */
struct sc_secret_page {
  uint8_t (*slots)[SC_SECRET_SLOT_BYTES];
  /* A bit for each slot. */
  uint32_t used;
  bool is_locked;
  /* Neighbours in the list of pages with a free slot; full pages are in no list. */
  sc_secret_page *next, *previous;
};

static const uint32_t full = (UINT32_C(1) << slot_count) - 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sc_secret_page *with_room;

static void link_page(sc_secret_page *page) {
  page->previous = NULL;
  page->next = with_room;
  if (with_room != NULL)
    with_room->previous = page;
  with_room = page;
}

static void unlink_page(sc_secret_page *page) {
  if (page->previous != NULL)
    page->previous->next = page->next;
  else
    with_room = page->next;
  if (page->next != NULL)
    page->next->previous = page->previous;
}

static sc_secret_page *new_page(void) {
  sc_secret_page *page = malloc(sizeof *page);
  if (page == NULL)
    return NULL;
  *page = (sc_secret_page){.slots = sodium_allocarray(slot_count, sizeof *page->slots)};
  if (page->slots == NULL) {
    free(page);
    return NULL;
  }
  /* sodium_allocarray locks too, but does not tell whether it could; locking twice does no harm. */
  page->is_locked = sodium_mlock(page->slots, slot_count * sizeof *page->slots) == 0;
  link_page(page);
  return page;
}

static void free_page(sc_secret_page *page) {
  unlink_page(page);
  sodium_free(page->slots);
  free(page);
}

const uint8_t *sc_secret_page_put(sc_secret_page **out, sc_bytes secret, bool *is_locked) {
  const uint8_t *ptr = NULL;
  pthread_mutex_lock(&lock);
  sc_secret_page *page = with_room != NULL ? with_room : new_page();
  /* The system may have no room for one more mapping. */
  if (page != NULL && sodium_mprotect_readwrite(page->slots) == 0) {
    size_t slot = 0;
    while ((page->used >> slot & 1) != 0)
      slot++;
    memcpy(page->slots[slot], secret.ptr, secret.len);
    (void)sodium_mprotect_readonly(page->slots);
    page->used |= UINT32_C(1) << slot;
    if (page->used == full)
      unlink_page(page);
    ptr = page->slots[slot];
    *out = page;
    *is_locked = page->is_locked;
  }
  pthread_mutex_unlock(&lock);
  return ptr;
}

void sc_secret_page_remove(sc_secret_page *page, const uint8_t *ptr) {
  size_t slot = (size_t)(ptr - page->slots[0]) / SC_SECRET_SLOT_BYTES;
  pthread_mutex_lock(&lock);
  /* A slot that cannot be wiped stays in use. */
  if (sodium_mprotect_readwrite(page->slots) == 0) {
    sodium_memzero(page->slots[slot], SC_SECRET_SLOT_BYTES);
    (void)sodium_mprotect_readonly(page->slots);
    if (page->used == full)
      link_page(page);
    page->used &= ~(UINT32_C(1) << slot);
    /* One page stays for the next secret. */
    if (page->used == 0 && (page->next != NULL || page->previous != NULL))
      free_page(page);
  }
  pthread_mutex_unlock(&lock);
}
