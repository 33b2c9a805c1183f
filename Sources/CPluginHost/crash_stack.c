#define _GNU_SOURCE
#include "crash_parts.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A thread that has used up its stack has no room for a signal handler: it needs another one for that. */

enum { size = 64 * 1024 };

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_back(void *memory) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(memory, size);
}

static void make_key(void) { pthread_key_create(&key, take_back); }

void crash_prepare_stack(void) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;
    pthread_once(&once, make_key);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    stack = (stack_t){.ss_sp = memory, .ss_size = size};
    if (sigaltstack(&stack, NULL) == 0 && pthread_setspecific(key, memory) == 0) return;
    take_back(memory);
}

/* Threads that libraries and plugins start run code of plugins too. Their calls come here, because the symbols of a
 * program are found before those of its libraries. */

typedef int thread_maker(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct beginning {
    void *(*run)(void *);
    void *argument;
};

static void *begin(void *memory) {
    struct beginning beginning = *(struct beginning *)memory;
    free(memory);
    crash_prepare_stack();
    /* It has the mask of the thread that started it, which often blocks all signals. */
    crash_unblock_signals();
    return beginning.run(beginning.argument);
}

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    thread_maker *make = (thread_maker *)dlsym(RTLD_NEXT, "pthread_create");
    struct beginning *beginning = malloc(sizeof *beginning);
    if (!make || !beginning) {
        free(beginning);
        return EAGAIN;
    }
    *beginning = (struct beginning){run, argument};
    int error = make(thread, attributes, begin, beginning);
    if (error) free(beginning);
    return error;
}
