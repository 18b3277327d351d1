internal import CLinux
import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// The content of an upload, encrypted under a key that only this process has, in a file without a name: nothing is left of
/// it when the process ends.
actor UploadedContent {
  private let file: PassedFile
  private let sealer: KeptFileSealer
  private let queue = WorkerQueue("session.uploads")
  private let turns = Turns()
  private(set) var size = 0

  init(in folder: String) throws {
    try PrivateFolder.prepare(folder)
    file = try Self.file(in: folder)
    sealer = try KeptFileSealer()
  }

  private static let prefix = "upload-"

  private static func file(in folder: String) throws -> PassedFile {
    let unnamed = open(folder, Int32(LINUX_O_TMPFILE) | O_RDWR | O_CLOEXEC, 0o600)
    guard unnamed < 0 else { return PassedFile(adopting: unnamed) }
    // Not every file system has files without names.
    let path = "\(folder)/\(prefix)\(try FileVault.newName())"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError.system(.uncreatable, "cannot create", path) }
    unlink(path)
    return PassedFile(adopting: descriptor)
  }

  /// Deletes files that have names still because a program was killed.
  static func removeLeftovers(in folder: String) {
    for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(prefix) {
      unlink("\(folder)/\(name)")
    }
  }

  /// Adds bytes that begin at a place. Throws `invalid-params` for another place than the end.
  func append(_ bytes: [UInt8], at place: Int) async throws {
    let isWritten: Void? = try await turns.take { @Sendable in try await self.add(bytes, at: place) }
    if isWritten == nil { throw CancellationError() }
  }

  private func add(_ bytes: [UInt8], at place: Int) async throws {
    guard place == size else {
      throw RPCError.invalidParams("the upload has \(size) bytes: \"at\" must be that number")
    }
    try await write(try sealer.seal(bytes))
    size += bytes.count
  }

  /// Completes the content, which can be read afterwards.
  func finish() async throws {
    let isWritten: Void? = try await turns.take { @Sendable in try await self.end() }
    if isWritten == nil { throw CancellationError() }
  }

  private func end() async throws { try await write(try sealer.finish()) }

  private func write(_ sealed: [UInt8]) async throws(FileError) {
    try await queue.run { [file] () throws(FileError) in
      var rest = sealed[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .system(.unwritable, "cannot write to", "the file of an upload") }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The whole content.
  func bytes() async throws -> [UInt8] {
    defer { withExtendedLifetime(file) {} }
    let opener = try FileOpener(keptUnder: sealer.key)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    for try await piece in FilePieces(file.path) { bytes += try opener.open(piece) }
    return bytes + (try opener.finish())
  }
}
