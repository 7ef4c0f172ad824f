#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tools/driver/driver.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"

// In a static program the C library asks /proc at every start which folder the program is in, for
// the sake of dlopen() with $ORIGIN. The first look into /proc costs as much as all the files of a
// hit, so BUILD.bazel puts this in its place; it is what the original returns where there is no
// /proc.
extern "C" const char* __wrap__dl_get_origin() {  // NOLINT(bugprone-reserved-identifier)
  return reinterpret_cast<const char*>(-1);       // NOLINT(performance-no-int-to-ptr)
}

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
    const int exit_code =
        ingot::driver::RunDriver(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                                 ingot::driver::ProcessEnvironment(argc > 0 ? argv[0] : ""));
    // RunDriver has flushed standard output, and standard error has no buffer: what destructors of
    // global objects would do now is of no use to anybody.
    std::_Exit(exit_code);
  } catch (const std::exception& exception) {
    std::cerr << "ingot: error: " << exception.what() << "\n";
    return ingot::driver::kInternalError;
  }
}
