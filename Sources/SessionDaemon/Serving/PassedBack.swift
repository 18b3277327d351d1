import Glibc
import SessionBase
package import SessionMessaging
import SessionStorage
import Synchronization

/// The files that go with the reply to a call.
final class PassedBack: Sendable {
  private let files = Mutex<[PassedFile]>([])

  var all: [PassedFile] { files.withLock { $0 } }

  /// Adds a file; its place among them.
  func add(_ file: PassedFile) -> Int {
    files.withLock { files in
      files.append(file)
      return files.count - 1
    }
  }
}

extension RPCCall {
  /// Passes the content of a file of a message to the client. Returns the place of its descriptor among those that come with
  /// the reply.
  ///
  /// A program of the same user gets a file in memory. It lasts as long as the client likes, so another client gets a pipe
  /// that fills as it reads: it ends early if the rest cannot be read.
  package func pass(_ file: AttachmentView.ID, of messenger: Messenger) async throws -> Int {
    guard id != nil, connection.canPassFiles else {
      throw RPCError.wrongParameter("fd", "in a single call over a Unix socket")
    }
    let content = try await messenger.content(of: file)
    guard !access.isOwn else { return passedBack.add(try await Self.fileInMemory(content)) }
    return passedBack.add(try access.pipe(content, of: messenger))
  }

  private static func fileInMemory(_ content: FileContent) async throws -> PassedFile {
    let file = try PassedFile(holding: [])
    for try await piece in content { try file.append(piece) }
    return try file.readOnly()
  }
}
