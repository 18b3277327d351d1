/* A record with every kind of field, for the tests that write and read it. */
#ifndef SC_TESTS_CONFIG_EVERY_FIELD_H
#define SC_TESTS_CONFIG_EVERY_FIELD_H

#include "config/record.h"
#include "device.h"

static const char picture_key[] = "12345678901234567890123456789012";

static inline sc_config_picture a_picture(void) {
  return (sc_config_picture){sc_bytes_text("http://a.b/c"), sc_bytes_text(picture_key)};
}

/* Writes every kind of field. */
static inline sc_status write_all(sc_config *config, sc_config_path path) {
  sc_config_picture picture = a_picture();
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, path);
  sc_config_write_integer(&record, "0", 0);
  sc_config_write_nonzero(&record, "+", -1);
  sc_config_write_positive(&record, "j", 5);
  sc_config_write_flag(&record, "b", true);
  sc_config_write_string(&record, "N", sc_bytes_text("nick"));
  sc_config_write_always(&record, "n", sc_bytes_text(""));
  sc_config_write_picture(&record, "p", "q", &picture);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

/* The written form. */
#define ALL                                                                                                  \
  "d1:+i-1e1:0i0e1:N4:nick1:bi1e1:ji5e1:n0:1:p12:http://a.b/c1:q32:"                                         \
  "12345678901234567890123456789012e"

#endif
