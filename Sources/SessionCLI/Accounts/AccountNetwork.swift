import SessionBase
import SessionCore
import SessionNetworking
import SessionService
import SessionStorage

/// The network that an account is in.
enum AccountNetwork: Sendable {
  case main
  case test
  /// The private network that runs on this machine for this user.
  case devnet
  /// The network of a network file.
  case file(String)

  static let keys = [
    ConfigKey(name: "network", kind: .text, summary: "main, test, devnet, or the path of a network file")
  ]

  /// Parses the text of a setting or option: a word, or the path of a network file, relative to a folder.
  init(_ text: String, folder: String?) {
    switch text {
    case "main": self = .main
    case "test": self = .test
    case "devnet": self = .devnet
    default:
      let isAbsolute = text.hasPrefix("/")
      self = .file(isAbsolute ? text : (folder.map { $0 + "/" } ?? "") + text)
    }
  }

  private static func nearestWord(to path: String) -> String? {
    guard let name = path.split(separator: "/").last else { return nil }
    return nearestName(to: String(name), among: ["main", "test", "devnet"])
  }

  /// The text in an account's settings.
  var text: String {
    switch self {
    case .main: "main"
    case .test: "test"
    case .devnet: "devnet"
    case .file(let path): path
    }
  }

  /// The name of the network in an archive: `main`, `test`, or the key of its operator. Reads its file.
  func archiveName(io: CommandIO) throws -> String {
    switch self {
    case .main: "main"
    case .test: "test"
    case .devnet, .file: try reach(io: io).file?.operatorKey.hex ?? text
    }
  }

  /// The addresses and servers of the network. Reads its file.
  func reach(io: CommandIO) throws -> Reach {
    switch self {
    case .main: return Reach(options: Network.Options(.main), file: nil)
    case .test:
      throw CommandFailure(
        status: .configuration, message: "this program knows no seeds of the test network",
        advice: "Give a network file with seeds: --network FILE.")
    case .devnet: return try reach(by: DevnetPlace.networkFile(io.environment), io)
    case .file(let path): return try reach(by: path, io)
    }
  }

  /// The addresses and servers of a network.
  struct Reach: Sendable {
    var options: Network.Options
    /// The file that lists its nodes and servers, where there is one.
    let file: NetworkFile?

    /// True for a private network, in which there are no official apps: its file lists none of the main network's seeds.
    var isPrivate: Bool {
      let known = Set(Network.Kind.main.seeds.map(\.key))
      guard let file, options.kind == .private else { return false }
      return !file.nodes.contains { known.contains($0.key) }
    }

    /// Keeps the guards where all accounts of this user find them, and where no cleared cache costs them.
    mutating func keepGuards(in roots: StorageRoots) throws {
      let folder = "\(roots.state)/networks/\(try file?.identifier ?? "main")"
      try PrivateFolder.prepare(folder)
      options.stateFolder = folder
    }

    /// The folder of the list of nodes, if all accounts in the network share it.
    func cacheFolder(in roots: StorageRoots) throws -> String {
      let folder = "\(roots.cache)/networks/\(try file?.identifier ?? "main")"
      try PrivateFolder.prepare(folder)
      return folder
    }

    /// The server whose rooms are offered to everybody; nil if the network has none.
    func defaultCommunity() throws(SessionError) -> CommunityServer? {
      guard let file else { return .official }
      return try file.services[CommunityServer.role].map { (service) throws(SessionError) in
        try CommunityServer(service)
      }
    }

    /// Uploads and downloads files; nil if the network has no file server.
    func files(through service: any ServerService) throws(SessionError) -> FileClient? {
      guard let file else {
        return FileServer.official.map { FileClient(through: service, FileServers($0)) }
      }
      return try FileClient(of: file, through: service)
    }
  }

  private func reach(by path: String, _ io: CommandIO) throws -> Reach {
    guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw CommandFailure.usage(
        "the path of the network file contains a control character: "
          + DisplayText.line(path), advice: "Give the file another name.")
    }
    do throws(SessionError) {
      let file = try NetworkFile(parsing: try io.read(path, InputLimits.networkFile))
      return Reach(options: Network.Options(file), file: file)
    } catch {
      var failure = CommandFailure(error, subject: path)
      if case .devnet = self, error.code == .fileUnreadable {
        failure = CommandFailure(
          status: .unavailable, message: "no private network runs on this machine",
          advice: "run: session devnet up")
      } else if error.code == .fileUnreadable, let word = Self.nearestWord(to: path) {
        failure.advice = "Did you mean '\(word)'? Any other word is the path of a network file."
      }
      throw failure
    }
  }
}
