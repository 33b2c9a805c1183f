#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* What Swift cannot call, because it takes a variable number of arguments. */

struct cmicrohttpd_settings {
    MHD_AccessHandlerCallback handle;
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
    void (*log)(void *context, const char *line);
    void *context;
    int listen_socket;
    unsigned int connection_limit;
    unsigned int idle_seconds;
    size_t memory_per_connection;
    /* Both are PEM and null without TLS. */
    const char *key;
    const char *certificate;
};

#include <stdio.h>

static void cmicrohttpd_log(void *context, const char *format, va_list arguments) {
    const struct cmicrohttpd_settings *settings = context;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    settings->log(settings->context, line);
}

/* The settings have to live as long as the daemon: its log uses them. */
static inline struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_settings *s) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE
        | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)s->certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (s->key) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, s->handle, s->context,
        MHD_OPTION_EXTERNAL_LOGGER, cmicrohttpd_log, (void *)s,
        MHD_OPTION_LISTEN_SOCKET, s->listen_socket,
        MHD_OPTION_URI_LOG_CALLBACK, s->begin, s->context,
        MHD_OPTION_NOTIFY_COMPLETED, s->complete, s->context,
        MHD_OPTION_NOTIFY_CONNECTION, s->notify, s->context,
        MHD_OPTION_CONNECTION_LIMIT, s->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, s->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->memory_per_connection,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, s->key ? tls : none,
        MHD_OPTION_END);
}

static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *cmicrohttpd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* For a request whose context gets the connection. */
static inline struct MHD_Response *cmicrohttpd_upgrade(MHD_UpgradeHandler handler) {
    return MHD_create_response_for_upgrade(handler, NULL);
}

static inline void cmicrohttpd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
