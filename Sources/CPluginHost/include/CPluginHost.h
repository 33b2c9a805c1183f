#ifndef CPLUGINHOST_H
#define CPLUGINHOST_H

/* From now on a crash of this process first writes `message` to standard error. Copied. */
void crash_note_set(const char *message);

/* Gives crashes back to whoever had them before. */
void crash_note_clear(void);

/* Opens a library with all its symbols bound at once. NULL, and the reason by dlerror(), if it fails. */
void *open_bound(const char *path);

#endif
