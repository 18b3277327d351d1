import SessionBase
import SessionMessaging

// The files of a call are passed as open descriptors, so that the receiver can read what it could not find by its path.
// In the call's own text their paths are the numbers of the descriptors.

extension MessengerCall {
  /// The same call with its files opened, and these.
  func passingFiles() throws -> (call: MessengerCall, files: [PassedFile]) {
    var files: [PassedFile] = []
    let call = try mapContents { content in
      switch content {
      case .path(let path): files.append(try PassedFile(reading: path))
      case .bytes(let bytes): files.append(try PassedFile(holding: bytes))
      case .attachment: return content
      }
      return .path("\(files.count - 1)")
    }
    guard files.count <= MessengerCall.maxFiles else {
      throw MessengerError(.notAllowed, "a message has up to \(MessengerCall.maxFiles) files")
    }
    return (call, files)
  }

  /// The same call with the paths of files that came with it.
  func receiving(_ files: [PassedFile]) throws -> MessengerCall {
    try mapContents { content in
      switch content {
      case .attachment: return content
      case .bytes: throw RPCError.invalidParams("files are passed as descriptors")
      case .path(let number):
        guard let index = Int(number), files.indices.contains(index) else {
          throw RPCError.invalidParams("there is no descriptor \(number.prefix(16))")
        }
        guard files[index].isReadable else {
          throw RPCError.invalidParams("descriptor \(index) is no file that you can read")
        }
        return .path(files[index].path)
      }
    }
  }

  /// The most descriptors that go with one line.
  private static let maxFiles = 32
}
