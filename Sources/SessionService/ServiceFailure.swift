/// Why a server cannot do something, apart from what it tells its clients.
public enum ServiceFailure: Error, Hashable, Sendable {
  /// Too much waits to be written.
  case overloaded
  /// What was asked of a server of this machine makes no sense, or could not be done.
  case request(String)
  /// Another server has this folder.
  case folderInUse(String)
  /// A folder that is of no use, in words.
  case folder(String)
  /// What a server knows of its files is damaged, as these words say.
  case damagedFiles(String)
  /// No server of this folder runs.
  case notRunning(String)
  /// What a server was to listen for, and why it cannot.
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
