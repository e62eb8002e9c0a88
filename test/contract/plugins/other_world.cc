// SPDX-License-Identifier: Apache-2.0
// Preloaded into a rank: another host name, clock, user and process number, as named by OTHER_WORLD (a digit).
// Whatever a tuner decides must not change with it.
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

#define OTHER_WORLD_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int world() {
  const char* digit = getenv("OTHER_WORLD");
  return digit ? *digit - '0' : 0;
}
// "node-7" in world 1, "node-77" in world 2, and so on.
void nameHost(char* name, size_t size) {
  char text[64] = "node-";
  for (int i = 0; i < world(); i++) strcat(text, "7");
  strncpy(name, text, size);
}
time_t shift() { return static_cast<time_t>(world()) * 400'000'000; }  // some 13 years

}  // namespace

OTHER_WORLD_EXPORT int gethostname(char* name, size_t size) noexcept {
  nameHost(name, size);
  return 0;
}

OTHER_WORLD_EXPORT int uname(utsname* system) noexcept {
  const int result = static_cast<int>(syscall(SYS_uname, system));
  nameHost(system->nodename, sizeof(system->nodename));
  return result;
}

OTHER_WORLD_EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME) now->tv_sec += shift();
  return result;
}

OTHER_WORLD_EXPORT int gettimeofday(timeval* now, void*) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  *now = {precise.tv_sec, precise.tv_nsec / 1000};
  return 0;
}

OTHER_WORLD_EXPORT time_t time(time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}

OTHER_WORLD_EXPORT uid_t getuid() noexcept { return static_cast<uid_t>(1000 * world()); }
OTHER_WORLD_EXPORT uid_t geteuid() noexcept { return static_cast<uid_t>(1000 * world()); }
OTHER_WORLD_EXPORT pid_t getpid() noexcept { return 1000 + world(); }
