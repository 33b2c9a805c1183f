#include <libsecret/secret.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Calls of libsecret in whole: GObject's reference counts, variadic functions and lists stay in here. They
   block, and use a main context of their own, so any thread may call them. */

typedef enum {
    csecret_done,
    csecret_nothing,
    csecret_locked,
    csecret_failed,
} csecret_outcome;

static inline const SecretSchema *csecret_schema(void) {
    static const SecretSchema schema = {
        "org.mailkernel.Secret", SECRET_SCHEMA_NONE,
        {{"store", SECRET_SCHEMA_ATTRIBUTE_STRING},
         {"drawer", SECRET_SCHEMA_ATTRIBUTE_STRING},
         {"name", SECRET_SCHEMA_ATTRIBUTE_STRING},
         {NULL, 0}},
    };
    return &schema;
}

/* `name` may be NULL: all of the drawer. So may `drawer`: all of the store. */
static inline GHashTable *csecret_attributes(const char *store, const char *drawer, const char *name) {
    GHashTable *attributes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert(attributes, g_strdup("store"), g_strdup(store));
    if (drawer) g_hash_table_insert(attributes, g_strdup("drawer"), g_strdup(drawer));
    if (name) g_hash_table_insert(attributes, g_strdup("name"), g_strdup(name));
    return attributes;
}

/* Takes the error. `problem` is to be freed with g_free. */
static inline csecret_outcome csecret_problem(GError *error, char **problem) {
    csecret_outcome outcome = csecret_failed;
    if (error && error->domain == SECRET_ERROR && error->code == SECRET_ERROR_IS_LOCKED) outcome = csecret_locked;
    *problem = g_strdup(error ? error->message : "no reason was given");
    if (error) g_error_free(error);
    return outcome;
}

/* Whether a Secret Service answers on the session bus. */
static inline csecret_outcome csecret_connect(char **problem) {
    GError *error = NULL;
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (!service) return csecret_problem(error, problem);
    g_object_unref(service);
    return csecret_done;
}

/* Asks the user to unlock the store where it is needed. `secret` is to be freed with csecret_free. */
static inline csecret_outcome csecret_find(
    const char *store, const char *drawer, const char *name, char **secret, char **problem
) {
    GError *error = NULL;
    GHashTable *attributes = csecret_attributes(store, drawer, name);
    GList *items = secret_service_search_sync(
        NULL, csecret_schema(), attributes, SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS, NULL, &error);
    g_hash_table_unref(attributes);
    if (error) return csecret_problem(error, problem);
    csecret_outcome outcome = csecret_nothing;
    if (items) {
        SecretItem *item = items->data;
        SecretValue *value = secret_item_get_locked(item) ? NULL : secret_item_get_secret(item);
        const char *text = value ? secret_value_get_text(value) : NULL;
        outcome = csecret_locked;
        if (text) {
            *secret = strdup(text);
            outcome = *secret ? csecret_done : csecret_failed;
        }
        if (value) secret_value_unref(value);
    }
    g_list_free_full(items, g_object_unref);
    return outcome;
}

static inline csecret_outcome csecret_store(
    const char *store, const char *drawer, const char *name, const char *label, const char *secret, char **problem
) {
    GError *error = NULL;
    GHashTable *attributes = csecret_attributes(store, drawer, name);
    gboolean stored = secret_password_storev_sync(
        csecret_schema(), attributes, SECRET_COLLECTION_DEFAULT, label, secret, NULL, &error);
    g_hash_table_unref(attributes);
    return stored ? csecret_done : csecret_problem(error, problem);
}

/* Asks the user to unlock the store where it is needed. Clearing passes by what is locked and says nothing of it,
   so it is looked afterwards whether anything is left. */
static inline csecret_outcome csecret_remove(
    const char *store, const char *drawer, const char *name, char **problem
) {
    GError *error = NULL;
    GHashTable *attributes = csecret_attributes(store, drawer, name);
    GList *items = secret_service_search_sync(
        NULL, csecret_schema(), attributes, SECRET_SEARCH_ALL | SECRET_SEARCH_UNLOCK, NULL, &error);
    csecret_outcome outcome = csecret_done;
    if (items && !error) {
        secret_password_clearv_sync(csecret_schema(), attributes, NULL, &error);
        g_list_free_full(items, g_object_unref);
        items = error ? NULL : secret_service_search_sync(
            NULL, csecret_schema(), attributes, SECRET_SEARCH_ALL, NULL, &error);
        if (items) outcome = csecret_locked;
    }
    g_list_free_full(items, g_object_unref);
    g_hash_table_unref(attributes);
    return error ? csecret_problem(error, problem) : outcome;
}

static inline void csecret_free(char *secret) {
    if (secret) explicit_bzero(secret, strlen(secret));
    free(secret);
}

static inline void csecret_free_problem(char *problem) { g_free(problem); }

/* Other processes of the user can no longer look into this one, and no core of it is written. */
static inline int csecret_close_process(void) {
    struct rlimit none = {0, 0};
    int core = setrlimit(RLIMIT_CORE, &none);
    int dump = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return core == 0 && dump == 0 ? 0 : -1;
}
