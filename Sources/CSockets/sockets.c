#define _GNU_SOURCE
#include "CSockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

int csockets_count(int socket, uint64_t *received, uint64_t *sent) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    *received = info.tcpi_bytes_received;
    *sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    return 0;
}

int csockets_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void csockets_ring(int bell) { eventfd_write(bell, 1); }

void csockets_silence(int bell) {
    eventfd_t rings;
    eventfd_read(bell, &rings);
}

void csockets_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
