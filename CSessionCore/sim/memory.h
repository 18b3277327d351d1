/* Memory of the simulator itself: there is enough, or the program ends. What clients allocate is counted
 * apart, through their own environments. */
#ifndef SC_SIM_MEMORY_H
#define SC_SIM_MEMORY_H

#include <stddef.h>

/* Zeroed. */
void *memory_new(size_t count, size_t each);

/* Makes room for one more item behind `count`; what `list` points at may move. */
void *memory_grow(void *list, size_t count, size_t *capacity, size_t each);

#endif
