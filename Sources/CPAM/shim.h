#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>

/* One question to PAM: is this the user's password? A conversation is a callback with memory that changes its
   owner, which stays in here. It blocks, for as long as the modules take. */

typedef enum {
    cpam_proven,
    cpam_wrong,
    cpam_failed,
} cpam_outcome;

/* Answers a hidden question with the password, and a visible one with the user's name. Messages of modules are
   ignored. */
static inline int cpam_converse(
    int count, const struct pam_message **messages, struct pam_response **answers, void *data
) {
    const char **given = data;
    if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
    struct pam_response *all = calloc((size_t)count, sizeof *all);
    if (!all) return PAM_BUF_ERR;
    for (int index = 0; index < count; index++) {
        const char *text = NULL;
        if (messages[index]->msg_style == PAM_PROMPT_ECHO_OFF) text = given[1];
        if (messages[index]->msg_style == PAM_PROMPT_ECHO_ON) text = given[0];
        if (text) all[index].resp = strdup(text);
    }
    *answers = all;
    return PAM_SUCCESS;
}

/* `problem` is to be freed with free. */
static inline cpam_outcome cpam_check(
    const char *service, const char *user, const char *password, char **problem
) {
    const char *given[2] = {user, password};
    struct pam_conv conversation = {cpam_converse, given};
    pam_handle_t *handle = NULL;
    int result = pam_start(service, user, &conversation, &handle);
    if (result == PAM_SUCCESS) result = pam_authenticate(handle, PAM_SILENT);
    if (result == PAM_SUCCESS) {
        result = pam_acct_mgmt(handle, PAM_SILENT);
        /* An old password is for the login to complain about. */
        if (result == PAM_NEW_AUTHTOK_REQD) result = PAM_SUCCESS;
    }
    cpam_outcome outcome = cpam_failed;
    switch (result) {
    case PAM_SUCCESS: outcome = cpam_proven; break;
    case PAM_AUTH_ERR: case PAM_MAXTRIES: case PAM_CRED_INSUFFICIENT: case PAM_USER_UNKNOWN:
        outcome = cpam_wrong; break;
    default: *problem = strdup(pam_strerror(handle, result)); break;
    }
    if (handle) pam_end(handle, result);
    return outcome;
}
