#ifndef CRESOLVER_H
#define CRESOLVER_H

#include <stdint.h>

/* A record of a DNS answer: SRV, MX or TXT. */
struct csockets_record {
    int type;
    int priority;
    int weight;
    int port;
    /* The target, or the text, of `length` bytes. */
    char text[1024];
    int length;
};

/* Writes the address of the system's first DNS server; -1 if it has none. */
int csockets_name_server(char *text, int size);

/* Asks for the records of a name and waits, up to `seconds` for each of up to two tries. `server` is an address to ask
   instead of the system's servers, or null. Returns the size of the answer, 0 if there is no such record, and -1 if no
   server answered. */
int csockets_ask(
    const char *server, int port, const char *name, int type, int seconds, uint8_t *answer, int size);

/* Reads the record with this index among the answers. Returns 1, 0 if it is of another type or cannot be read, and -1
   after the last. */
int csockets_record(const uint8_t *answer, int length, int index, struct csockets_record *record);

#endif
