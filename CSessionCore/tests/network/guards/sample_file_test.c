#include "network/guards/sample_file.h"

#include <stdio.h>

#include "support/test.h"

enum { today = 20000 };

#define KEY_1 "0100000000000000000000000000000000000000000000000000000000000000"
#define KEY_2 "0200000000000000000000000000000000000000000000000000000000000000"
#define KEY_3 "0300000000000000000000000000000000000000000000000000000000000000"
#define FIRST "session-guards|1\n"

static void the_known_file_is_read_and_written(sc_test *t) {
  static const char known[] = FIRST "guard|" KEY_1 "|19990|20080|19991|1|0|0\n"
                                    "guard|" KEY_2 "|19990|20110|0|0|19998|20007\n"
                                    "middle|" KEY_3 "|20011\n"
                                    "walked|1800\n"
                                    "growth|19980\n"
                                    "growth|19990\n"
                                    "setback|20000\n";
  sc_sample sample;
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(sc_sample_read(&sample, today, sc_bytes_text(known)));
  CHECK(sample.count == 2 && sample.guards[0].key[0] == 1 && sample.guards[1].key[0] == 2);
  CHECK(sample.guards[0].sampled == 19990 && sample.guards[0].ends == 20080);
  CHECK(sample.guards[0].confirmed == 19991 && sample.guards[0].number == 1);
  CHECK(sample.guards[1].unlisted == 19998 && sample.guards[1].back_until == 20007);
  CHECK(sample.middle_count == 1 && sample.middles[0].key[0] == 3 && sample.middles[0].ends == 20011);
  CHECK(sample.walked == 1800 && sample.growths[0] == 19990 && sample.growths[1] == 19980);
  CHECK(sample.growths[2] == 0 && sample.setback == 20000);
  OK(sc_sample_write(&file, &sample));
  SAME(sc_bytes_text(known), sc_buffer_bytes(&file));
done:
  sc_buffer_free(&file);
}

static void bad_lines_are_skipped(sc_test *t) {
  static const char *const bad[] = {
      "guard|" KEY_2 "|19990|20080|0|0|0",       /* too few fields */
      "guard|" KEY_2 "|19990|20080|0|0|0|0|0",   /* too many */
      "guard|02|19990|20080|0|0|0|0",            /* a short key */
      "guard|" KEY_1 "|19990|20080|0|0|0|0",     /* again */
      "guard|" KEY_2 "|19990|20080|19991|1|0|0", /* a number that is taken */
      "guard|" KEY_2 "|19990|20080|19991|0|0|0", /* confirmed without a number */
      "guard|" KEY_2 "|19990|20080|0|2|0|0",     /* a number without confirmation */
      "guard|" KEY_2 "|-1|20080|0|0|0|0",
      "walked|many",
      "growth|1|2",
      "middle|" KEY_2,
      "middle|" KEY_1 "|20005", /* a guard */
      "middle|" KEY_2 "|20005|1",
  };
  char file[1024];
  sc_sample sample;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(file, sizeof file, "%sguard|%s|19990|20080|19991|1|0|0\n%s\nguard|%s|19990|20080|0|0|0|0\n",
             FIRST, KEY_1, bad[i], KEY_3);
    OK(sc_sample_read(&sample, today, sc_bytes_text(file)));
    CHECK(sample.count == 2 && sample.guards[1].key[0] == 3 && sample.walked == 0 && sample.growths[0] == 0);
    CHECK(sample.middle_count == 0);
  }
done:;
}

static void days_to_come_are_today(sc_test *t) {
  static const char file[] =
      FIRST "guard|" KEY_1 "|30000|40000|30000|1|30000|30000\ngrowth|30000\nsetback|30000\n";
  sc_sample sample;
  OK(sc_sample_read(&sample, today, sc_bytes_text(file)));
  const sc_guard *guard = &sample.guards[0];
  CHECK(guard->sampled == today && guard->confirmed == today && guard->unlisted == today);
  CHECK(guard->ends == today + 120 && guard->back_until == today + 120);
  CHECK(sample.growths[0] == today && sample.setback == today);
done:;
}

static void no_more_than_nine_guards_are_read(sc_test *t) {
  char file[2048] = FIRST;
  size_t len = strlen(file);
  sc_sample sample;
  for (unsigned i = 1; i <= 12; i++)
    len +=
        (size_t)snprintf(file + len, sizeof file - len, "guard|%02x%s|19990|20080|0|0|0|0\n", i, &KEY_1[2]);
  OK(sc_sample_read(&sample, today, sc_bytes_text(file)));
  CHECK(sample.count == 9 && sample.guards[8].key[0] == 9);
done:;
}

static void a_useless_file_is_refused(sc_test *t) {
  static const char *const files[] = {"", FIRST, "session-guards|2\nguard|" KEY_1 "|19990|20080|0|0|0|0\n",
                                      "guard|" KEY_1 "|19990|20080|0|0|0|0\n", FIRST "walked|7\n"};
  static char large[SC_SAMPLE_FILE_MOST + 1];
  sc_sample sample;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    FAILS(SC_ERR_NODE_FILE, sc_sample_read(&sample, today, sc_bytes_text(files[i])));
    CHECK(sample.count == 0 && sample.walked == 0);
  }
  FAILS(SC_ERR_TOO_LARGE, sc_sample_read(&sample, today, sc_bytes_make(large, sizeof large)));
done:;
}

SUITE(network_guards_sample_file, "network/guards/sample_file",
      {"the known file is read and written", the_known_file_is_read_and_written},
      {"bad lines are skipped", bad_lines_are_skipped}, {"days to come are today", days_to_come_are_today},
      {"no more than nine guards are read", no_more_than_nine_guards_are_read},
      {"a useless file is refused", a_useless_file_is_refused});
