#define _GNU_SOURCE
#include "CPluginHost.h"
#include "crash_parts.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

/* In C, because a signal handler may only do what is safe at any instant: no Swift runtime, no allocation, and text
 * that was made beforehand. */

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP};
enum { signal_count = sizeof signals / sizeof signals[0] };

struct plugin {
    const char *id, *entry, *sentence, *remembered, *not_remembered;
};

static struct sigaction before[signal_count];
static int is_handling;

/* What is said of a crash that is not one of a plugin in the table. */
static char note[1024];
static size_t note_length;

static struct plugin plugins[crash_most_plugins];
static atomic_int plugin_count;

static int journal = -1;
static char journal_path[PATH_MAX];
/* A process that this one made by fork is not this one. */
static pid_t process;

/* The thread that tells of the end, and how often it has begun to. */
static atomic_int teller;
static atomic_int attempts;

struct text {
    size_t length;
    char bytes[8192];
};
static struct text text;

static void add(const char *more) {
    size_t length = strlen(more);
    if (length > sizeof text.bytes - text.length) length = sizeof text.bytes - text.length;
    memcpy(text.bytes + text.length, more, length);
    text.length += length;
}

static void add_number(long long number) {
    char digits[24];
    char *first = digits + sizeof digits;
    *--first = 0;
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    add(first);
}

/* Writes the entry that the next start finds: JSON that CrashMemory.swift reads. */
static int remember(const struct plugin *plugin, const char *call) {
    /* Seconds since 2001, as Foundation counts them. */
    const long long epoch = 978307200;
    text.length = 0;
    add(plugin->entry);
    add_number(time(NULL) - epoch);
    add(",\"running\":{");
    if (call) {
        add("\"call\":\"");
        add(call);
        add("\"");
    }
    add("}}]");
    return journal >= 0 && text.length < sizeof text.bytes && ftruncate(journal, 0) == 0
        && pwrite(journal, text.bytes, text.length, 0) == (ssize_t)text.length;
}

static void name_plugin(int number, const char *call) {
    const struct plugin *plugin = &plugins[number - 1];
    int is_remembered = remember(plugin, call);
    text.length = 0;
    add(plugin->sentence);
    if (call) {
        add(" in “");
        add(call);
        add("”");
    }
    add(is_remembered ? plugin->remembered : plugin->not_remembered);
    ssize_t ignored = write(STDERR_FILENO, text.bytes, text.length);
    (void)ignored;
}

/* Names the plugin whose code it is, or else the one whose call the task is in. False if it is no plugin's. */
static int name_owner(int owner) {
    const char *call = NULL;
    int plugin = crash_call_of_task(&call);
    if (owner == crash_unknown) owner = plugin;
    if (owner <= crash_unknown) return 0;
    name_plugin(owner, owner == plugin ? call : crash_call_of_plugin(owner));
    return 1;
}

/* Where a call of an address that holds no code came from: the stack cannot be followed from there. */
static int owner_of_caller(const void *context) {
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return crash_owner_of(*(const uintptr_t *)machine->gregs[REG_RSP]);
#elif defined(__aarch64__)
    return crash_owner_of(machine->regs[30]);
#endif
}

static int is_from_outside(const siginfo_t *info) {
    return info->si_code <= 0 && info->si_pid != getpid();
}

static void tell(const siginfo_t *info, const void *context) {
    int owner = crash_unknown;
    if (getpid() == process && !is_from_outside(info)) {
        /* Looking at a broken stack can itself crash: the handler then begins again and does without. */
        if (atomic_fetch_add(&attempts, 1) == 0) {
            owner = crash_owner_of_thread();
            if (owner == crash_unknown) owner = owner_of_caller(context);
        }
        if (name_owner(owner)) return;
    }
    ssize_t ignored = write(STDERR_FILENO, note, note_length);
    (void)ignored;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int me = gettid(), none = 0;
    /* Another thread tells already, and ends the process. */
    if (!atomic_compare_exchange_strong(&teller, &none, me) && none != me)
        for (;;) pause();
    if (atomic_load(&attempts) < 2) tell(info, context);
    for (int i = 0; i < signal_count; i++) sigaction(signals[i], &before[i], NULL);
    /* Ends the process as the crash would have. */
    raise(number);
}

static void on_exit_of_program(void) {
    if (journal < 0 || getpid() != process || note_length > 0) return;
    if (!name_owner(crash_owner_of_thread())) unlink(journal_path);
}

static void handle(int signal, struct sigaction *old) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, old);
}

static void handle_signals(void) {
    if (is_handling) return;
    for (int i = 0; i < signal_count; i++) handle(signals[i], &before[i]);
    is_handling = 1;
}

void crash_unblock_signals(void) {
    sigset_t crashes;
    sigemptyset(&crashes);
    for (int i = 0; i < signal_count; i++) sigaddset(&crashes, signals[i]);
    /* A fault on a thread that blocks its signal ends the process at once. */
    pthread_sigmask(SIG_UNBLOCK, &crashes, NULL);
}

/* What stops the program by request, and who handled it last. */
static const int stops[] = {SIGTERM, SIGINT, SIGHUP};
enum { stop_count = sizeof stops / sizeof stops[0] };
static struct sigaction stopping[stop_count];
static atomic_flag is_looking = ATOMIC_FLAG_INIT;

static int is_handled(const struct sigaction *action) {
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

static void handle_stops_again(void) {
    if (atomic_flag_test_and_set(&is_looking)) return;
    for (int i = 0; i < stop_count; i++) {
        struct sigaction now;
        if (sigaction(stops[i], NULL, &now) != 0) continue;
        if (is_handled(&now)) stopping[i] = now;
        else if (is_handled(&stopping[i])) sigaction(stops[i], &stopping[i], NULL);
    }
    atomic_flag_clear(&is_looking);
}

void crash_watch_again(void) {
    if (journal < 0) return;
    handle_stops_again();
    for (int i = 0; i < signal_count; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) != 0) continue;
        /* A handler of the plugin's own may be what its runtime works with. */
        if (!is_handled(&now)) handle(signals[i], NULL);
    }
    crash_unblock_signals();
}

void crash_note_set(const char *message) {
    size_t length = strlen(message);
    if (length > sizeof note) length = sizeof note;
    note_length = 0;
    memcpy(note, message, length);
    note_length = length;
    handle_signals();
}

void crash_note_clear(void) {
    note_length = 0;
    if (!is_handling || journal >= 0) return;
    for (int i = 0; i < signal_count; i++) sigaction(signals[i], &before[i], NULL);
    is_handling = 0;
}

int crash_watch_begin(int descriptor, const char *path) {
    size_t length = strlen(path);
    if (journal >= 0 || length >= sizeof journal_path) return 0;
    memcpy(journal_path, path, length + 1);
    process = getpid();
    crash_add_library((const void *)crash_watch_begin, crash_program);
    crash_prepare_stack();
    /* The first walk may allocate; those of a handler must not. */
    crash_owner_of_thread();
    journal = descriptor;
    handle_signals();
    return atexit(on_exit_of_program) == 0;
}

void crash_watch_plugin(
    const char *id, const void *address, const char *entry, const char *sentence, const char *remembered,
    const char *not_remembered) {
    int count = atomic_load(&plugin_count);
    if (journal < 0 || count >= crash_most_plugins) return;
    struct plugin plugin = {
        strdup(id), strdup(entry), strdup(sentence), strdup(remembered), strdup(not_remembered)};
    if (!plugin.id || !plugin.entry || !plugin.sentence || !plugin.remembered || !plugin.not_remembered) return;
    plugins[count] = plugin;
    atomic_store(&plugin_count, count + 1);
    crash_add_library(address, count + 1);
}

int crash_plugin_number(const char *id) {
    for (int i = atomic_load(&plugin_count); i > 0; i--)
        if (strcmp(plugins[i - 1].id, id) == 0) return i;
    return crash_unknown;
}

void crash_watch_thread(void) {
    crash_unblock_signals();
    crash_prepare_stack();
    crash_skip_callers();
}
