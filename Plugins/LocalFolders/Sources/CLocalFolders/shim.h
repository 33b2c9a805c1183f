#ifndef CLOCALFOLDERS_SHIM_H
#define CLOCALFOLDERS_SHIM_H

#include <sys/inotify.h>

/* Declared by unistd.h only for programs that ask for GNU's extensions. */
extern int syncfs(int descriptor);
extern int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);

#endif
