#include "session-core/base/status.h"

const char *sc_status_name(sc_status status) {
  switch (status) {
  case SC_OK:
    return "SC_OK";
#define STATUS_NAME(name, number, text)                                                                      \
  case SC_ERR_##name:                                                                                        \
    return "SC_ERR_" #name;
    SC_STATUS_MAP(STATUS_NAME)
#undef STATUS_NAME
  }
  return "SC_ERR_?";
}

const char *sc_status_text(sc_status status) {
  switch (status) {
  case SC_OK:
    return "success";
#define STATUS_TEXT(name, number, text)                                                                      \
  case SC_ERR_##name:                                                                                        \
    return text;
    SC_STATUS_MAP(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "unknown status";
}
