/* A schedule: the actions of a few devices on one config, in order. It is made from a seed, or read from its
 * printed text.
 *
 * A step holds everything needed to repeat it: the device, and a number that every choice in it is drawn
 * from. So a schedule stays valid when steps are removed, and each remaining step keeps its meaning. */
#ifndef SC_TESTS_SCHEDULES_SCHEDULE_H
#define SC_TESTS_SCHEDULES_SCHEDULE_H

#include "support/draws.h"

enum { most_devices = 6, most_steps = 96, schedule_chars = 64 + most_steps * 24 };

typedef enum verb {
  do_edit,    /* one to three setters at random */
  do_own,     /* sets the device's own value */
  do_push,    /* if there is something to push; its fate is drawn, see fate */
  do_arrive,  /* a delayed push reaches the swarm, and its reply the device */
  do_poll,    /* retrieves some stored messages, in any order, perhaps twice, perhaps old ones */
  do_dump,    /* saves a dump if needed */
  do_restart, /* saves a dump, and restarts from it */
  do_crash,   /* restarts from the last dump */
  do_tidy,    /* deletes what is obsolete, without a push */
  do_restore, /* stores lost messages again */
  do_lose,    /* the swarm loses a message */
  do_litter,  /* a message that is no config is stored */
  do_wait,    /* time passes */
  do_grow,    /* the config becomes too large for one message */
  do_rotate,  /* of a group: an admin makes another key */
  do_learn,   /* of a group: the device gets the current keys */
  do_promote, /* of a group: the device becomes an admin */
  do_gather,  /* every device pushes, and nothing is lost */
  do_settle,  /* all devices poll and push until nothing is left to do, and are compared */
  /* Of a group's administration; with push, restart, lose, wait and promote. */
  do_invite,
  do_remove,
  do_rekey,
  do_sync, /* loads keys, and then the members */
  do_write,
  verb_count,
} verb;

typedef struct step {
  verb verb;
  unsigned device;
  uint32_t choices;
} step;

typedef struct schedule {
  unsigned devices;
  unsigned admins;  /* of a group: the first devices */
  bool real_crypto; /* see stand_in.h */
  uint32_t end;     /* how the devices settle at the end */
  step steps[most_steps];
  size_t count;
} schedule;

/* The fate of a push. */
typedef enum fate {
  fate_arrives,
  fate_unconfirmed,   /* stored and tidied up, but the reply is lost */
  fate_stored_only,   /* the connection breaks after storing */
  fate_undeleted,     /* stored and confirmed, but nothing is deleted */
  fate_partly_stored, /* some of the parts are stored; of a single message nothing */
  fate_lost,          /* delayed */
  fate_under_way,     /* until the device's do_arrive */
} fate;

fate fate_of(const step *push);

typedef struct schedule_options {
  bool of_group;
  bool administration; /* people and their actions in a group, rather than devices and a config */
  bool may_grow;
} schedule_options;

void schedule_make(schedule *out, uint64_t seed, const schedule_options *options);

/* As one line of words. */
void schedule_print(char out[schedule_chars], const schedule *plan);

/* False for text schedule_print does not write. */
bool schedule_parse(schedule *out, const char *text);

const char *verb_name(verb verb);

#endif
