#include "CPluginHost.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* In C, because a signal handler may only do what is safe at any instant: no Swift runtime, no
 * allocation, a buffer that was filled beforehand. */

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP};
enum { count = sizeof signals / sizeof signals[0] };

static struct sigaction before[count];
static char note[1024];
static size_t note_length;
static int is_set;

static void write_note(int signal_number) {
    ssize_t ignored = write(STDERR_FILENO, note, note_length);
    (void)ignored;
    /* SA_RESETHAND has put the default back: this ends the process as the crash would have. */
    raise(signal_number);
}

void crash_note_set(const char *message) {
    size_t length = strlen(message);
    if (length >= sizeof note) length = sizeof note - 1;
    note_length = 0;
    memcpy(note, message, length);
    note_length = length;
    if (is_set) return;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = write_note;
    action.sa_flags = SA_RESETHAND | SA_NODEFER;
    for (int i = 0; i < count; i++) sigaction(signals[i], &action, &before[i]);
    is_set = 1;
}

void crash_note_clear(void) {
    if (!is_set) return;
    for (int i = 0; i < count; i++) sigaction(signals[i], &before[i], NULL);
    is_set = 0;
}

