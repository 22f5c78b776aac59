/* ML-KEM-512, with the code that all parameter sets share, and the contract's exports of both. */
#define MLK_CONFIG_PARAMETER_SET 512
#define MLK_CONFIG_MULTILEVEL_WITH_SHARED
#include "level.h"

#include "exports.h"
