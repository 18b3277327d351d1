import Foundation
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionServers
import SessionService
import SessionStorage
import Synchronization
import Testing

/// People whose devices reach each other through a real network on this machine.
final class Town: Sendable {
  let net: Devnet
  private let path: String
  private let residents = Mutex<[(Messenger, Network)]>([])
  private let schedule: PollSchedule

  /// Devices poll once per `interval`, even if a node notifies them of new messages.
  init(nodes: Int, swarms: Int, servers: [DevnetServerKind], interval: Duration) async throws {
    var schedule = PollSchedule()
    schedule.interval = interval
    schedule.intervalWhileNotified = interval
    self.schedule = schedule
    path = FileManager.default.temporaryDirectory.appending(path: "town-\(UUID().uuidString)").path
    var options = Devnet.Options(folder: path + "/net")
    options.nodes = nodes
    options.swarms = swarms
    options.servers = servers
    // The machine may be slow; who is dead shows without that.
    options.node.handshakeTimeout = .seconds(8)
    options.node.memberTimeout = .seconds(60)
    options.node.slowMemberTimeout = .seconds(60)
    net = try await Devnet.start(options)
  }

  private func environment() async throws -> (MessengerEnvironment, Network) {
    let network = try Network(Network.Options(net.file))
    try await network.start()
    let servers = NetworkServers(network)
    let files = try FileClient(of: net.file, through: servers)
    let environment = MessengerEnvironment(
      swarms: NetworkSwarms(network), files: files, communities: CommunityClient(through: servers),
      schedule: schedule)
    return (environment, network)
  }

  /// Returns the path of a new folder for a device.
  func freshFolder() -> String { "\(path)/\(UUID().uuidString)" }

  /// Somebody who asks the file server alone.
  func withFileClient(_ body: (FileClient) async throws -> Void) async throws {
    try await withNetwork { network in
      let client = try FileClient(of: net.file, through: NetworkServers(network))
      try await body(try #require(client))
    }
  }

  /// Somebody who asks swarms alone.
  func withSwarms(_ body: (NetworkSwarms) async throws -> Void) async throws {
    try await withNetwork { network in try await body(NetworkSwarms(network)) }
  }

  /// Has an account say something to another one that no program of ours would.
  func put(_ content: MessageContent, by sender: Account, to recipient: SessionID) async throws {
    let now = try MessageTime(milliseconds: UInt64(Date.now.timeIntervalSince1970 * 1000))
    try await put(sender.encode(try Message(content, sentAt: now), for: .contact(recipient)), to: recipient)
  }

  /// Stores bytes for an account, as anybody can.
  func put(_ bytes: some Sequence<UInt8>, to recipient: SessionID) async throws {
    let item = SwarmItem(Array(bytes), for: .seconds(3600))
    try await withNetwork { network in
      try await NetworkSwarms(network).perform([.store(item)], in: recipient, as: nil).check()
    }
  }

  private func withNetwork(_ body: (Network) async throws -> Void) async throws {
    let network = try Network(Network.Options(net.file))
    try await network.start()
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(network)) } catch { outcome = .failure(error) }
    await network.stop()
    try outcome.get()
  }

  /// A device of an account, which is new on it.
  func device(of account: Account, name: String? = nil, in path: String? = nil) async throws -> Messenger {
    let folder = try AccountFolder("account", in: StorageRoots(inside: path ?? freshFolder()))
    return try await device(of: account, name: name, at: folder)
  }

  func device(of account: Account, name: String? = nil, at folder: AccountFolder) async throws -> Messenger {
    let (environment, network) = try await environment()
    let messenger = try await Messenger.create(account, name: name, in: folder, environment)
    return try await start(messenger, network)
  }

  /// A device that was there before.
  func open(_ path: String) async throws -> Messenger {
    let (environment, network) = try await environment()
    let folder = try AccountFolder("account", in: StorageRoots(inside: path))
    return try await start(try await Messenger.open(folder, environment), network)
  }

  /// Reads a device that does not run.
  func look<R>(into path: String, _ body: (Messenger) async throws -> R) async throws -> R {
    let folder = try AccountFolder("account", in: StorageRoots(inside: path))
    let messenger = try await Messenger.open(
      folder, for: .reading, MessengerEnvironment(swarms: UnreachableSwarms()))
    let outcome: Result<R, any Error>
    do { outcome = .success(try await body(messenger)) } catch { outcome = .failure(error) }
    await messenger.stop()
    return try outcome.get()
  }

  private func start(_ messenger: Messenger, _ network: Network) async throws -> Messenger {
    try await messenger.start()
    residents.withLock { $0.append((messenger, network)) }
    return messenger
  }

  /// Ends a device.
  func stop(_ messenger: Messenger) async {
    let leaving = residents.withLock { residents -> [(Messenger, Network)] in
      let leaving = residents.filter { $0.0 === messenger }
      residents.removeAll { $0.0 === messenger }
      return leaving
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
  nodes: Int = 12, swarms: Int = 1, servers: [DevnetServerKind] = [.fileServer],
  interval: Duration = .milliseconds(300), _ body: (Town) async throws -> Void
) async throws {
  let town = try await Town(nodes: nodes, swarms: swarms, servers: servers, interval: interval)
  do { try await body(town) } catch {
    await town.stop()
    throw error
  }
  await town.stop()
}
