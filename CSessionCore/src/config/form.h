/* The letters that say in which form a config message comes. All others are reserved. */
#ifndef SC_CONFIG_FORM_H
#define SC_CONFIG_FORM_H

enum {
  SC_FORM_MESSAGE = 'd', /* as it is: a bt dict */
  SC_FORM_COMPRESSED = 'z',
  SC_FORM_PART = 'm',
};

#endif
