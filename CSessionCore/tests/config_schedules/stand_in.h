/* Light stand-ins for what costs most and matters least here: signatures, and the wrapping of an account's
 * configs. The linker puts them before the library's own (--wrap); they step aside while crypto is real. A
 * light signature still depends on the key and on every byte that is signed, and a config that is not wrapped
 * is stored as newer clients may store it. */
#ifndef SC_TESTS_SCHEDULES_STAND_IN_H
#define SC_TESTS_SCHEDULES_STAND_IN_H

#include <stdbool.h>

void stand_in_use(bool real_crypto);

#endif
