#include "tools/driver/local_execution.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tools/driver/files.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

// How long a program may take to say where it was after SIGQUIT.
constexpr absl::Duration kGrace = absl::Seconds(2);

// What is left until `deadline` as poll() takes it: at most an hour at a time, -1 for ever.
int MillisecondsUntil(absl::Time deadline) {
  constexpr int64_t kLongestWait = 3'600'000;
  if (deadline == absl::InfiniteFuture()) return -1;
  return static_cast<int>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(deadline - absl::Now()) + 1, 0, kLongestWait));
}

absl::Status MakeParent(const std::string& directory, const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(directory) / fs::path(path).parent_path(), error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot create folders for ", path, " in ", directory, ": ", error.message()));
}

absl::Status Stage(const ExecutionRequest& request, const std::string& directory) {
  for (const auto& [path, contents] : request.inputs) {
    if (absl::Status status = MakeParent(directory, path); !status.ok()) return status;
    if (absl::Status status = WriteOutput(absl::StrCat(directory, "/", path), contents);
        !status.ok()) {
      return status;
    }
  }
  for (const std::string& path : request.outputs) {
    if (absl::Status status = MakeParent(directory, path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot create a pipe");
  return Pipe{ends[0], ends[1]};
}

// The child's half, between vfork and exec: only calls that are safe there. `failure` is the
// parent's memory too: it gets the reason why the program could not be started.
[[noreturn]] void RunChild(const char* program, char* const* argv, const char* directory,
                           int stdout_fd, int stderr_fd, pid_t parent, volatile int& failure) {
  // An orphan that hangs would hang for ever. The parent may be gone already: then nobody is told
  // any more.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_fd >= 0 && dup2(null_fd, STDIN_FILENO) >= 0 && dup2(stdout_fd, STDOUT_FILENO) >= 0 &&
      dup2(stderr_fd, STDERR_FILENO) >= 0 && chdir(directory) == 0) {
    const std::array<char*, 1> environment = {nullptr};
    execve(program, argv, environment.data());
  }
  failure = errno;
  _exit(127);
}

// Waits for the child to end until the deadline. Returns whether it did.
bool WaitUntil(pid_t child, absl::Time deadline) {
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (fd < 0) return true;  // an old kernel: waitpid will wait as long as it takes
  const absl::Cleanup close_fd = [fd] { close(fd); };
  pollfd ended = {fd, POLLIN, 0};
  while (absl::Now() < deadline) {
    if (poll(&ended, 1, MillisecondsUntil(deadline)) > 0) return true;
  }
  return false;
}

// Reads both streams until the child has closed them or the time is up. Returns whether the time
// was up.
bool Collect(int stdout_fd, int stderr_fd, absl::Time deadline, ExecutionResult& result) {
  std::array<pollfd, 2> streams = {pollfd{stdout_fd, POLLIN, 0}, pollfd{stderr_fd, POLLIN, 0}};
  std::array<char, 65536> buffer = {};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (absl::Now() >= deadline) return true;
    const int ready = poll(streams.data(), streams.size(), MillisecondsUntil(deadline));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    for (pollfd& stream : streams) {
      if (stream.fd < 0 || stream.revents == 0) continue;
      const ssize_t got = read(stream.fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        stream.fd = -1;
        continue;
      }
      std::string& text = stream.fd == stdout_fd ? result.stdout_text : result.stderr_text;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<ExecutionResult> Execute(const ExecutionRequest& request,
                                        const std::string& directory) {
  if (absl::Status status = Stage(request, directory); !status.ok()) return status;
  std::vector<char*> argv;
  argv.reserve(request.arguments.size() + 1);
  for (const std::string& argument : request.arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);

  absl::StatusOr<Pipe> out = MakePipe();
  if (!out.ok()) return out.status();
  const absl::Cleanup close_out = [&out] { close(out->read_end); };
  absl::StatusOr<Pipe> err = MakePipe();
  if (!err.ok()) {
    close(out->write_end);
    return err.status();
  }
  const absl::Cleanup close_err = [&err] { close(err->read_end); };

  const pid_t parent = getpid();
  volatile int failure = 0;
  // The child shares this process's memory until it executes the program, and this thread waits: no
  // page table is copied. It may call nothing but the system.
  // NOLINTNEXTLINE(bugprone-unsafe-functions): posix_spawn cannot prctl.
  const pid_t child = vfork();
  if (child == 0) {
    RunChild(request.program.c_str(), argv.data(), directory.c_str(), out->write_end,
             err->write_end, parent, failure);
  }
  const int fork_error = errno;
  close(out->write_end);
  close(err->write_end);
  if (child < 0) return absl::ErrnoToStatus(fork_error, "cannot start the compile tool");

  ExecutionResult result;
  const absl::Time deadline = absl::Now() + request.time_limit;
  if (Collect(out->read_end, err->read_end, deadline, result) || !WaitUntil(child, deadline)) {
    result.timed_out = true;
    kill(child, SIGQUIT);
    const absl::Time end_of_grace = absl::Now() + kGrace;
    if (Collect(out->read_end, err->read_end, end_of_grace, result) ||
        !WaitUntil(child, end_of_grace)) {
      kill(child, SIGKILL);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "cannot wait for the compile tool");
  }
  if (failure != 0) {
    return absl::ErrnoToStatus(failure, absl::StrCat("cannot start ", request.program));
  }
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  for (const std::string& path : request.outputs) {
    absl::StatusOr<std::string> contents = ReadInput(absl::StrCat(directory, "/", path));
    if (contents.ok()) result.outputs[path] = *std::move(contents);
  }
  return result;
}

}  // namespace ingot::driver
