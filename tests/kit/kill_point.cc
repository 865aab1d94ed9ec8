// SPDX-License-Identifier: GPL-2.0-only
//
// Loaded into a server by LD_PRELOAD: kills it, as kill -9 does, right before a given file
// operation of one thread. What a file system holds changes by nothing but such operations, so the
// moments before each of them are all the states in which a killed process can leave its files.
//
// BASALT_KILL_POINT names a file of kControlBytes, shared with the test (tests/kit/
// kill_point.py): how many operations may still pass (0: not armed), how many have passed since
// then, and, written before the end, which one did not. Threads that have opened this very file
// count (a client marks its own by SELECT LOAD_FILE(...)), and the one that has opened the server's
// log of DDL statements: at a start that is the one that finishes or undoes them. Besides, those
// whose names begin with one of BASALT_KILL_THREADS, which are separated by commas. With
// BASALT_KILL_OPERATION only that operation counts ("sync", "rename", ..).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kControlBytes = 512;

struct Control {
  std::atomic<int64_t> left;
  std::atomic<uint64_t> passed;
  char point[kControlBytes - 16];
};
static_assert(sizeof(Control) == kControlBytes);

Control* control = nullptr;
const char* control_path = nullptr;
const char* thread_names = nullptr;  // beginnings, separated by commas
const char* only_operation = nullptr;
thread_local bool watched = false;

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The function of the C library behind the one that is being defined.
#define REAL(name) static auto* const real_##name = Real<decltype(::name)>(#name)

__attribute__((constructor)) void ShareControl() {
  control_path = std::getenv("BASALT_KILL_POINT");
  if (control_path == nullptr) return;
  thread_names = std::getenv("BASALT_KILL_THREADS");
  only_operation = std::getenv("BASALT_KILL_OPERATION");
  REAL(open);
  const int file = real_open(control_path, O_RDWR | O_CLOEXEC);
  void* shared = file < 0
                     ? MAP_FAILED
                     : ::mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) control = static_cast<Control*>(shared);
}

void DieAt(const char* operation, const char* file) {
  std::snprintf(control->point, sizeof(control->point), "%s %s", operation, file);
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

bool HasGivenName() {
  char name[16] = "";  // prctl(2): at most so long, with the closing zero
  if (thread_names == nullptr || ::prctl(PR_GET_NAME, name) != 0) return false;
  for (const char* given = thread_names; *given != 0;) {
    const size_t length = std::strcspn(given, ",");
    if (std::strncmp(name, given, length) == 0) return true;
    given += length;
    if (*given == ',') ++given;
  }
  return false;
}

// The operation is about to happen.
bool IsLast(const char* operation) {
  if (control == nullptr || control->left.load() <= 0) return false;
  if (only_operation != nullptr && std::strcmp(only_operation, operation) != 0) return false;
  // Asked each time: who starts a thread may name it after its first operation.
  if (!watched && !HasGivenName()) return false;
  if (control->left.fetch_sub(1) == 1) return true;
  control->passed.fetch_add(1);
  return false;
}

void Before(const char* operation, const char* file) {
  if (IsLast(operation)) DieAt(operation, file);
}

void Before(const char* operation, int descriptor) {
  if (!IsLast(operation)) return;
  char link[64];
  char file[400];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, file, sizeof(file) - 1);
  file[length < 0 ? 0 : length] = 0;
  DieAt(operation, file);
}

void BeforeOpen(const char* file, int flags) {
  if (control == nullptr) return;
  if (std::strcmp(file, control_path) == 0 || std::strstr(file, "ddl_recovery") != nullptr) {
    watched = true;
  }
  if (flags & (O_CREAT | O_TRUNC)) Before("create", file);
}

}  // namespace

#define DEFINE_OPEN(name)                             \
  EXPORT int name(const char* file, int flags, ...) { \
    REAL(name);                                       \
    va_list arguments;                                \
    va_start(arguments, flags);                       \
    const mode_t mode = va_arg(arguments, mode_t);    \
    va_end(arguments);                                \
    BeforeOpen(file, flags);                          \
    return real_##name(file, flags, mode);            \
  }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)

EXPORT ssize_t write(int descriptor, const void* from, size_t length) {
  REAL(write);
  Before("write", descriptor);
  return real_write(descriptor, from, length);
}

EXPORT ssize_t pwrite(int descriptor, const void* from, size_t length, off_t at) {
  REAL(pwrite);
  Before("write", descriptor);
  return real_pwrite(descriptor, from, length, at);
}

EXPORT ssize_t pwrite64(int descriptor, const void* from, size_t length, off64_t at) {
  REAL(pwrite64);
  Before("write", descriptor);
  return real_pwrite64(descriptor, from, length, at);
}

EXPORT int fsync(int descriptor) {
  REAL(fsync);
  Before("sync", descriptor);
  return real_fsync(descriptor);
}

EXPORT int fdatasync(int descriptor) {
  REAL(fdatasync);
  Before("sync", descriptor);
  return real_fdatasync(descriptor);
}

EXPORT int ftruncate(int descriptor, off_t length) noexcept {
  REAL(ftruncate);
  Before("truncate", descriptor);
  return real_ftruncate(descriptor, length);
}

EXPORT int ftruncate64(int descriptor, off64_t length) noexcept {
  REAL(ftruncate64);
  Before("truncate", descriptor);
  return real_ftruncate64(descriptor, length);
}

EXPORT int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  Before("rename", from);
  return real_rename(from, to);
}

EXPORT int unlink(const char* file) noexcept {
  REAL(unlink);
  Before("unlink", file);
  return real_unlink(file);
}

EXPORT int remove(const char* file) noexcept {
  REAL(remove);
  Before("unlink", file);
  return real_remove(file);
}

EXPORT int mkdir(const char* folder, mode_t mode) noexcept {
  REAL(mkdir);
  Before("make", folder);
  return real_mkdir(folder, mode);
}

EXPORT int rmdir(const char* folder) noexcept {
  REAL(rmdir);
  Before("unlink", folder);
  return real_rmdir(folder);
}
