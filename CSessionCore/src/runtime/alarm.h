/* A timerfd that makes a descriptor readable at a time of sc_clock_now().
 *
 * Deadlines change in nearly every turn, mostly to later ones, and each change is a system call. So an alarm
 * is only moved to an earlier time; one that rings too early is then set again. */
#ifndef SC_RUNTIME_ALARM_H
#define SC_RUNTIME_ALARM_H

#include <stdint.h>

#include "session-core/base/status.h"

typedef struct sc_alarm {
  int fd;
  uint64_t set_for; /* SC_NEVER if not set */
} sc_alarm;

SC_NODISCARD sc_status sc_alarm_init(sc_alarm *out);
void sc_alarm_finish(sc_alarm *alarm);

/* Sets the alarm to `when` or earlier; a time in the past rings at once. */
void sc_alarm_set(sc_alarm *alarm, uint64_t when);

/* Clears the readable descriptor after the alarm rang. */
void sc_alarm_rang(sc_alarm *alarm);

#endif
