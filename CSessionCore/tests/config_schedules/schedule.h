/* A schedule: what a few devices do with one config, one step after the other. It is made from a seed, or
 * read from the text that it is printed as.
 *
 * A step has in it all it needs to go the same way again: the device, and a number that every choice in it is
 * drawn from. So what is left when steps are taken out is a schedule too, and each other step still means the
 * same. */
#ifndef SC_TESTS_SCHEDULES_SCHEDULE_H
#define SC_TESTS_SCHEDULES_SCHEDULE_H

#include "support/draws.h"

enum { most_devices = 6, most_steps = 96, schedule_chars = 64 + most_steps * 24 };

typedef enum verb {
  do_edit,    /* one to three setters at random */
  do_own,     /* sets the device's own value */
  do_push,    /* when there is something to push; what becomes of it is drawn, see fate */
  do_arrive,  /* a push that was under way reaches the swarm, and its answer the device */
  do_poll,    /* retrieves some of what is stored, in any order, perhaps twice, perhaps from long ago */
  do_dump,    /* saves what there is to save */
  do_restart, /* saves it, and begins again from it */
  do_crash,   /* begins again from what was saved last */
  do_tidy,    /* deletes what is obsolete, without a push */
  do_restore, /* stores again what the swarm has lost */
  do_lose,    /* the swarm loses a message */
  do_litter,  /* somebody stores what is no config */
  do_wait,    /* time passes */
  do_grow,    /* the config becomes too large for one message */
  do_rotate,  /* of a group: an admin makes another key */
  do_learn,   /* of a group: the device is told the keys there are */
  do_promote, /* of a group: the device becomes an admin */
  do_gather,  /* every device pushes, and nothing is lost */
  do_settle,  /* everybody polls and pushes until nobody has anything to do, and they are compared */
  /* Of the administration of a group; with push, restart, lose, wait and promote. */
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
  uint32_t end;     /* how they settle at the end */
  step steps[most_steps];
  size_t count;
} schedule;

/* What becomes of a push. */
typedef enum fate {
  fate_arrives,
  fate_unconfirmed,   /* stored and tidied up, but the answer is lost */
  fate_stored_only,   /* the connection breaks after storing */
  fate_undeleted,     /* stored and confirmed, but nothing is deleted */
  fate_partly_stored, /* some of the parts; of a single message nothing */
  fate_lost,          /* on its way there */
  fate_under_way,     /* until the device's do_arrive */
} fate;

fate fate_of(const step *push);

typedef struct schedule_options {
  bool of_group;
  bool administration; /* people and what they do with a group, rather than devices and a config */
  bool may_grow;
} schedule_options;

void schedule_make(schedule *out, uint64_t seed, const schedule_options *options);

/* As one line of words. */
void schedule_print(char out[schedule_chars], const schedule *plan);

/* False for what schedule_print does not write. */
bool schedule_parse(schedule *out, const char *text);

const char *verb_name(verb verb);

#endif
