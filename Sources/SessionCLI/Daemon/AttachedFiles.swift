import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

/// The files of a call that are not given by a path alone. In the words of the command line others stand for them.
struct AttachedFiles: Sendable {
  private(set) var files: [String: OutgoingFile] = [:]
  /// Files of the folders that clients may name, by their paths; open for as long as this exists.
  private var open: [String: PassedFile] = [:]
  /// Files that were uploaded, by their ids: one that is sent several times is read once.
  private var uploaded: [String: (name: String, bytes: [UInt8])] = [:]

  /// The most bytes of a file in a line.
  static let maxData = 512 << 10

  private static let sources = ["fd", "path", "data", "file"]
  private static let members = sources + ["name", "caption", "content_type", "voice"]

  /// The parameters of a call with words in the places of files, and these.
  static func taken(
    from call: RPCCall, _ clientFiles: ClientFiles
  ) async throws -> (params: JSONValue, attached: AttachedFiles) {
    var attached = AttachedFiles()
    guard case .object(let members) = call.params, let value = call.params["attach"] else {
      return (call.params, attached)
    }
    do {
      let words = try await attached.take(value, of: call, clientFiles)
      return (.object(members.map { $0.name == "attach" ? .init("attach", words) : $0 }), attached)
    } catch let error as RPCError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RPCError(failureOf: error)
    }
  }

  /// Takes the objects of a parameter, and returns it with words in their places.
  private mutating func take(
    _ value: JSONValue, of call: RPCCall, _ clientFiles: ClientFiles
  ) async throws -> JSONValue {
    switch value {
    case .object:
      // No path looks like that: paths begin with /.
      let word = "file:\(files.count)"
      files[word] = try await file(value, call, clientFiles)
      return .string(word)
    case .array(let elements):
      // Before any of them is read: together they may be larger than memory.
      guard elements.count <= VisibleMessage.maxAttachments else {
        throw RPCError.wrongParameter("attach", "an array of up to \(VisibleMessage.maxAttachments) files")
      }
      var words: [JSONValue] = []
      for element in elements {
        try Task.checkCancellation()
        if case .array = element { throw RPCError.wrongParameter("attach", "an array of files") }
        words.append(try await take(element, of: call, clientFiles))
      }
      return .array(words)
    default: return value
    }
  }

  private mutating func file(
    _ value: JSONValue, _ call: RPCCall, _ clientFiles: ClientFiles
  ) async throws -> OutgoingFile {
    let members = try MethodArguments(value, known: Self.members)
    guard Self.sources.count(where: { members[$0] != nil }) == 1 else {
      throw RPCError.wrongParameter("attach", "a file with one of \(Self.sources.joined(separator: ", "))")
    }
    var file: OutgoingFile
    if let number = try members.number("fd", 0...31) {
      file = OutgoingFile(.path(try call.file(Int(number))))
    } else if let path = try members.text("path") {
      guard path.hasPrefix("/") else { throw RPCError.wrongParameter("path", "a path that begins with /") }
      if call.access.scopes.contains(.admin) {
        file = try OutgoingFile(existing: path)
      } else {
        let passed = try open[path] ?? clientFiles.folders.open(path)
        open[path] = passed
        file = OutgoingFile(.path(passed.path), name: path)
      }
    } else if let id = try members.text("file") {
      let content: (name: String, bytes: [UInt8])
      if let known = uploaded[id] {
        content = known
      } else {
        content = try await clientFiles.uploads.file(id)
        uploaded[id] = content
      }
      file = OutgoingFile(.bytes(content.bytes), name: content.name)
    } else {
      file = OutgoingFile(.bytes(try Self.bytes(try members.requiredText("data"))))
    }
    if let name = try members.text("name") { file.name = name }
    file.caption = try members.text("caption")
    file.contentType = try members.text("content_type")
    if members["voice"] != nil { file.isVoiceMessage = try members.requiredBoolean("voice") }
    return file
  }

  private static func bytes(_ text: String) throws(RPCError) -> [UInt8] {
    // Base64 is longer by a third.
    guard text.utf8.count <= maxData / 3 * 4 + 4, let bytes = try? [UInt8](base64: text.utf8),
      bytes.count <= maxData
    else {
      throw .wrongParameter(
        "data",
        "base64 of up to \(maxData) bytes; larger files are passed as descriptors, or sent with file.begin")
    }
    return bytes
  }
}
