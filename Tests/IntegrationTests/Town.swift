import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionServers
import SessionStorage
import Synchronization
import Testing

/// People whose devices reach each other through a real network on this machine.
final class Town: Sendable {
  let net: Devnet
  private let path: String
  private let residents = Mutex<[(Messenger, Network)]>([])

  init(nodes: Int, swarms: Int, servers: [DevnetServerKind]) async throws {
    path = FileManager.default.temporaryDirectory.appending(path: "town-\(UUID().uuidString)").path
    var options = Devnet.Options(folder: path + "/net")
    options.nodes = nodes
    options.swarms = swarms
    options.servers = servers
    // The machine may be slow; who is dead shows without that.
    options.node.handshakeTimeout = .seconds(8)
    options.node.memberTimeout = .seconds(60)
    net = try await Devnet.start(options)
  }

  private func dependencies() async throws -> (Dependencies, Network) {
    let network = try Network(Network.Options(net.file))
    try await network.start()
    var schedule = PollSchedule()
    schedule.rest = .milliseconds(300)
    let files = try FileClient(of: net.file, through: NetworkServers(network))
    return (Dependencies(swarms: NetworkSwarms(network), files: files, schedule: schedule), network)
  }

  /// A device of an account, which is new on it.
  func device(of account: Account, name: String? = nil) async throws -> Messenger {
    try await device(of: account, name: name, in: try folder())
  }

  /// Somebody who asks the file server alone.
  func withFileClient(_ body: (FileClient) async throws -> Void) async throws {
    let network = try Network(Network.Options(net.file))
    try await network.start()
    let outcome: Result<Void, any Error>
    do {
      let client = try FileClient(of: net.file, through: NetworkServers(network))
      outcome = .success(try await body(try #require(client)))
    } catch {
      outcome = .failure(error)
    }
    await network.stop()
    try outcome.get()
  }

  /// A folder of an account to be.
  func folder() throws -> AccountFolder {
    try AccountFolder("account", in: StorageRoots(inside: "\(path)/\(UUID().uuidString)"))
  }

  /// The same in a folder; nil for the account that is there.
  func device(of account: Account?, name: String? = nil, in folder: AccountFolder) async throws -> Messenger {
    let (dependencies, network) = try await dependencies()
    let messenger =
      if let account {
        try await Messenger.create(account, name: name, in: folder, dependencies)
      } else {
        try await Messenger.open(folder, dependencies)
      }
    try await messenger.start()
    residents.withLock { $0.append((messenger, network)) }
    return messenger
  }

  /// Ends a device at once, whatever it is doing.
  func stop(_ messenger: Messenger) async {
    let leaving = residents.withLock { residents in
      defer { residents.removeAll { $0.0 === messenger } }
      return residents.filter { $0.0 === messenger }
    }
    for (messenger, network) in leaving {
      await messenger.stop(finishingWithin: .zero)
      await network.stop()
    }
  }

  func stop() async {
    for (messenger, network) in residents.withLock({ $0 }) {
      await messenger.stop(finishingWithin: .zero)
      await network.stop()
    }
    await net.stop()
    try? FileManager.default.removeItem(atPath: path)
  }
}

func withTown(
  nodes: Int = 6, swarms: Int = 1, servers: [DevnetServerKind] = [.fileServer],
  _ body: (Town) async throws -> Void
) async throws {
  let town = try await Town(nodes: nodes, swarms: swarms, servers: servers)
  do { try await body(town) } catch {
    await town.stop()
    throw error
  }
  await town.stop()
}

extension Messenger {
  /// Returns what a closure finds, as soon as it finds something: it looks when anything has happened.
  func when<R>(_ find: (Messenger) async throws -> R?) async throws -> R {
    if let found = try await find(self) { return found }
    for try await _ in events(for: "when-\(UUID().uuidString)") {
      if let found = try await find(self) { return found }
    }
    throw Gone()
  }

  /// The newest message of a conversation with a text, once it is there.
  func message(_ body: String, in conversation: SessionID) async throws -> MessageView {
    try await when { device in
      guard try await device.conversation(conversation) != nil else { return nil }
      return try await device.messages(in: conversation).first { $0.body == body }
    }
  }

  struct Gone: Error {}
}
