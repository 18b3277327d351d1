/* Merging the sample of this process with the one in the file, which other processes write too. */
#ifndef SC_SRC_NETWORK_GUARDS_SAMPLE_MERGE_H
#define SC_SRC_NETWORK_GUARDS_SAMPLE_MERGE_H

#include "sample.h"

/* `own` becomes the sample that both processes use from now on. `base` is what `own` was when it was last
 * the same as the file, empty if it never was: then the sample of the file is taken as it is. A guard that
 * one side has ended since is ended, one that it has added is added. */
void sc_sample_merge(sc_sample *own, const sc_sample *base, const sc_sample *file);

#endif
