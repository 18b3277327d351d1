import Foundation
import SessionBase
import SessionCore
import SessionEndpoint
import SessionNode
import SessionNodeCore

/// An account that stores messages one after the other, and reads them back from members of its swarm.
///
/// It remembers of each member up to where it has read there, as clients do, and what it found.
actor TrialUser {
  private struct Unanswered: Error {}

  private let keys: NodeKeys
  private let account: [UInt8]
  private let swarm: [NodeRecord]
  private let messages: Int
  private let endpoint: NetworkEndpoint
  private var random: TrialRandom
  /// The messages that the swarm keeps for the user, and those that it must not keep any more.
  private var kept: Set<String> = []
  private var gone: Set<String> = []
  private var cursors: [[UInt8]: String] = [:]
  private var found: [[UInt8]: Set<String>] = [:]
  private var report = SwarmTrial.Report()

  init(number: Int, messages: Int, seed: UInt64, _ file: NetworkFile) throws {
    var random = TrialRandom(seed: seed)
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    self.random = random
    keys = try NodeKeys(seed: SecretBytes(copying: bytes))
    account = [0x05] + keys.exchangeKey
    let home = SwarmSpace(file.nodes.map(\.swarm)).swarm(of: account)
    swarm = file.nodes.filter { $0.swarm == home }
    self.messages = messages
    var options = NetworkEndpoint.Options()
    options.handshakeTimeout = .seconds(5)
    options.requestTimeout = .seconds(60)
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
  }

  /// Runs its workload while nodes die.
  func act(_ progress: Progress) async {
    for _ in 0..<messages {
      await storeOne()
      // Some are deleted again, at another member perhaps.
      if random.below(16) == 0, let hash = kept.randomElement(using: &random) { await delete(hash) }
      progress.advance()
    }
  }

  private func storeOne() async {
    let data = (0..<random.below(400) + 16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let hash = StoredMessage.hash(of: data, account: account, namespace: 2)
    let reply = await insist("store") { time in
      ("store2\(time)", ["namespace": 2, "timestamp": time, "ttl": 86_400_000, "data": data.base64])
    }
    let havers = succeeded(in: reply)
    guard havers.contains(where: { $0.value["hash"] as? String == hash }) else {
      return fault("a message was acknowledged under another name")
    }
    kept.insert(hash)
    report.stored += 1
    // Each live node that claims to have the message returns it.
    guard let reader = swarm.filter({ havers[$0.key.hex] != nil }).randomElement(using: &random) else {
      return
    }
    do {
      try await read(at: reader)
    } catch {
      report.unanswered += 1
      return
    }
    if found[reader.key]?.contains(hash) != true { fault("a member does not have what it acknowledged") }
  }

  private func delete(_ hash: String) async {
    let reply = await insist("delete") { _ in ("delete" + hash, ["messages": [hash]]) }
    guard !succeeded(in: reply).isEmpty else { return fault("no node deleted a message") }
    kept.remove(hash)
    gone.insert(hash)
    report.deleted += 1
  }

  /// Reads on at a member.
  private func read(at node: NodeRecord) async throws {
    var hasMore = true
    while hasMore {
      let reply = try await call("retrieve", at: node) { time in
        ("retrieve2\(time)", ["namespace": 2, "timestamp": time, "last_hash": self.cursors[node.key] ?? ""])
      }
      let hashes = (reply["messages"] as? [[String: Any]] ?? []).compactMap { $0["hash"] as? String }
      found[node.key, default: []].formUnion(hashes)
      if let last = hashes.last { cursors[node.key] = last }
      hasMore = reply["more"] as? Bool ?? false
    }
  }

  /// Compares what each member has in the end with what it should have.
  func finish() async -> SwarmTrial.Report {
    for node in swarm {
      do {
        try await read(at: node)
        report.read += found[node.key]?.count ?? 0
        let lost = kept.subtracting(found[node.key] ?? []).count
        if lost > 0 { fault("\(lost) acknowledged messages are not at \(node.address), though polled for") }
        let now = try await everything(at: node)
        if !kept.isSubset(of: now) { fault("acknowledged messages are not at \(node.address) any more") }
        let back = gone.intersection(now).count
        if back > 0 { fault("\(back) deleted messages are at \(node.address)") }
      } catch {
        fault("\(node.address) gave no answer in the end: \(error)")
      }
    }
    await endpoint.stop()
    return report
  }

  /// Returns all messages of a member, read from the beginning.
  private func everything(at node: NodeRecord) async throws -> Set<String> {
    cursors[node.key] = nil
    found[node.key] = nil
    try await read(at: node)
    return found[node.key] ?? []
  }

  private func fault(_ words: String) {
    report.faults.append("\(account.hex.prefix(8)): \(words)")
  }
}

// MARK: - Asking

extension TrialUser {
  private typealias Making = (_ time: UInt64) -> (signed: String, parameters: [String: Any])

  /// Asks one member after the other until one answers.
  private func insist(_ method: String, _ make: Making) async -> [String: Any] {
    while true {
      guard let node = swarm.randomElement(using: &random) else { return [:] }
      do {
        return try await call(method, at: node, make)
      } catch {
        report.unanswered += 1
      }
    }
  }

  private func call(_ method: String, at node: NodeRecord, _ make: Making) async throws -> [String: Any] {
    let (signed, parameters) = make(MachineClock.wallMilliseconds)
    var all = parameters
    all["pubkey"] = account.hex
    all["pubkey_ed25519"] = keys.publicKey.hex
    all["signature"] = try keys.sign(signed.utf8).base64
    let body = Array(try JSONSerialization.data(withJSONObject: all))
    let reply = try await endpoint.request(method, body: body, to: node.peer)
    guard let list = try JSONSerialization.jsonObject(with: Data(reply)) as? [Any],
      let answer = list.last as? [String: Any]
    else { throw Unanswered() }
    return answer
  }

  /// The members that did what they were asked, with what they said.
  private func succeeded(in reply: [String: Any]) -> [String: [String: Any]] {
    (reply["swarm"] as? [String: [String: Any]] ?? [:]).filter { $0.value["failed"] == nil }
  }
}
