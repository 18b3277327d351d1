/// The failure of a server, apart from its replies to clients.
public enum ServiceFailure: Error, Hashable, Sendable {
  /// Too much waits to be written.
  case overloaded
  /// A command to a server on this machine was invalid or failed.
  case request(String)
  /// Another server has this folder.
  case folderInUse(String)
  /// A folder that is of no use, in words.
  case folder(String)
  /// The database of files is damaged; with a description.
  case damagedFiles(String)
  /// No server of this folder runs.
  case notRunning(String)
  /// The service that a server could not listen for, and the reason.
  case listening(String, String)
}

extension ServiceFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .overloaded: "too many writes are queued"
    case .request(let what): what
    case .folderInUse(let folder): "another process uses \(folder)"
    case .folder(let why), .damagedFiles(let why): why
    case .notRunning(let folder): "nothing runs in \(folder)"
    case .listening(let what, let why): "\(what): \(why)"
    }
  }
}
