import Glibc
import Measuring
public import SessionNode
import SessionStorage

/// A home with accounts of a network in this process.
public struct Household: Sendable {
  public let net: Devnet
  public let session: Program
  private let home: String
  private let roots: StorageRoots

  public init(_ folder: String) throws {
    net = try finish {
      let options = Devnet.Options(folder: folder + "/net")
      return try await Devnet.start(options)
    }
    home = folder + "/home"
    mkdir(home, 0o700)
    var session = Program.session
    session.environment = ["HOME=\(home)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"]
    self.session = session
    roots = try StorageRoots(environment: ["HOME": home])
  }

  /// Makes an account whose messages go as by official apps: the figures are those of earlier versions.
  public func account(_ name: String) {
    session.run(["account", "new", name, "--network", net.networkFile, "--no-forward-secrecy"])
  }

  /// Where the daemon of this home listens.
  public var socket: String { home + "/.local/state/session/run/daemon.sock" }

  /// The person of a conversation of ``fill(_:conversations:messages:)``, from 1.
  public static func person(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "05" + String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }

  /// Fills an account with so many messages in each of so many conversations.
  public func fill(_ name: String, conversations: Int, messages: Int) throws {
    let folder = try AccountFolder(name, in: roots)
    let key = try DatabaseKeys(path: folder.key).load()
    let database = try Database.open(folder.database, key: key, schema: .account)
    defer { try? database.close() }
    for conversation in 0..<conversations {
      let person = Self.person(conversation + 1)
      try database.write(.relaxed) { transaction in
        let thread = try transaction.obtainThread(at: person, .contact, createdAt: 1)
        for message in 0..<messages {
          let time = 1_700_000_000_000 + Int64(message * conversations + conversation)
          try transaction.insert(
            InteractionRecord(
              in: thread.id, by: person, .incoming, body: "message \(message)", sentAt: time,
              receivedAt: time,
              state: .received))
        }
      }
    }
  }

  /// Gives an account so many events, whose readers were not there.
  public func fillEvents(_ name: String, count: Int) throws {
    let folder = try AccountFolder(name, in: roots)
    let database = try Database.open(
      folder.database, key: DatabaseKeys(path: folder.key).load(), schema: .account)
    defer { try? database.close() }
    try database.write(.relaxed) { transaction in
      for number in 0..<count { try transaction.appendEvent("profileChanged", at: Int64(number)) }
    }
  }

  public func stop() throws { try finish { [net] in await net.stop() } }
}
