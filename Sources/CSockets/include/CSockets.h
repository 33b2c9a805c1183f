#ifndef CSOCKETS_H
#define CSOCKETS_H

#include <stdint.h>

#include "CResolver.h"

/* How many bytes the TCP connection has carried, TLS and all, as the system counted them. 0 if it did. */
int csockets_count(int socket, uint64_t *received, uint64_t *sent);

/* A descriptor that becomes readable when it is rung, and is not until then. */
int csockets_bell(void);
void csockets_ring(int bell);
void csockets_silence(int bell);

/* Shows this thread under a name in lists of threads, up to 15 letters. */
void csockets_name_thread(const char *name);

#endif
