/* The lines before this one keep the compiler busy, or say something to who reads its messages. */
#include "attack.h"
