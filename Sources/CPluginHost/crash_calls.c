#include "CPluginHost.h"
#include "crash_parts.h"

#include <stdatomic.h>
#include <stddef.h>

/* The calls of plugins that have not returned, where a signal handler can read them. */

enum { most_calls = 256, longest_name = 32, taken = -1 };

struct call {
    /* `crash_unknown` if the place is free, `taken` while it is filled in. */
    atomic_int plugin;
    unsigned number;
    void *task;
    char name[longest_name];
};

static struct call calls[most_calls];
static atomic_uint next_number;

/* Of the Swift runtime: the task that this thread runs, or NULL. */
extern void *swift_task_getCurrent(void) __attribute__((weak));

static void *current_task(void) { return swift_task_getCurrent ? swift_task_getCurrent() : NULL; }

static int is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == ' ';
}

int crash_call_begin(const char *id, const char *name) {
    int plugin = crash_plugin_number(id);
    if (plugin == crash_unknown) return -1;
    crash_prepare_stack();
    crash_watch_again();
    for (int i = 0; i < most_calls; i++) {
        int empty = crash_unknown;
        struct call *call = &calls[i];
        if (!atomic_compare_exchange_strong(&call->plugin, &empty, taken)) continue;
        call->number = atomic_fetch_add(&next_number, 1);
        call->task = current_task();
        /* It is printed, and written as JSON, without looking at it again. */
        size_t length = 0;
        while (length < longest_name - 1 && is_plain(name[length])) {
            call->name[length] = name[length];
            length++;
        }
        call->name[length] = 0;
        atomic_store(&call->plugin, plugin);
        return i;
    }
    return -1;
}

void crash_call_end(int call) {
    if (call < 0) return;
    atomic_store(&calls[call].plugin, crash_unknown);
    crash_watch_again();
}

int crash_call_of_task(const char **name) {
    *name = NULL;
    void *task = current_task();
    if (!task) return crash_unknown;
    for (int i = 0; i < most_calls; i++) {
        int plugin = atomic_load(&calls[i].plugin);
        if (plugin <= crash_unknown || calls[i].task != task) continue;
        *name = calls[i].name;
        return plugin;
    }
    return crash_unknown;
}

const char *crash_call_of_plugin(int plugin) {
    const struct call *latest = NULL;
    for (int i = 0; i < most_calls; i++) {
        if (atomic_load(&calls[i].plugin) != plugin) continue;
        if (!latest || (int)(calls[i].number - latest->number) > 0) latest = &calls[i];
    }
    return latest ? latest->name : NULL;
}
