internal import CLinux
import Glibc

/// The memory of this process as other programs, and files, may see it.
package enum ProcessSecrecy {
  /// From now on no core dump has the memory of this process, and no program of the same user reads it as a debugger does.
  package static func keepMemoryPrivate() {
    linux_forbid_dumps()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }

  /// True after ``keepMemoryPrivate()``.
  static var isMemoryPrivate: Bool {
    var limit = rlimit()
    return linux_allows_dumps() == 0
      && getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 && limit.rlim_max == 0
  }
}
