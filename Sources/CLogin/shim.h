#include <gio/gio.h>
#include <stdint.h>

/* What logind says on the system bus of screens that lock and of sleep: GVariants and main loops stay in here. */

#define CLOGIN_NAME "org.freedesktop.login1"
#define CLOGIN_MANAGER CLOGIN_NAME ".Manager"
#define CLOGIN_SESSION CLOGIN_NAME ".Session"
#define CLOGIN_PROPERTIES "org.freedesktop.DBus.Properties"
#define CLOGIN_PATIENCE 2000

typedef void *clogin_connection;

/* Called on a thread of the library's own, which must not be held up. `session` is the path of the session that
   locks, or empty where the whole computer goes to sleep. */
typedef void (*clogin_listener)(void *owner, const char *session);

typedef struct {
    clogin_listener heard;
    void (*release)(void *owner);
    void *owner;
} clogin_ear;

static inline void clogin_ear_free(gpointer data) {
    clogin_ear *ear = data;
    ear->release(ear->owner);
    g_free(ear);
}

static inline void clogin_close(clogin_connection connection) {
    g_dbus_connection_close_sync(connection, NULL, NULL);
    g_object_unref(connection);
}

/* A session tells that it is locked by a property, or is told to lock by a signal; desktops use one or the other. */
static inline int clogin_is_lock(GDBusMessage *message, GVariant *body) {
    const gchar *interface = g_dbus_message_get_interface(message), *name = g_dbus_message_get_member(message);
    if (g_strcmp0(interface, CLOGIN_SESSION) == 0) return g_strcmp0(name, "Lock") == 0;
    if (g_strcmp0(interface, CLOGIN_PROPERTIES) != 0 || g_strcmp0(name, "PropertiesChanged") != 0) return 0;
    if (!body || !g_variant_is_of_type(body, G_VARIANT_TYPE("(sa{sv}as)"))) return 0;
    GVariant *changed = g_variant_get_child_value(body, 1);
    gboolean is_locked = FALSE;
    g_variant_lookup(changed, "LockedHint", "b", &is_locked);
    g_variant_unref(changed);
    return is_locked;
}

static inline int clogin_is_sleep(GDBusMessage *message, GVariant *body) {
    if (g_strcmp0(g_dbus_message_get_interface(message), CLOGIN_MANAGER) != 0) return 0;
    if (g_strcmp0(g_dbus_message_get_member(message), "PrepareForSleep") != 0) return 0;
    if (!body || !g_variant_is_of_type(body, G_VARIANT_TYPE("(b)"))) return 0;
    gboolean begins = FALSE;
    g_variant_get(body, "(b)", &begins);
    return begins;
}

static inline GDBusMessage *clogin_filter(
    GDBusConnection *connection, GDBusMessage *message, gboolean is_incoming, gpointer data
) {
    (void)connection;
    clogin_ear *ear = data;
    if (!is_incoming || g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_SIGNAL) return message;
    GVariant *body = g_dbus_message_get_body(message);
    const gchar *path = g_dbus_message_get_path(message);
    if (clogin_is_sleep(message, body)) ear->heard(ear->owner, "");
    else if (path && clogin_is_lock(message, body)) ear->heard(ear->owner, path);
    return message;
}

/* Listens until the connection is closed. Takes over `owner`, which `release` gives back, whether it worked or not.
   NULL if there is no system bus. */
static inline clogin_connection clogin_listen(
    const char *address, clogin_listener heard, void (*release)(void *), void *owner
) {
    static const char *const rules[] = {
        "type='signal',sender='" CLOGIN_NAME "',interface='" CLOGIN_MANAGER "',member='PrepareForSleep'",
        "type='signal',sender='" CLOGIN_NAME "',interface='" CLOGIN_SESSION "',member='Lock'",
        "type='signal',sender='" CLOGIN_NAME "',interface='" CLOGIN_PROPERTIES "',arg0='" CLOGIN_SESSION "'",
    };
    GDBusConnection *connection = g_dbus_connection_new_for_address_sync(
        address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, NULL);
    if (!connection) {
        release(owner);
        return NULL;
    }
    g_dbus_connection_set_exit_on_close(connection, FALSE);
    clogin_ear *ear = g_new0(clogin_ear, 1);
    ear->heard = heard;
    ear->release = release;
    ear->owner = owner;
    g_dbus_connection_add_filter(connection, clogin_filter, ear, clogin_ear_free);
    for (size_t index = 0; index < sizeof rules / sizeof *rules; index++) {
        GVariant *answer = g_dbus_connection_call_sync(
            connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
            g_variant_new("(s)", rules[index]), NULL, G_DBUS_CALL_FLAGS_NONE, CLOGIN_PATIENCE, NULL, NULL);
        if (!answer) {
            clogin_close(connection);
            return NULL;
        }
        g_variant_unref(answer);
    }
    return connection;
}

/* Whose session it is; -1 if logind does not say. Blocks for some seconds at most. */
static inline int64_t clogin_owner(clogin_connection connection, const char *session) {
    GVariant *answer = g_dbus_connection_call_sync(
        connection, CLOGIN_NAME, session, CLOGIN_PROPERTIES, "Get",
        g_variant_new("(ss)", CLOGIN_SESSION, "User"), G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NO_AUTO_START,
        CLOGIN_PATIENCE, NULL, NULL);
    if (!answer) return -1;
    GVariant *value = NULL;
    g_variant_get(answer, "(v)", &value);
    int64_t owner = -1;
    if (g_variant_is_of_type(value, G_VARIANT_TYPE("(uo)"))) {
        guint32 number = 0;
        g_variant_get(value, "(uo)", &number, NULL);
        owner = number;
    }
    g_variant_unref(value);
    g_variant_unref(answer);
    return owner;
}
