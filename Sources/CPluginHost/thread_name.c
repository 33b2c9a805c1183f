/* pthread_setname_np is an extension that Swift's Glibc module does not have. */
#define _GNU_SOURCE
#include "CPluginHost.h"

#include <pthread.h>

void name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
