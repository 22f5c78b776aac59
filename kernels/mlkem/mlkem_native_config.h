/* How mlkem-native is configured here. Upstream looks for a file of this name by itself. */
#ifndef MLKEM_NATIVE_CONFIG_H
#define MLKEM_NATIVE_CONFIG_H

#define MLK_CONFIG_NAMESPACE_PREFIX mlkem

/* Everything comes from seeds: the operations are functions of their arguments. */
#define MLK_CONFIG_NO_RANDOMIZED_API

/* SHA-3 and SHAKE are fips202.c's. */
#define MLK_CONFIG_FIPS202_CUSTOM_HEADER "fips202.h"
#define MLK_CONFIG_FIPS202X4_CUSTOM_HEADER "fips202x4.h"

/* Faster kernels are announced in backend.h, upstream's place for them (native/api.h). */
#define MLK_CONFIG_USE_NATIVE_BACKEND_ARITH
#define MLK_CONFIG_ARITH_BACKEND_FILE "backend.h"

#endif
