import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Fetches what the devices of a person have published.
struct BundleFetching: JobKind {
  static let kind = "bundleFetching"
  static let queue = JobQueue("bundles", concurrency: 4)
  static let conditions: JobConditions = [.network, .accountActive]
  static let timesAreDelays = true

  let person: SessionID
  /// When a message came from a program without the protocol, which may mean that they moved to it.
  var foreignAt: Int64?

  var uniqueKey: String? { person.address }

  func merged(with later: BundleFetching) -> BundleFetching {
    BundleFetching(person: person, foreignAt: later.foreignAt ?? foreignAt)
  }
}

/// A bundle as it was found in a slot.
struct PublishedBundle: Sendable {
  let bundle: RatchetBundle
  let bytes: [UInt8]
  let slot: Int
}

extension Ratchet {
  /// The number of nodes to ask where one may have an old copy, or none.
  private static let witnesses = 3

  func makeBundleFetching() -> JobHandler {
    JobHandler(BundleFetching.self) { [self] fetching, job in
      let isOn = try await database.read { transaction in try transaction.forwardSecrecy() != .off }
      guard isOn else { return .done }
      let found = try await fetch(fetching.person)
      let now = try time()
      return .done { [self] transaction in
        try take(found.bundles, of: fetching.person, isComplete: found.isComplete, at: now, in: transaction)
        if let at = fetching.foreignAt {
          try noteForeign(fetching.person, sentAt: at, at: now, in: transaction)
        }
      }
    }
  }

  /// Fetches what the devices of a person have published. `isComplete` is false where only one node said that there is
  /// nothing.
  func fetch(_ person: SessionID) async throws -> (bundles: [PublishedBundle], isComplete: Bool) {
    let bundles = try await readBundles(of: person, askingAll: false)
    let now = jobTime
    let isRecent = bundles.contains { now - Int64(clamping: $0.bundle.signedAtSeconds) * 1000 < Time.usable }
    guard !isRecent else { return (bundles, true) }
    return (try await readBundles(of: person, askingAll: true), true)
  }

  /// Reads the slots of an account at one node, or at several: of each device the highest sequence counts. Throws if fewer
  /// nodes answered than are needed to believe that there is nothing.
  func readBundles(of account: SessionID, askingAll: Bool) async throws -> [PublishedBundle] {
    let swarms = environment.swarms
    let nodes = try await swarms.nodes(of: account)
    var (newest, answers): ([[UInt8]: PublishedBundle], Int) = ([:], 0)
    let wanted = askingAll ? min(Self.witnesses, nodes.count) : 1
    var failure: NetworkFailure?
    for node in nodes.shuffled(by: environment.chance) where answers < wanted {
      let slots: [StorageNamespace: [SwarmMessage]]
      do throws(NetworkFailure) {
        slots = try await swarms.published(StorageNamespace.bundles, of: account, at: node)
      } catch {
        failure = error
        continue
      }
      answers += 1
      for (slot, namespace) in StorageNamespace.bundles.enumerated() {
        for message in (slots[namespace] ?? []).suffix(Self.witnesses) {
          guard
            let bundle = try? RatchetBundle(
              opening: message.data, of: account, atSeconds: time().seconds)
          else { continue }
          if let known = newest[bundle.device], known.bundle.sequence >= bundle.sequence { continue }
          newest[bundle.device] = PublishedBundle(bundle: bundle, bytes: message.data, slot: slot)
        }
      }
    }
    guard answers >= min(wanted, 2), answers > 0 else {
      throw failure ?? NetworkFailure(.transient, "no node of the swarm answered")
    }
    return newest.values.sorted { $0.slot < $1.slot }
  }
}

extension WriteTransaction {
  /// Has the bundles of a person fetched.
  func requestBundles(of person: SessionID, foreignAt: Int64? = nil, at now: Int64, after delay: Int64 = 0)
    throws
  {
    try enqueue(
      BundleFetching(person: person, foreignAt: foreignAt), delay > 0 ? .at(now + delay) : JobRequest(),
      at: now)
  }
}

extension [[UInt8]] {
  /// The nodes, beginning with one that is drawn.
  fileprivate func shuffled(by chance: () -> Double) -> [[UInt8]] {
    guard !isEmpty else { return self }
    let first = Swift.min(Int(chance() * Double(count)), count - 1)
    return Array(self[first...] + self[..<first])
  }
}
