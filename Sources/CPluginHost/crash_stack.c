#define _GNU_SOURCE
#include "crash_parts.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
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
