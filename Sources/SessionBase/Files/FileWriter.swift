import Synchronization

/// A pending file that a task writes piece by piece: the disk is waited for on a worker queue.
///
/// The file appears under its name when `commit` returns. A writer that is dropped before leaves nothing behind.
package final class FileWriter: Sendable {
  private let queue: WorkerQueue
  private let file: Mutex<PendingFile?>

  private init(_ queue: WorkerQueue, _ file: consuming sending PendingFile) {
    self.queue = queue
    self.file = Mutex(file)
  }

  /// Creates the temporary file. Unless it is to replace a file of that name, it fails at once when there is one.
  package static func begin(
    _ path: String, replacing replaces: Bool = false
  ) async throws(FileError) -> FileWriter {
    let queue = WorkerQueue("session.files.writing")
    return try await queue.run { () throws(FileError) in
      FileWriter(queue, try PendingFile(for: path, replacing: replaces))
    }
  }

  package func write(_ bytes: [UInt8]) async throws(FileError) {
    try await queue.run { [self] () throws(FileError) in
      try file.withLock { (file) throws(FileError) in try file?.write(bytes.span) }
    }
  }

  /// Gives the file its name, once. Both are on the device when this returns.
  package func commit() async throws(FileError) {
    try await queue.run { [self] () throws(FileError) in
      try file.withLock { (file) throws(FileError) in try file.take()?.commit() }
    }
  }
}
