#include "CMailKernelPlugin.h"
