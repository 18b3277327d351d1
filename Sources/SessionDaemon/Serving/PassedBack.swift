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
  /// Passes the content of a file of a message to the client, as a file in memory that comes with the reply. Returns the place
  /// of its descriptor there.
  package func pass(_ file: AttachmentView.ID, of messenger: Messenger) async throws -> Int {
    guard id != nil, connection.canPassFiles else {
      throw RPCError.wrongParameter("fd", "in a single call over a Unix socket")
    }
    let content = try PassedFile(holding: [])
    for try await piece in try await messenger.content(of: file) { try content.append(piece) }
    return passedBack.add(try content.readOnly())
  }
}
