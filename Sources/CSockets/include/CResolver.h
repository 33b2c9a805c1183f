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

/* Writes the address of the system's DNS server with this index; -1 after the last. */
int csockets_name_server(int index, char *text, int size);

/* Asks one server for the records of a name and waits, up to `seconds` for each of up to two tries. `server` is its
   address, or null for the system's server with this index. Returns the size of the answer, 0 if there is no such
   record, and -1 if it did not answer. */
int csockets_ask(
    const char *server, int port, int index, const char *name, int type, int seconds, uint8_t *answer, int size);

/* Reads the record with this index among the answers. Returns 1, 0 if it is of another type or cannot be read, and -1
   after the last. */
int csockets_record(const uint8_t *answer, int length, int index, struct csockets_record *record);

#endif
