#define _POSIX_C_SOURCE 200809L /* CLOCK_MONOTONIC */

#include "alarm.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "session-core/network/driven.h"
#include "session-core/runtime/clock.h"
#include "system.h"

sc_status sc_alarm_init(sc_alarm *out) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (fd < 0)
    return sc_system_status(errno);
  *out = (sc_alarm){.fd = fd, .set_for = SC_NEVER};
  return SC_OK;
}

void sc_alarm_finish(sc_alarm *alarm) {
  close(alarm->fd);
}

void sc_alarm_set(sc_alarm *alarm, uint64_t when) {
  if (alarm->set_for <= when)
    return;
  alarm->set_for = when;
  /* A time of zero would turn it off. */
  uint64_t moment = when > 0 ? when : 1;
  struct itimerspec spec = {0};
  spec.it_value.tv_sec = (time_t)(moment / SC_NS_PER_SECOND);
  spec.it_value.tv_nsec = (long)(moment % SC_NS_PER_SECOND);
  timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void sc_alarm_rang(sc_alarm *alarm) {
  uint64_t times;
  ssize_t got = read(alarm->fd, &times, sizeof times);
  if (got == sizeof times)
    alarm->set_for = SC_NEVER;
}
