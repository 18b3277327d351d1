/* Merging the sample of this process with the one in the file, which other processes write too. */
#ifndef SC_SRC_NETWORK_GUARDS_SAMPLE_MERGE_H
#define SC_SRC_NETWORK_GUARDS_SAMPLE_MERGE_H

#include "sample.h"

/* Makes `own` the sample that both processes use from now on. `base` is the state of `own` when it last
 * equalled the file; if that is empty, the sample of the file is adopted. Guards that either side removed or
 * added since then are removed or added. */
void sc_sample_merge(sc_sample *own, const sc_sample *base, const sc_sample *file);

#endif
