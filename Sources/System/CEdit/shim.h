/* Calls of libedit with a variable number of arguments, which Swift cannot make: one for each that is needed.
 */
#pragma once

#include <histedit.h>
#include <locale.h>
#include <stdlib.h>
#include <wctype.h>

/* The system declares it for few programs only. */
int wcwidth(wchar_t character);

/* How many columns libedit gives a character: control characters are shown as ^X, others that cannot be shown
 * by their number. */
static inline int editing_width(wchar_t character) {
  if (character < 0x20 || character == 0x7F)
    return 2;
  if (!iswprint((wint_t)character))
    return character > 0xFFFF ? 8 : 7;
  int width = wcwidth(character);
  return width > 1 ? width : 1;
}

/* Has characters be those of the person's locale; where that knows ASCII alone, those of UTF-8. */
static inline void editing_use_locale(void) {
  setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1)
    setlocale(LC_CTYPE, "C.UTF-8");
}

static inline int editing_set_user(EditLine *editor, void *user) {
  return el_wset(editor, EL_CLIENTDATA, user);
}

static inline void *editing_user(EditLine *editor) {
  void *user = NULL;
  return el_wget(editor, EL_CLIENTDATA, &user) == 0 ? user : NULL;
}

/* A reader of characters returns 1 for one, 0 for the end and -1 for a failure. */
static inline int editing_set_reader(EditLine *editor, el_rfunc_t read) {
  return el_wset(editor, EL_GETCFN, read);
}

static inline int editing_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
  return el_set(editor, EL_PROMPT, prompt);
}

static inline int editing_use_emacs_keys(EditLine *editor) {
  return el_wset(editor, EL_EDITOR, L"emacs");
}

/* Keys that would stop the program in the middle of a line do nothing. */
static inline int editing_forget_stopping(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-d", L"susp=", L"quit=", (wchar_t *)NULL);
}

/* Between two lines the terminal is not the editor's. Keys that arrive then wait for it all the same:
 * otherwise the system would take the one that ends the input for itself. */
static inline int editing_keep_keys(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-x", L"-icanon", L"-echo", (wchar_t *)NULL);
}

static inline int editing_use_history(EditLine *editor, HistoryW *history, int lines) {
  HistEventW event;
  if (history_w(history, &event, H_SETSIZE, lines) < 0)
    return -1;
  return el_wset(editor, EL_HIST, history_w, history);
}

static inline void editing_remember(HistoryW *history, const wchar_t *line) {
  HistEventW event;
  (void)history_w(history, &event, H_ENTER, line);
}

static inline void editing_insert(EditLine *editor, const wchar_t *text) {
  (void)el_winsertstr(editor, text);
}

static inline void editing_refresh(EditLine *editor) {
  (void)el_wset(editor, EL_REFRESH);
}
