import Glibc
import SessionBase
import SessionDaemon
import SessionService
import SessionStorage

extension ExtraSocket {
  /// The permissions of a socket.
  private enum Mode: String, CaseIterable {
    case own = "0600"
    case group = "0660"
  }

  static let keys: [ConfigKey] = [
    .init(name: "path", kind: .text, summary: "the path of the socket", isRequired: true),
    .init(
      name: "mode", kind: .choice(Mode.allCases.map(\.rawValue)),
      summary: "who may connect: 0600, your own programs (the default), or 0660, those of the group"),
    .init(name: "group", kind: .text, summary: "the group, by name, for mode 0660; yours by default"),
    .init(
      name: "uids", kind: .texts,
      summary: "the users, by name or number, whom mode 0660 admits; all of the group by default"),
    .init(name: "accounts", kind: .texts, summary: "the accounts that clients may use; all by default"),
    .init(
      name: "scopes", kind: .texts,
      summary:
        "what clients may do, of: \(RPCScope.allCases.map(\.rawValue).joined(separator: ", ")); read and send by default"
    ),
  ]

  /// The sockets that the user has set, each in a file of its own.
  static func all(in roots: StorageRoots, _ io: CommandIO) throws -> [ExtraSocket] {
    let folder = "\(roots.config)/sockets.d"
    let ending = ".toml"
    let sockets = try Folder.names(in: folder).filter { $0.hasSuffix(ending) }.compactMap { name in
      let file = try Configuration.own(
        "\(folder)/\(name)", keys: keys, topic: Topic.daemonConfig.name, io: io)
      return try file.map { try ExtraSocket(String(name.dropLast(ending.count)), $0) }
    }
    for (index, socket) in sockets.enumerated() {
      if let other = sockets[..<index].first(where: { $0.path == socket.path }) {
        throw CommandFailure.data("the sockets \(other.name) and \(socket.name) have the same path")
      }
    }
    return sockets
  }

  private init(_ name: String, _ file: Configuration) throws {
    self.init(name, at: file.file("path") ?? "")
    isForGroup = file.text("mode") == Mode.group.rawValue
    if let group = file.text("group") {
      guard isForGroup else { throw file.mistake("group", "only used together with mode = \"0660\"") }
      guard let number = UserNames.number(ofGroup: group) else {
        throw file.mistake("group", "the name of a group")
      }
      self.group = number
    }
    if let names = file.texts("uids") {
      guard isForGroup else { throw file.mistake("uids", "only used together with mode = \"0660\"") }
      let numbers = names.compactMap { UInt32($0) ?? UserNames.number(ofUser: $0) }
      guard numbers.count == names.count else { throw file.mistake("uids", "names or numbers of users") }
      users = Set(numbers)
    }
    if let names = file.texts("accounts") {
      guard names.allSatisfy(AccountFolder.isName) else {
        throw file.mistake("accounts", "names of accounts, as in [\"alice\", \"bot\"]")
      }
      accounts = Set(names)
    }
    if let names = file.texts("scopes") {
      let scopes = names.compactMap(RPCScope.init)
      guard scopes.count == names.count else {
        throw file.mistake("scopes", "of " + RPCScope.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.scopes = Set(scopes)
    }
  }
}
