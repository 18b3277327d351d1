import Glibc

/// The folders of this user that the program keeps things in, by the rules of the XDG base directories.
public struct StorageRoots: Hashable, Sendable {
  /// Data that must not be lost: databases, attachments.
  public var data: String
  /// Data that would be missed: locks, logs, the state of the network.
  public var state: String
  /// Data that can be recreated.
  public var cache: String
  /// Files that the user writes.
  public var config: String

  /// The name of the program's own folder in each.
  public static let program = "session"

  public init(data: String, state: String, cache: String, config: String) {
    self.data = data
    self.state = state
    self.cache = cache
    self.config = config
  }

  /// All of them inside of one folder: for tests, and for keeping everything on one disk.
  public init(inside folder: String) {
    self.init(
      data: "\(folder)/data", state: "\(folder)/state", cache: "\(folder)/cache", config: "\(folder)/config")
  }

  /// The folders from the environment. Throws `cannotOpen` if it has no home.
  public init(environment: [String: String]) throws(StorageError) {
    func root(_ variable: String, _ usual: String) throws(StorageError) -> String {
      // The rules say that a path which is not absolute is to be ignored.
      if let path = environment[variable], path.hasPrefix("/") { return "\(path)/\(Self.program)" }
      guard let home = environment["HOME"], home.hasPrefix("/") else {
        throw StorageError(
          .cannotOpen, "no folder for data: set HOME, or \(variable), to an absolute path")
      }
      return "\(home)/\(usual)/\(Self.program)"
    }
    data = try root("XDG_DATA_HOME", ".local/share")
    state = try root("XDG_STATE_HOME", ".local/state")
    cache = try root("XDG_CACHE_HOME", ".cache")
    config = try root("XDG_CONFIG_HOME", ".config")
  }
}
