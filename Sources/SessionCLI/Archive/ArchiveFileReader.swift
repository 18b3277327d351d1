import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// An archive on the disk, read from its first byte to the last.
struct ArchiveFileReader: Sendable {
  let path: String

  /// The bytes that are read at once.
  private static let pieceSize = 256 << 10

  /// What everybody can read of it.
  func header() throws -> ArchiveHeader {
    try ArchiveHeader(try opened().read(upTo: ArchiveHeader.limit))
  }

  var bytes: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private func opened() throws -> OpenFile {
    // Opening a FIFO would wait for its writer.
    guard try OpenFile.mode(ofReadable: path) & S_IFMT == S_IFREG else {
      throw CommandFailure(status: .noInput, message: "\(path) is not a file")
    }
    return try OpenFile(reading: path)
  }

  /// The list of its contents.
  func manifest(opening secrets: [ArchiveSecret]) async throws -> ArchiveManifest {
    try await stoppable { stop in
      try ArchiveImport.manifest(opening: secrets, next: try pieces(until: stop))
    }
  }

  /// Its bytes from the beginning on, a piece with each call.
  func pieces(until stop: Latch) throws -> () throws -> [UInt8] {
    let file = try opened()
    return {
      if stop.isOpen { throw CancellationError() }
      return try file.read(upTo: Self.pieceSize)
    }
  }

  /// Reads and checks all of it, until that is done or the task is cancelled.
  func read(
    opening secrets: [ArchiveSecret], visit: @escaping @Sendable (ArchiveEvent) throws -> Void = { _ in }
  ) async throws -> ArchiveReading {
    try await stoppable { stop in
      try ArchiveReading.read(opening: secrets, next: try pieces(until: stop)) { try visit($0) }
    }
  }
}

/// Runs long work on a thread of its own. The latch opens when the task is cancelled.
func stoppable<R: Sendable>(_ work: @escaping @Sendable (Latch) throws -> R) async throws -> R {
  let stop = Latch()
  return try await withTaskCancellationHandler {
    try await WorkerQueue("session.archive").run { try work(stop) }
  } onCancel: {
    stop.open()
  }
}
