/* The first byte of a config message, which tells its form. All others are reserved. */
#ifndef SC_CONFIG_FORM_H
#define SC_CONFIG_FORM_H

enum {
  SC_FORM_MESSAGE = 'd', /* plain: a bt dict */
  SC_FORM_COMPRESSED = 'z',
  SC_FORM_PART = 'm',
};

#endif
