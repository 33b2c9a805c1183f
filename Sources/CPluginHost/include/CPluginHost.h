#ifndef CPLUGINHOST_H
#define CPLUGINHOST_H

/* Opens a library with all its symbols bound at once. NULL, and the reason by dlerror(), if it fails. */
void *open_bound(const char *path);

/* Calls `visit` with the path of every shared library in this process. */
void each_library(void (*visit)(const char *path, void *context), void *context);

/* Shows this thread under a name in lists of threads, up to 15 letters. */
void name_thread(const char *name);

/* From now on a crash of this process writes `message` to standard error, unless it is one of a plugin that is
 * watched. Copied. */
void crash_note_set(const char *message);

/* Takes the message back. */
void crash_note_clear(void);

/* From now on the plugin that crashes the process, or ends it by exit(), is named on standard error and written into
 * this open file. An end that is no plugin's removes the file. Once in a process; false if it cannot be done. */
int crash_watch_begin(int descriptor, const char *path);

/* Watches the plugin whose library holds `address`. All text is copied: the beginning of its entry in the file, up to
 * the time, and the parts of the sentence that names it, whose end depends on whether the entry was written. */
void crash_watch_plugin(
    const char *id, const void *address, const char *entry, const char *sentence, const char *remembered,
    const char *not_remembered);

/* To be called on a thread before it runs jobs of plugins: a crash there can be told even if the stack is used up, and
 * the functions that run the jobs are not taken for where it happened. */
void crash_watch_thread(void);

/* Notes a call of a plugin until it has returned, in the task that makes it. */
int crash_call_begin(const char *id, const char *name);
void crash_call_end(int call);

#endif
