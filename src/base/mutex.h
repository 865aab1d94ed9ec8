// SPDX-License-Identifier: GPL-2.0-only
//
// Mutexes whose rules clang checks (-Wthread-safety, a part of ./dev lint): which members a mutex
// guards, which functions need it held. For other compilers the annotations are empty. Each class
// is the standard library's with another name and costs the same: libstdc++'s own have no
// annotations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <utility>

#if defined(__clang__)
#define BASALT_ANNOTATION(x) __attribute__((x))
#else
#define BASALT_ANNOTATION(x)
#endif

// A member that may be touched only while the mutex is held.
#define BASALT_GUARDED_BY(mutex) BASALT_ANNOTATION(guarded_by(mutex))
// A function whose caller holds the mutex, alone or shared.
#define BASALT_REQUIRES(...) BASALT_ANNOTATION(requires_capability(__VA_ARGS__))
#define BASALT_REQUIRES_SHARED(...) BASALT_ANNOTATION(requires_shared_capability(__VA_ARGS__))
// A function that takes the mutex and returns with it, and one that gives it back.
#define BASALT_ACQUIRE(...) BASALT_ANNOTATION(acquire_capability(__VA_ARGS__))
#define BASALT_ACQUIRE_SHARED(...) BASALT_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define BASALT_RELEASE(...) BASALT_ANNOTATION(release_capability(__VA_ARGS__))
// A function that gives out the mutex itself.
#define BASALT_RETURNS_MUTEX(mutex) BASALT_ANNOTATION(lock_returned(mutex))
// A function that clang cannot follow. The reason stands beside it.
#define BASALT_UNCHECKED_LOCKS BASALT_ANNOTATION(no_thread_safety_analysis)

namespace basalt {

// Excludes all other threads; not recursive. Hold it by a MutexLock, but for where a lock is handed
// on.
class BASALT_ANNOTATION(capability("mutex")) Mutex {
 public:
  void Lock() BASALT_ACQUIRE() { mutex_.lock(); }
  void Unlock() BASALT_RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex to the end of a block; Unlock gives it back earlier, Lock takes it again.
class BASALT_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) BASALT_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() BASALT_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  void Lock() BASALT_ACQUIRE() { lock_.lock(); }
  void Unlock() BASALT_RELEASE() { lock_.unlock(); }
  bool held() const { return lock_.owns_lock(); }
  // The mutex stays taken behind the block: somebody else calls its Unlock.
  void HandOn() { lock_.release(); }

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

// Many readers, or one writer. Hold it by a ReaderLock or a WriterLock.
class BASALT_ANNOTATION(capability("shared mutex")) SharedMutex {
 private:
  friend class ReaderLock;
  friend class WriterLock;
  std::shared_mutex mutex_;
};

// Holds a shared mutex to the end of a block, beside other readers.
class BASALT_ANNOTATION(scoped_lockable) ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) BASALT_ACQUIRE_SHARED(mutex) : lock_(mutex.mutex_) {}
  ~ReaderLock() BASALT_RELEASE() = default;
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;
  void Unlock() BASALT_RELEASE() { lock_.unlock(); }

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

// Holds a shared mutex to the end of a block, alone: waits for readers, who wait for it in turn.
// Taking it a second time in one thread never ends.
class BASALT_ANNOTATION(scoped_lockable) WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) BASALT_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~WriterLock() BASALT_RELEASE() = default;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  void Unlock() BASALT_RELEASE() { lock_.unlock(); }

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

// Threads that wait for a change under one mutex. The lock must be held: it is given back during
// the wait and held again after it. A wait without a condition may end without a signal; conditions
// are lambdas with BASALT_REQUIRES(the mutex).
class CondVar {
 public:
  void Wait(MutexLock& lock) { changed_.wait(lock.lock_); }
  template <typename Condition>
  void Wait(MutexLock& lock, Condition condition) {
    changed_.wait(lock.lock_, std::move(condition));
  }
  // False when the time was reached first; with a condition: what the condition then is.
  template <typename Clock, typename Duration>
  bool WaitUntil(MutexLock& lock, std::chrono::time_point<Clock, Duration> until) {
    return changed_.wait_until(lock.lock_, until) == std::cv_status::no_timeout;
  }
  template <typename Clock, typename Duration, typename Condition>
  bool WaitUntil(MutexLock& lock, std::chrono::time_point<Clock, Duration> until,
                 Condition condition) {
    return changed_.wait_until(lock.lock_, until, std::move(condition));
  }
  template <typename Rep, typename Period>
  bool WaitFor(MutexLock& lock, std::chrono::duration<Rep, Period> time) {
    return changed_.wait_for(lock.lock_, time) == std::cv_status::no_timeout;
  }
  template <typename Rep, typename Period, typename Condition>
  bool WaitFor(MutexLock& lock, std::chrono::duration<Rep, Period> time, Condition condition) {
    return changed_.wait_for(lock.lock_, time, std::move(condition));
  }
  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace basalt
