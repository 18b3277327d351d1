import SessionBase
import SessionCore

extension RPCMethod {
  /// The methods by which clients send files in pieces.
  package static func files(_ uploads: Uploads) -> [RPCMethod] {
    [
      RPCMethod("file.begin", needs: .send, takes: ["name", "size"], isMetered: false) { call in
        try await translated {
          try requireLasting(call)
          let arguments = try MethodArguments(call.params, known: ["name", "size"])
          let name = try arguments.requiredText("name")
          guard !name.isEmpty, name.utf8.count <= maxName else {
            throw RPCError.invalidParams("\"name\" has up to \(maxName) bytes")
          }
          let size = try arguments.number("size", 0...1 << 53)
          let owner = ObjectIdentifier(call.connection)
          call.whenClientLeaves("uploads") { await uploads.dropAll(of: owner) }
          let id = try await uploads.begin(
            name, size: size.map { Int($0) }, of: owner, countedFor: call.access.owner)
          let result: JSONValue = ["upload": .string(id), "chunk": .integer(Int64(Uploads.piece))]
          return result.description
        }
      },
      RPCMethod("file.chunk", needs: .send, takes: ["upload", "at", "data"], isMetered: false) { call in
        try await translated {
          try requireLasting(call)
          let arguments = try MethodArguments(call.params, known: ["upload", "at", "data"])
          let place = try arguments.requiredNumber("at", 0...1 << 53)
          guard let bytes = try? [UInt8](base64: arguments.requiredText("data").utf8) else {
            throw RPCError.invalidParams("\"data\" is base64")
          }
          try await uploads.add(
            bytes, at: Int(place), to: arguments.requiredText("upload"), of: ObjectIdentifier(call.connection)
          )
          return "{\"done\":true}"
        }
      },
      RPCMethod("file.end", needs: .send, takes: ["upload", "blake2b"], isMetered: false) { call in
        try await translated {
          try requireLasting(call)
          let arguments = try MethodArguments(call.params, known: ["upload", "blake2b"])
          let hash = try arguments.text("blake2b").map { (text) throws(RPCError) in
            guard let hash = try? [UInt8](hex: text.utf8), hash.count == 32 else {
              throw .invalidParams("\"blake2b\" is 64 hexadecimal digits")
            }
            return hash
          }
          let (file, size) = try await uploads.end(
            arguments.requiredText("upload"), hash: hash, of: ObjectIdentifier(call.connection))
          return uploaded(file, size)
        }
      },
      RPCMethod("file.drop", needs: .send, takes: ["upload", "file"], isMetered: false) { call in
        let arguments = try MethodArguments(call.params, known: ["upload", "file"])
        let ids = try [arguments.text("upload"), arguments.text("file")].compactMap(\.self)
        guard ids.count == 1 else { throw RPCError.invalidParams("give \"upload\" or \"file\"") }
        await uploads.drop(ids[0], of: ObjectIdentifier(call.connection))
        return "{\"done\":true}"
      },
    ]
  }

  /// The uploads of a connection end with it.
  private static func requireLasting(_ call: RPCCall) throws(RPCError) {
    guard !call.isOnLastingConnection else { return }
    throw RPCError(
      -32600, "invalid-request", "pieces of a file need a connection that stays",
      advice: "Send the whole file with POST /v1/files.")
  }

  /// The longest name of a file, in bytes.
  static let maxName = 1000

  /// A file that is there for later calls, as a result.
  static func uploaded(_ file: String, _ size: Int) -> String {
    let result: JSONValue = ["file": .string(file), "size": .integer(Int64(size))]
    return result.description
  }

  /// Gives the failures of the disk their codes.
  static func translated<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let error as FileError {
      throw RPCError(74, error.code == .diskFull ? "disk-full" : "io", error.message)
    }
  }
}
