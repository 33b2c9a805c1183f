#ifndef CPLUGINHOST_H
#define CPLUGINHOST_H

/* From now on a crash of this process first writes `message` to standard error. Copied. */
void crash_note_set(const char *message);

/* Gives crashes back to whoever had them before. */
void crash_note_clear(void);

/* Opens a library with all its symbols bound at once. NULL, and the reason by dlerror(), if it fails. */
void *open_bound(const char *path);

/* Calls `visit` with the path of every shared library in this process. */
void each_library(void (*visit)(const char *path, void *context), void *context);

/* Shows this thread under a name in lists of threads, up to 15 letters. */
void name_thread(const char *name);

#endif
