import Glibc
import Measuring
import SessionNode
import SessionStorage

/// A home with accounts of a network in this process.
struct Household {
  let net: Devnet
  let session: Program
  private let roots: StorageRoots

  init(_ folder: String) throws {
    net = try finish {
      let options = Devnet.Options(folder: folder + "/net")
      return try await Devnet.start(options)
    }
    let home = folder + "/home"
    mkdir(home, 0o700)
    var session = Program.session
    session.environment = ["HOME=\(home)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"]
    self.session = session
    roots = try StorageRoots(environment: ["HOME": home])
  }

  func account(_ name: String) { session.run(["account", "new", name, "--network", net.networkFile]) }

  /// Fills an account with so many messages in each of so many conversations.
  func fill(_ name: String, conversations: Int, messages: Int) throws {
    let folder = try AccountFolder(name, in: roots)
    let key = try DatabaseKeys(path: folder.key).load()
    let database = try Database.open(folder.database, key: key, schema: .account)
    defer { try? database.close() }
    for conversation in 0..<conversations {
      let number = String(conversation + 1, radix: 16)
      let person = "05" + String(repeating: "0", count: 64 - number.utf8.count) + number
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

  /// Compares the time of sending just after four nodes have died, unknown to the sender, with the time when all nodes
  /// live. Targets: the median is at most 1.3 times as long, the 95th percentile at most three times.
  func measureDeadNodes(from sender: String, to recipient: String) throws {
    func times() -> (half: Double, most: Double) {
      let times = (0..<40).map { _ in
        session.run(["send", recipient, "--account", sender, "--wait", "sent", "Hello"]) * 1e3
      }.sorted()
      return (times.part(0.5), times.part(0.95))
    }
    let usual = times()
    try finish { [net] in for number in [2, 5, 8, 10] { try await net.kill(number) } }
    let slow = times()
    for (name, now, before, most) in [("p50", slow.half, usual.half, 1.3), ("p95", slow.most, usual.most, 3)]
    {
      let ratio = now / before
      print(
        "command/send with dead nodes, 4 of 12: \(name) \(now.rounded(to: 0)) ms, with all of them "
          + "\(before.rounded(to: 0)) ms: \(ratio.rounded(to: 2)) times; target \(most): \(judged(ratio <= most))"
      )
    }
  }

  func stop() throws { try finish { [net] in await net.stop() } }
}
