#ifndef COAUTHCRYPTO_SHIM_H
#define COAUTHCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
