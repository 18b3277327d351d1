import Synchronization

/// A pending file that a task writes piece by piece: the disk is waited for on a worker queue.
package final class FileWriter: Sendable {
  private let queue: WorkerQueue
  /// Nil after the file got its name or was deleted.
  private let file: Mutex<PendingFile?>

  private init(_ queue: WorkerQueue, _ file: consuming sending PendingFile) {
    self.queue = queue
    self.file = Mutex(file)
  }

  /// Writes a file, which appears under its name when `body` has ended; it is on the device when this returns. Nothing is
  /// left of it when this fails or the task is cancelled.
  ///
  /// Unless it is to replace a file of that name, this fails at once when there is one.
  package static func write<R>(
    _ path: String, replacing replaces: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: (FileWriter) async throws -> R
  ) async throws -> R {
    let queue = WorkerQueue("session.files.writing")
    let writer = try await queue.run { () throws(FileError) in
      FileWriter(queue, try PendingFile(for: path, replacing: replaces))
    }
    do {
      let result = try await body(writer)
      try Task.checkCancellation()
      try await writer.commit()
      return result
    } catch {
      await writer.discard()
      throw error
    }
  }

  package func write(_ bytes: [UInt8]) async throws(FileError) {
    try await queue.run { [self] () throws(FileError) in
      try file.withLock { (file) throws(FileError) in try file?.write(bytes.span) }
    }
  }

  private func commit() async throws(FileError) {
    try await queue.run { [self] () throws(FileError) in
      try file.withLock { (file) throws(FileError) in try file.take()?.commit() }
    }
  }

  /// The last reference to this object may be released after the failure was reported, so the file does not wait for that.
  private func discard() async {
    await queue.run { [self] in file.withLock { $0 = nil } }
  }
}
