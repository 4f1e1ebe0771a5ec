// A library for LD_PRELOAD that gives one process a slow disk and a wrong clock while it runs. The file named by
// TROUBLES_FILE holds what is wrong now: two numbers of eight bytes, which another process may change at any time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct troubles {
  int64_t sync_ms;  // what a synchronization with the disk takes longer
  int64_t clock_ms; // what the clock of the day is ahead; negative: behind
};

static const struct troubles none;
static const volatile struct troubles *present = &none;

// A read or write of a file takes longer by this part of what a synchronization takes longer.
static const int64_t access_part = 50;

__attribute__((constructor)) static void open_troubles(void) {
  const char *path = getenv("TROUBLES_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(struct troubles), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) present = mapped;
  close(file);
}

static void wait_us(int64_t us) {
  int before = errno;
  struct timespec left = {us / 1000000, us % 1000000 * 1000};
  while (nanosleep(&left, &left) == -1 && errno == EINTR) {
  }
  errno = before;
}

static void wait_for_sync(void) {
  int64_t ms = present->sync_ms;
  if (ms > 0) wait_us(ms * 1000);
}

static void wait_for_access(int file) {
  int64_t ms = present->sync_ms;
  struct stat status;
  if (ms > 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) wait_us(ms * 1000 / access_part);
}

// The function of the system that stands behind the one of this name here.
#define NEXT(name, ...)                                              \
  static __typeof__(name) *next;                                     \
  if (next == NULL) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
  return next(__VA_ARGS__)

int fsync(int file) {
  wait_for_sync();
  NEXT(fsync, file);
}

int fdatasync(int file) {
  wait_for_sync();
  NEXT(fdatasync, file);
}

int msync(void *start, size_t size, int flags) {
  wait_for_sync();
  NEXT(msync, start, size, flags);
}

ssize_t read(int file, void *bytes, size_t size) {
  wait_for_access(file);
  NEXT(read, file, bytes, size);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  wait_for_access(file);
  NEXT(pread64, file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
  wait_for_access(file);
  NEXT(write, file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  wait_for_access(file);
  NEXT(pwrite64, file, bytes, size, offset);
}

static int next_clock_gettime(clockid_t clock, struct timespec *now) {
  NEXT(clock_gettime, clock, now);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = next_clock_gettime(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t ms = present->clock_ms;
    int64_t ns = now->tv_nsec + ms % 1000 * 1000000;
    int64_t carry = ns < 0 ? -1 : ns / 1000000000;
    now->tv_sec += ms / 1000 + carry;
    now->tv_nsec = ns - carry * 1000000000;
  }
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec found;
  int status = clock_gettime(CLOCK_REALTIME, &found);
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return status;
}

time_t time(time_t *now) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now != NULL) *now = found.tv_sec;
  return found.tv_sec;
}
