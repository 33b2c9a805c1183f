#include <gio/gio.h>
#include <stdint.h>

/* org.freedesktop.Notifications on the session bus: GVariants, variadic functions and main loops stay in here.
   Calls block for some seconds at most. A `problem` is to be freed with cbus_free. */

#define CBUS_NAME "org.freedesktop.Notifications"
#define CBUS_PATH "/org/freedesktop/Notifications"
#define CBUS_PATIENCE 5000

typedef void *cbus_connection;

static inline void cbus_free(char *text) { g_free(text); }

static inline void cbus_take(GError *error, char **problem) {
    *problem = g_strdup(error ? error->message : "the session bus gave no reason");
    if (error) g_error_free(error);
}

/* A connection of its own, whose end is not the end of the program. NULL if there is no bus. */
static inline cbus_connection cbus_open(const char *address, char **problem) {
    GError *error = NULL;
    GDBusConnection *connection = g_dbus_connection_new_for_address_sync(
        address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, &error);
    if (!connection) {
        cbus_take(error, problem);
        return NULL;
    }
    g_dbus_connection_set_exit_on_close(connection, FALSE);
    return connection;
}

static inline int cbus_is_closed(cbus_connection connection) { return g_dbus_connection_is_closed(connection); }

/* Nothing is reported once this has returned. */
static inline void cbus_close(cbus_connection connection) {
    g_dbus_connection_close_sync(connection, NULL, NULL);
    g_object_unref(connection);
}

static inline GVariant *cbus_call(
    cbus_connection connection, const char *method, GVariant *arguments, const char *type, char **problem
) {
    GError *error = NULL;
    GVariant *answer = g_dbus_connection_call_sync(
        connection, CBUS_NAME, CBUS_PATH, CBUS_NAME, method, arguments, G_VARIANT_TYPE(type),
        G_DBUS_CALL_FLAGS_NONE, CBUS_PATIENCE, NULL, &error);
    if (!answer) cbus_take(error, problem);
    return answer;
}

/* What the desktop can show, with spaces in between; to be freed with cbus_free. NULL without an answer. */
static inline char *cbus_capabilities(cbus_connection connection, char **problem) {
    GVariant *answer = cbus_call(connection, "GetCapabilities", NULL, "(as)", problem);
    if (!answer) return NULL;
    gchar **words = NULL;
    g_variant_get(answer, "(^as)", &words);
    char *all = g_strjoinv(" ", words);
    g_strfreev(words);
    g_variant_unref(answer);
    return all;
}

/* `actions` are pairs of an id and a label, `count` words in all. Returns the desktop's number for it, or 0. */
static inline uint32_t cbus_post(
    cbus_connection connection, uint32_t replaced, const char *title, const char *body,
    const char *const *actions, int count, int plays_sound, char **problem
) {
    GVariantBuilder words, hints;
    g_variant_builder_init(&words, G_VARIANT_TYPE("as"));
    for (int index = 0; index < count; index++) g_variant_builder_add(&words, "s", actions[index]);
    g_variant_builder_init(&hints, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&hints, "{sv}", "category", g_variant_new_string("email.arrived"));
    g_variant_builder_add(&hints, "{sv}", "desktop-entry", g_variant_new_string("mailkernel"));
    g_variant_builder_add(&hints, "{sv}", "urgency", g_variant_new_byte(1));
    if (plays_sound)
        g_variant_builder_add(&hints, "{sv}", "sound-name", g_variant_new_string("message-new-email"));
    GVariant *answer = cbus_call(
        connection, "Notify",
        g_variant_new("(susssasa{sv}i)", "mailkernel", replaced, "mail-unread", title, body, &words, &hints, -1),
        "(u)", problem);
    if (!answer) return 0;
    guint32 number = 0;
    g_variant_get(answer, "(u)", &number);
    g_variant_unref(answer);
    return number;
}

/* Whether the desktop took it. */
static inline int cbus_withdraw(cbus_connection connection, uint32_t number, char **problem) {
    GVariant *answer = cbus_call(connection, "CloseNotification", g_variant_new("(u)", number), "()", problem);
    if (!answer) return 0;
    g_variant_unref(answer);
    return 1;
}

/* Docks that show numbers listen for this; others pass it by. */
static inline int cbus_badge(cbus_connection connection, int64_t count, char **problem) {
    GVariantBuilder values;
    g_variant_builder_init(&values, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&values, "{sv}", "count", g_variant_new_int64(count));
    g_variant_builder_add(&values, "{sv}", "count-visible", g_variant_new_boolean(count > 0));
    GError *error = NULL;
    gboolean sent = g_dbus_connection_emit_signal(
        connection, NULL, "/", "com.canonical.Unity.LauncherEntry", "Update",
        g_variant_new("(sa{sv})", "application://mailkernel.desktop", &values), &error);
    if (!sent) cbus_take(error, problem);
    return sent;
}

typedef enum {
    /* The user used a button, or the notification itself. */
    cbus_used,
    /* A notification has gone. */
    cbus_gone,
    /* Another program shows notifications from now on; `text` is its name on the bus, or empty. */
    cbus_owner,
} cbus_event;

/* Called on a thread of the library's own. */
typedef void (*cbus_listener)(void *owner, cbus_event event, uint32_t number, const char *text);

typedef struct {
    cbus_listener heard;
    void (*release)(void *owner);
    void *owner;
} cbus_ear;

static inline void cbus_ear_free(gpointer data) {
    cbus_ear *ear = data;
    ear->release(ear->owner);
    g_free(ear);
}

static inline GDBusMessage *cbus_filter(
    GDBusConnection *connection, GDBusMessage *message, gboolean is_incoming, gpointer data
) {
    (void)connection;
    cbus_ear *ear = data;
    GVariant *body = g_dbus_message_get_body(message);
    if (!is_incoming || !body || g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_SIGNAL)
        return message;
    const gchar *interface = g_dbus_message_get_interface(message), *name = g_dbus_message_get_member(message);
    guint32 number = 0, reason = 0;
    const gchar *text = NULL, *before = NULL, *after = NULL;
    if (g_strcmp0(interface, CBUS_NAME) == 0) {
        if (g_strcmp0(name, "ActionInvoked") == 0 && g_variant_is_of_type(body, G_VARIANT_TYPE("(us)"))) {
            g_variant_get(body, "(u&s)", &number, &text);
            ear->heard(ear->owner, cbus_used, number, text);
        } else if (g_strcmp0(name, "NotificationClosed") == 0 && g_variant_is_of_type(body, G_VARIANT_TYPE("(uu)"))) {
            g_variant_get(body, "(uu)", &number, &reason);
            ear->heard(ear->owner, cbus_gone, number, "");
        }
    } else if (
        g_strcmp0(name, "NameOwnerChanged") == 0
        && g_strcmp0(g_dbus_message_get_sender(message), "org.freedesktop.DBus") == 0
        && g_variant_is_of_type(body, G_VARIANT_TYPE("(sss)"))
    ) {
        g_variant_get(body, "(&s&s&s)", &text, &before, &after);
        if (g_strcmp0(text, CBUS_NAME) == 0) ear->heard(ear->owner, cbus_owner, 0, after);
    }
    return message;
}

static inline GVariant *cbus_ask_bus(
    cbus_connection connection, const char *method, const char *argument, const char *type, char **problem
) {
    GError *error = NULL;
    GVariant *answer = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
        g_variant_new("(s)", argument), type ? G_VARIANT_TYPE(type) : NULL, G_DBUS_CALL_FLAGS_NONE, CBUS_PATIENCE,
        NULL, &error);
    if (!answer) cbus_take(error, problem);
    return answer;
}

/* Tells `heard` what becomes of notifications, until the connection is closed. Takes over `owner`, which `release`
   gives back, whether it worked or not. */
static inline int cbus_listen(
    cbus_connection connection, cbus_listener heard, void (*release)(void *), void *owner, char **problem
) {
    static const char *const rules[] = {
        "type='signal',sender='" CBUS_NAME "',path='" CBUS_PATH "'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" CBUS_NAME "'",
    };
    cbus_ear *ear = g_new0(cbus_ear, 1);
    ear->heard = heard;
    ear->release = release;
    ear->owner = owner;
    g_dbus_connection_add_filter(connection, cbus_filter, ear, cbus_ear_free);
    for (int index = 0; index < 2; index++) {
        GVariant *answer = cbus_ask_bus(connection, "AddMatch", rules[index], NULL, problem);
        if (!answer) return 0;
        g_variant_unref(answer);
    }
    /* Who shows them now. None is no error: some desktops start it with the first notification. */
    char *refusal = NULL;
    GVariant *answer = cbus_ask_bus(connection, "GetNameOwner", CBUS_NAME, "(s)", &refusal);
    g_free(refusal);
    if (answer) {
        const gchar *name = NULL;
        g_variant_get(answer, "(&s)", &name);
        heard(owner, cbus_owner, 0, name);
        g_variant_unref(answer);
    }
    return 1;
}

/* What this bus is called; no other has the same. To be freed with cbus_free. */
static inline char *cbus_bus_id(cbus_connection connection) {
    GError *error = NULL;
    GVariant *answer = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", NULL,
        G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, CBUS_PATIENCE, NULL, &error);
    if (!answer) {
        if (error) g_error_free(error);
        return g_strdup("");
    }
    gchar *id = NULL;
    g_variant_get(answer, "(s)", &id);
    g_variant_unref(answer);
    return id;
}
