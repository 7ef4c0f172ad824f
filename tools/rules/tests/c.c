#include "library.h"
#include <own.h>

int c(void) { return OWN + LIBRARY; }
