#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tools/driver/driver.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"

namespace {

// Makes the process what the rest of the program takes for granted, whoever started it.
void SetUpProcess() {
  // A file opened later must not get the number of a standard stream that was closed: what is
  // printed would land in it. Read-only, so that writing to such a stream still fails.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
  // A parent that ignores SIGCHLD hands that on, and then no child's exit code could be had.
  std::signal(SIGCHLD, SIG_DFL);
  // A limit on file sizes is to be an error of write(), which is handled.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  SetUpProcess();
  // Nothing here throws on purpose, but the libraries may: out of memory, no more threads.
  try {
    return ingot::driver::RunDriver(std::vector<std::string>(argv + 1, argv + argc),
                                    ingot::driver::ProcessEnvironment());
  } catch (const std::exception& exception) {
    std::cerr << "ingot: error: " << exception.what() << "\n";
    return ingot::driver::kInternalError;
  }
}
