import Glibc

/// The number of files that a program may have open.
package enum OpenFileLimit {
  private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// The number as it is now.
  package static var now: Int {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises it to the most that the system admits: each client needs a descriptor, and each account several.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(kind, &limit)
  }
}
