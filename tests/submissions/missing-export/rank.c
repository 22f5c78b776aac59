#include "toy.h"

static void unused(void)
{
}

void (*toy_other)(void) = unused;
