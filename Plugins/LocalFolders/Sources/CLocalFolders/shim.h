#ifndef CLOCALFOLDERS_SHIM_H
#define CLOCALFOLDERS_SHIM_H

#include <openssl/evp.h>
#include <sqlite3.h>
#include <sys/inotify.h>

/* SQLite copies what it is given: its own macro is a cast that Swift cannot import. */
static inline sqlite3_destructor_type clocalfolders_transient(void) { return SQLITE_TRANSIENT; }

/* Declared by unistd.h only for programs that ask for GNU's extensions. */
extern int syncfs(int descriptor);
extern int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);

#endif
