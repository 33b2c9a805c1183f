#ifndef CRASH_PARTS_H
#define CRASH_PARTS_H

/* What the parts of the crash watch share. All of it is safe in a signal handler unless it says otherwise. */

#include <stdint.h>

enum {
    crash_unknown = 0,
    crash_program = -1,
    /* Plugins have numbers from 1 on. */
    crash_most_plugins = 64,
};

/* Notes that the library that holds `address` belongs to `owner`. Not for signal handlers. */
void crash_add_library(const void *address, int owner);

/* Whose code holds this address. */
int crash_owner_of(uintptr_t address);

/* Whose code this thread is in. To be called by a signal handler or an exit handler of the program. */
int crash_owner_of_thread(void);

/* Has signals that stop or crash the program handled, and those of crashes let through on this thread, should a plugin
 * have turned that off. Not for signal handlers. */
void crash_watch_again(void);

/* Has the signals of crashes let through on this thread. */
void crash_unblock_signals(void);

/* Notes that the functions on this stack only run the jobs of a thread. Not for signal handlers. */
void crash_skip_callers(void);

/* Gives this thread a stack for signal handlers, if it has none. Not for signal handlers. */
void crash_prepare_stack(void);

/* The owner and the name of the call that the current task is in; `crash_unknown` and NULL if it is in none. */
int crash_call_of_task(const char **name);

/* The latest call of a plugin that has not returned, or NULL. */
const char *crash_call_of_plugin(int plugin);

/* The number of the plugin with this id, or `crash_unknown`. Not for signal handlers. */
int crash_plugin_number(const char *id);

#endif
