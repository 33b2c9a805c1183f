#include "CResolver.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

int csockets_name_server(int index, char *text, int size) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    int result = -1;
    if (index >= 0 && index < state.nscount) {
        const struct sockaddr_in *four = &state.nsaddr_list[index];
        const struct sockaddr_in6 *six = state._u._ext.nsaddrs[index];
        if (four->sin_family == AF_INET)
            result = inet_ntop(AF_INET, &four->sin_addr, text, (socklen_t)size) ? 0 : -1;
        else if (six)
            result = inet_ntop(AF_INET6, &six->sin6_addr, text, (socklen_t)size) ? 0 : -1;
    }
    res_nclose(&state);
    return result;
}

/* Puts the system's server with this index first: an IPv4 address is in the one list, an IPv6 address in the other. */
static void choose(struct __res_state *state, int index) {
    struct sockaddr_in four = state->nsaddr_list[0];
    struct sockaddr_in6 *six = state->_u._ext.nsaddrs[0];
    state->nsaddr_list[0] = state->nsaddr_list[index];
    state->_u._ext.nsaddrs[0] = state->_u._ext.nsaddrs[index];
    state->nsaddr_list[index] = four;
    state->_u._ext.nsaddrs[index] = six;
}

int csockets_ask(
    const char *server, int port, int index, const char *name, int type, int seconds, uint8_t *answer, int size) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    state.retrans = seconds;
    state.retry = 2;
    /* Not over TCP: there the resolver waits for ever. What fits into a datagram is enough. */
    state.options = (state.options | RES_IGNTC | RES_USE_EDNS0) & ~(unsigned long)RES_USEVC;
    if (server) {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons((uint16_t)port);
        if (inet_pton(AF_INET, server, &address.sin_addr) != 1) {
            res_nclose(&state);
            return -1;
        }
        state.nsaddr_list[0] = address;
    } else if (index >= 0 && index < state.nscount) {
        choose(&state, index);
    } else {
        res_nclose(&state);
        return -1;
    }
    state.nscount = 1;
    int length = res_nquery(&state, name, ns_c_in, type, answer, size);
    int problem = state.res_h_errno;
    res_nclose(&state);
    if (length < 0) return problem == HOST_NOT_FOUND || problem == NO_DATA ? 0 : -1;
    return length > size ? -1 : length;
}

static int number(const uint8_t *bytes) { return bytes[0] << 8 | bytes[1]; }

static int read_name(const uint8_t *start, const uint8_t *end, const uint8_t *name, struct csockets_record *record) {
    int used = dn_expand(start, end, name, record->text, sizeof record->text);
    record->length = used < 0 ? 0 : (int)strlen(record->text);
    return used >= 0;
}

/* A text is made of strings of up to 255 bytes, each after its length. */
static int read_text(const uint8_t *data, int count, struct csockets_record *record) {
    for (int place = 0; place < count;) {
        int part = data[place++];
        if (part > count - place || record->length + part > (int)sizeof record->text) return 0;
        memcpy(record->text + record->length, data + place, (size_t)part);
        record->length += part;
        place += part;
    }
    return 1;
}

/* Where the type of the answer with this index begins, after its name; null if the bytes end before. */
static const uint8_t *find(const uint8_t *start, const uint8_t *end, int index) {
    if (end - start < 12) return NULL;
    int questions = number(start + 4), answers = number(start + 6);
    const uint8_t *place = start + 12;
    for (int each = 0; each < questions; each++) {
        int used = dn_skipname(place, end);
        if (used < 0 || end - place < used + 4) return NULL;
        place += used + 4;
    }
    if (index < 0 || index >= answers) return NULL;
    for (int each = 0;; each++) {
        int used = dn_skipname(place, end);
        if (used < 0 || end - place < used + 10) return NULL;
        place += used;
        int size = number(place + 8);
        if (end - place < 10 + size) return NULL;
        if (each == index) return place;
        place += 10 + size;
    }
}

int csockets_record(const uint8_t *answer, int length, int index, struct csockets_record *record) {
    memset(record, 0, sizeof *record);
    const uint8_t *end = answer + length, *head = find(answer, end, index);
    if (!head) return -1;
    const uint8_t *data = head + 10;
    int count = number(head + 8);
    record->type = number(head);
    switch (record->type) {
    case ns_t_mx:
        if (count < 3) return 0;
        record->priority = number(data);
        return read_name(answer, end, data + 2, record);
    case ns_t_srv:
        if (count < 7) return 0;
        record->priority = number(data);
        record->weight = number(data + 2);
        record->port = number(data + 4);
        return read_name(answer, end, data + 6, record);
    case ns_t_txt: return read_text(data, count, record);
    default: return 0;
    }
}
