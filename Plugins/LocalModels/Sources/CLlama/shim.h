#ifndef CLLAMA_SHIM_H
#define CLLAMA_SHIM_H

#include <errno.h>
#include <ggml-cpu.h>
#include <llama.h>
#include <stddef.h>

#include "sandbox.h"

#endif
