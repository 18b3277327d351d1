/* Hashes in byte order, without moving them. */
#ifndef SC_SRC_NETWORK_STORAGE_SORTED_H
#define SC_SRC_NETWORK_STORAGE_SORTED_H

#include "session-core/base/bytes.h"

/* One thing to sort: equal ones stay in the order of their indexes. */
typedef struct sc_sorted {
  sc_bytes key;
  size_t index;
} sc_sorted;

/* Sorts in n log n steps at most, whatever the input; `spare` has room for as many. */
void sc_sort(sc_sorted *list, sc_sorted *spare, size_t count);

#endif
