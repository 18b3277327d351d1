internal import CLinux
import Glibc
import Synchronization

/// The locks that a program keeps while it starts itself anew in the same process: no other process can take one of them
/// in between. A lock lasts as long as a descriptor of its file, and those descriptors stay open.
package enum KeptLocks {
  /// The variable that tells the new program of them. No other program sees it.
  package static let variable = "SESSION_KEPT_LOCKS"

  /// The descriptors for the program that comes next.
  private static let leaving = Mutex<[Int32]>([])
  /// Those of the program that was here before, until the lock of the same file is taken again.
  private static let waiting = Mutex<[Int32]>([])

  /// Keeps a lock. False if the system has no descriptor left: the lock is free for a moment then.
  static func keep(_ descriptor: Int32) -> Bool {
    // Programs that are started before do not get it.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return false }
    leaving.withLock { $0.append(copy) }
    return true
  }

  /// The value of the variable. From now on a program that is started gets the locks.
  package static func handedOver() -> String {
    leaving.withLock { leaving in
      defer { leaving = [] }
      for descriptor in leaving { _ = fcntl(descriptor, F_SETFD, 0) }
      return ([getpid()] + leaving).map { "\($0)" }.joined(separator: " ")
    }
  }

  /// Takes over what an earlier program of this process kept, and removes the variable.
  package static func takeOver(_ environment: [String: String]) {
    guard let words = environment[variable]?.split(separator: " ") else { return }
    unsetenv(variable)
    guard words.first == "\(getpid())" else { return }
    let descriptors = words.dropFirst().compactMap { Int32($0) }.filter {
      $0 > 2 && fcntl($0, F_SETFD, FD_CLOEXEC) == 0
    }
    waiting.withLock { $0 += descriptors }
  }

  /// A descriptor that holds the lock of this file already; nil if none was kept.
  static func taken(_ path: String) -> Int32? {
    waiting.withLock { waiting in
      var (named, kept) = (stat(), stat())
      guard !waiting.isEmpty, lstat(path, &named) == 0 else { return nil }
      let index = waiting.firstIndex { descriptor in
        fstat(descriptor, &kept) == 0 && kept.st_ino == named.st_ino && kept.st_dev == named.st_dev
      }
      return index.map { waiting.remove(at: $0) }
    }
  }

  /// Gives up what was kept and is not needed any more.
  package static func dropRest() {
    let rest = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for descriptor in rest {
      _ = linux_let_go(descriptor)
      close(descriptor)
    }
  }
}
