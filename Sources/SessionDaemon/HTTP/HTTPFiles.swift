import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// Files that come and go as the content of requests and responses.
struct HTTPFiles: Sendable {
  let host: ServingHost
  let access: RPCAccess

  /// Takes the body of a request, which is the content of a file. Returns the response.
  func take(
    _ head: HTTPHead, _ reader: inout HTTPReader, beginning begin: () async throws -> Void
  ) async throws -> HTTPReply {
    do throws(RPCError) { try access.require(.send, for: "this") } catch { throw HTTPRefusal(error) }
    guard let uploads = host.uploads else { throw HTTPRefusal(404) }
    guard let length = head.bodyLength else { throw HTTPRefusal(411) }
    guard length <= uploads.maxSize else { throw HTTPRefusal(413) }
    let name = try head.parameters(["name"])["name"] ?? ""
    guard !name.isEmpty, name.utf8.count <= RPCMethod.maxName else {
      throw HTTPRefusal(400, .invalidParams("\"name\" has up to \(RPCMethod.maxName) bytes"))
    }
    // It belongs to this request alone until it is whole.
    let token = UploadOwner()
    let owner = ObjectIdentifier(token)
    defer { withExtendedLifetime(token) {} }
    do {
      return try await RPCMethod.translated {
        let id = try await uploads.begin(name, size: length, of: owner, countedFor: access.owner)
        try await begin()
        var place = 0
        try await reader.body(length) { piece in
          try await uploads.add(piece, at: place, to: id, of: owner)
          place += piece.count
        }
        let (file, size) = try await uploads.end(id, hash: nil, of: owner)
        return .json(200, RPCMethod.uploaded(file, size))
      }
    } catch {
      await uploads.dropAll(of: owner)
      if let error = error as? RPCError { throw HTTPRefusal(error) }
      throw error
    }
  }

  private final class UploadOwner: Sendable {}

  /// Writes the content of a file of a message. Throws a refusal while nothing was written.
  func send(
    _ message: Int64, _ number: Int, _ head: HTTPHead, _ sharing: [HTTPHead.Field], to socket: StreamSocket
  ) async throws {
    let account = try head.parameters(["account"])["account"]
    let file: AttachmentView
    var pieces: FileContent.AsyncIterator
    let first: [UInt8]?
    do {
      let accounts = access.permitted(host.accounts)
      let found = try await withinTime(Self.patience) { try await accounts.messenger(named: account) }
      guard let messenger = found else {
        throw RPCError(75, "busy", "the account is being opened, or another program works on it")
      }
      let files = try await messenger.message(MessageView.ID(rawValue: message))?.attachments ?? []
      guard files.indices.contains(number - 1) else { throw HTTPRefusal(404) }
      file = files[number - 1]
      pieces = try await messenger.content(of: file.id).makeAsyncIterator()
      // What cannot be read is known before the head is written.
      first = try await pieces.next()
    } catch let error as RPCError {
      throw HTTPRefusal(error)
    } catch let error as MessengerError {
      throw HTTPRefusal(404, RPCError(65, "file-unavailable", error.message))
    } catch let error as SessionError {
      throw HTTPRefusal(404, RPCError(65, "file-unavailable", error.message))
    } catch let error as FileError {
      throw HTTPRefusal(404, RPCError(65, "file-unavailable", error.message))
    } catch let error as StorageError {
      throw HTTPRefusal(503, RPCError(75, "busy", error.message))
    }
    let fields: [HTTPHead.Field] = [
      .init(name: "Content-Type", value: Self.type(file.contentType)),
      .init(name: "Content-Length", value: "\(file.size)"),
      .init(name: "Content-Disposition", value: "attachment"),
      .init(name: "Content-Security-Policy", value: "sandbox"),
      .init(name: "Connection", value: "close"),
    ]
    try await write(HTTPReply.head(200, fields + sharing), to: socket)
    // A response that ends too early has fewer bytes than its length says.
    var next = first
    while let piece = next {
      try await write(piece, to: socket)
      next = try await pieces.next()
    }
  }

  /// How long a request waits for an account that is being opened.
  private static let patience = Duration.seconds(5)

  /// A type that a sender chose, if it is one.
  private static func type(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122: true
      default: "/+-._".utf8.contains(byte)
      }
    }
    return isPlain && text.contains("/") ? text : "application/octet-stream"
  }

  private func write(_ bytes: [UInt8], to socket: StreamSocket) async throws {
    let isWritten: Void? = try await withinTime(RPCLimits.writeTimeout) { try await socket.write(bytes) }
    if isWritten == nil { throw CancellationError() }
  }
}

extension HTTPHead {
  /// The values of the query. Throws a refusal for other names than these, and for one that is given twice.
  func parameters(_ known: [String]) throws(HTTPRefusal) -> [String: String] {
    var values: [String: String] = [:]
    for field in query {
      guard known.contains(field.name), values[field.name] == nil else {
        throw HTTPRefusal(400, .invalidParams("\"\(field.name.prefix(64))\" is unknown, or given twice"))
      }
      values[field.name] = field.value
    }
    return values
  }
}
