#include "tools/driver/cc_arguments.h"

#include "gtest/gtest.h"
