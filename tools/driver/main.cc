#include <string>
#include <vector>

#include "tools/driver/driver.h"
#include "tools/driver/environment.h"

int main(int argc, char** argv) {
  return ingot::driver::RunDriver(std::vector<std::string>(argv + 1, argv + argc),
                                  ingot::driver::ProcessEnvironment());
}
