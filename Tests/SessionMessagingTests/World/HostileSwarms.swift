import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

/// A swarm of several members, of whom some are hostile. The honest ones all store what the swarms of a world
/// store, and so do all members of other swarms.
final class HostileSwarms: SwarmService {
  /// How a hostile member answers polls.
  enum Conduct: CaseIterable, Sendable {
    /// It gives only some of the messages, and those in their order.
    case hides
    /// It gives all messages, and none of the configs.
    case hidesConfigs
    /// It gives what it had when it became hostile, again and again.
    case servesOldMail
    /// It has nothing.
    case isEmpty
  }

  let members: [[UInt8]]
  private let account: SessionID
  private let conducts: [[UInt8]: Conduct]
  private let honest: MemorySwarms
  private let since: Int64
  private let polls = Mutex<[[UInt8]]>([])
  /// The number of polls before the first change.
  private let firstChange = Mutex<Int?>(nil)

  /// A swarm of an account whose members have these conducts, nil for honest ones.
  init(of account: SessionID, _ conducts: [Conduct?], instead honest: MemorySwarms, since: Int64) {
    self.account = account
    self.honest = honest
    self.since = since
    members = conducts.indices.map { [UInt8](repeating: UInt8($0 + 1), count: 32) }
    self.conducts = Dictionary(
      uniqueKeysWithValues: zip(members, conducts).compactMap { member, conduct in
        conduct.map { (member, $0) }
      })
  }

  /// The members polled, in their order.
  var polled: [[UInt8]] { polls.withLock { $0 } }

  /// The members polled before the first change of the swarm.
  var polledBeforeChange: Set<[UInt8]> {
    let polled = polled
    return Set(polled.prefix(firstChange.withLock { $0 } ?? polled.count))
  }

  var time: MessageTime? { honest.time }
  var reachability: AsyncStream<Bool> { honest.reachability }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    swarm == account ? members : try await honest.nodes(of: swarm)
  }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    guard poll.signer.account == account else { return try await honest.poll(poll, at: node) }
    polls.withLock { $0.append(node) }
    guard let conduct = conducts[node] else { return try await honest.poll(poll, at: node) }
    let positions =
      conduct == .servesOldMail
      ? poll.positions.map { SwarmPoll.Position($0.namespace, after: nil) } : poll.positions
    let reply = try await honest.poll(SwarmPoll(as: poll.signer, positions), at: node)
    var pages: [StorageNamespace: Result<SwarmReply.Page, NetworkFailure>] = [:]
    for (namespace, page) in reply.pages {
      pages[namespace] = page.map { page in
        SwarmReply.Page(conduct.given(page.messages, in: namespace, since: since))
      }
    }
    return SwarmReply(node: node.hex, pages, extended: poll.extending.map { _ in [] })
  }

  func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] {
    try await honest.published(namespaces, of: account, at: node)
  }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    if swarm == account {
      let count = polled.count
      firstChange.withLock { $0 = $0 ?? count }
    }
    return try await honest.perform(steps, in: swarm, as: signer, atOnce: atOnce)
  }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries {
    try await honest.shorten(hashes, to: expiry, as: signer)
  }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    try await honest.expiries(of: hashes, as: signer)
  }
}

extension HostileSwarms.Conduct {
  /// What is given of the messages of a namespace.
  fileprivate func given(
    _ all: [SwarmMessage], in namespace: StorageNamespace, since: Int64
  ) -> [SwarmMessage] {
    switch self {
    case .hides: all.filter { $0.hash.utf8.reduce(0) { $0 &+ Int($1) } % 2 == 0 }
    case .hidesConfigs: namespace == .messages ? all : []
    case .servesOldMail: all.filter { Int64($0.storedAt.milliseconds) <= since }
    case .isEmpty: []
    }
  }
}
