import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionStorage
import Synchronization
import Testing

/// People whose devices reach each other through a real network on this machine.
final class Town: Sendable {
  let net: Devnet
  private let path: String
  private let residents = Mutex<[(Messenger, Network)]>([])

  init(nodes: Int = 6, swarms: Int = 1) async throws {
    path = FileManager.default.temporaryDirectory.appending(path: "town-\(UUID().uuidString)").path
    var options = Devnet.Options(folder: path + "/net")
    options.nodes = nodes
    options.swarms = swarms
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
    return (Dependencies(swarms: NetworkSwarms(network), schedule: schedule), network)
  }

  /// A device of an account, which is new on it.
  func device(of account: Account, name: String? = nil) async throws -> Messenger {
    let (dependencies, network) = try await dependencies()
    let folder = try AccountFolder("account", in: StorageRoots(inside: "\(path)/\(UUID().uuidString)"))
    let messenger = try await Messenger.create(account, name: name, in: folder, dependencies)
    try await messenger.start()
    residents.withLock { $0.append((messenger, network)) }
    return messenger
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
  nodes: Int = 6, swarms: Int = 1, _ body: (Town) async throws -> Void
) async throws {
  let town = try await Town(nodes: nodes, swarms: swarms)
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
