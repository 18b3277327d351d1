public import Foundation
import Glibc
import Synchronization

/// Held while a pipe is made and while a program starts. Otherwise a program that another thread starts at that moment
/// inherits the ends of the pipe, and they close only when that program ends as well.
private let turn = Mutex(())

extension Process {
  /// Starts the program. Tests call this instead of `run`.
  public func start() throws { try turn.withLock { _ in try run() } }
}

extension Pipe {
  /// A pipe whose ends only those programs have that get them as their streams.
  public static func closedOnExec() -> Pipe {
    turn.withLock { _ in
      let pipe = Pipe()
      // The copies that the program has as its streams stay open.
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      return pipe
    }
  }
}
