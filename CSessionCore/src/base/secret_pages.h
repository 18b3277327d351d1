/* Pages of guarded memory that small secrets share: a page for each would cost ten calls of the system and
 * four pages.
 *
 * A page is read-only but for the moments in which one of its slots changes.
 *
 * All pages belong to the process. The functions may be called from any thread. */
#ifndef SC_SRC_BASE_SECRET_PAGES_H
#define SC_SRC_BASE_SECRET_PAGES_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* The largest secret that shares a page. */
#define SC_SECRET_SLOT_BYTES 136

typedef struct sc_secret_page sc_secret_page;

/* Copies a secret into a free slot. Returns where it is, and its page in `page`; NULL if there is no memory.
 * `is_locked` tells whether the page cannot be swapped out. */
const uint8_t *sc_secret_page_put(sc_secret_page **page, sc_bytes secret, bool *is_locked);

/* Wipes a slot and makes it free. */
void sc_secret_page_remove(sc_secret_page *page, const uint8_t *ptr);

#endif
