/* Calls of the C library that it declares for _GNU_SOURCE only, which Swift's own import of it does not set.
 */
#pragma once

int mkostemp(char *name_template, int flags);
int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags);

/* For renameat2: fail where there is a file already. */
static const unsigned LINUX_RENAME_NOREPLACE = 1;
