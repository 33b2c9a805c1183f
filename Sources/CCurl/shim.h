/* The checks of arguments are macros that hide the functions from Swift. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Swift cannot call variadic functions: one function here for each kind of argument. */

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*ccurl_take_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*ccurl_open_socket)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*ccurl_close_socket)(void *context, curl_socket_t socket);
typedef int (*ccurl_will_resolve)(void *state, void *reserved, void *context);
typedef int (*ccurl_will_request)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef CURLcode (*ccurl_tls_ready)(CURL *easy, void *tls, void *context);

static inline CURLcode ccurl_set_take_bytes(CURL *easy, CURLoption option, ccurl_take_bytes callback) {
    return curl_easy_setopt(easy, option, callback);
}

/* What a body is read from: `begin` is asked to start again at an offset. */
typedef int (*ccurl_begin_at)(void *context, curl_off_t offset, int origin);

static inline CURLcode ccurl_set_body(
    CURL *easy, curl_off_t size, ccurl_take_bytes read, ccurl_begin_at begin, void *context
) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, begin);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return code;
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, ccurl_open_socket callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_close_socket(CURL *easy, ccurl_close_socket callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_will_resolve(CURL *easy, ccurl_will_resolve callback) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

static inline CURLcode ccurl_set_will_request(CURL *easy, ccurl_will_request callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode ccurl_set_tls_ready(CURL *easy, ccurl_tls_ready callback) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode ccurl_number(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

typedef int (*ccurl_watch_socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *own);
typedef int (*ccurl_set_timer)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode ccurl_multi_set_callbacks(
    CURLM *multi, ccurl_watch_socket watch, ccurl_set_timer timer, void *context
) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

/* The result lies in a union. */
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }
