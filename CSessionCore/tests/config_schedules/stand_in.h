/* Cheap stand-ins for what costs most and matters least here: signatures, and the wrapping of an account's
 * configs. The linker puts them before the library's own (--wrap); while crypto is real, they call the
 * originals. A cheap signature still depends on the key and every signed byte, and an unwrapped config has
 * the form newer clients may store. */
#ifndef SC_TESTS_SCHEDULES_STAND_IN_H
#define SC_TESTS_SCHEDULES_STAND_IN_H

#include <stdbool.h>

void stand_in_use(bool real_crypto);

#endif
