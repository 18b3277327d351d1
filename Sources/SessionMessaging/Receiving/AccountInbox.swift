import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// Where what the poller of the own swarm finds goes: configs first, then messages in pieces.
///
/// What a node gave is remembered in the transaction that keeps what was made of it: a program that ends in between asks
/// for it again.
final class AccountInbox: SwarmInbox {
  /// The namespaces to poll, in the order of processing.
  static let namespaces = ConfigKind.ofAccount.compactMap(\.namespace) + [.messages]
  /// How many messages are kept in one transaction.
  static let pieceSize = 100
  /// The interval at which configs are extended in the swarm, in milliseconds.
  static let extensionInterval: Int64 = 24 * 3_600_000
  /// How long anything of a swarm is remembered at most, whatever a node says, in milliseconds.
  static let longestMemory: Int64 = 31 * 24 * 3_600_000
  /// How much of what one node gave of one namespace is remembered, the newest of it.
  static let longestTrail = 1000

  /// What expires sooner, in milliseconds, is not what to go on behind: the node may not have it any more.
  static let leastLife: Int64 = 10_000

  private let context: AccountContext
  private let author: ConfigAuthor
  private let typists: Typists
  private let intake: IntakeBoard
  private let cursors = MailboxCursors()
  private let lastExtension = Mutex<Extension?>(nil)

  private struct Extension {
    let at: Int64
    let hashes: [String]
    let until: Int64
  }

  init(
    _ context: AccountContext, _ author: ConfigAuthor, _ typists: Typists, _ intake: IntakeBoard
  ) {
    self.context = context
    self.author = author
    self.typists = typists
    self.intake = intake
  }

  func nextPoll(at node: String) async throws -> SwarmPoll {
    let now = try context.time()
    let swarm = context.own.address
    let positions = try await context.database.read { [cursors] transaction in
      try Self.namespaces.map { namespace in
        let last = try transaction.lastHash(
          from: node, of: swarm, namespace: Int(namespace.rawValue), at: now.stored + Self.leastLife)
        return SwarmPoll.Position(
          namespace, after: last, part: cursors.begin(at: node, namespace, after: last))
      }
    }
    return SwarmPoll(as: author.signer, positions, extending: try await nextExtension(at: now))
  }

  func take(_ harvest: SwarmHarvest) async throws -> SwarmGain {
    intake.change { intake in
      if case .success(let crop) = harvest.crops[.messages] { intake.given += crop.messages.count }
      intake.hasMore = harvest.hasMore
    }
    let readings = try await readings(of: harvest)
    let restarted = Set(readings.filter(\.value.isRestarted).keys)
    var gain = try await takeConfigs(harvest, restarted)
    let newConfigs = gain.moved
    if case .success(let crop) = harvest.crops[.messages] {
      try await take(crop.messages, from: harvest.node, isRestarted: restarted.contains(.messages), &gain)
    }
    try await stepBack(restarted, at: harvest.node, &gain)
    for (namespace, reading) in readings where !reading.isRestarted {
      let isNew = namespace == .messages ? gain.hasNew : newConfigs.contains(namespace)
      cursors.advance(
        at: harvest.node, namespace, to: reading.last, isNewHere: reading.isNewHere, isNew: isNew)
    }
    try await judgeExtension(harvest.extended)
    gain.failure = harvest.failure
    return gain
  }
}

// MARK: - Where to go on

extension AccountInbox {
  /// What the answer of a node says of where it begins.
  private struct Reading {
    let last: String?
    /// True if the node had given none of it before.
    var isNewHere = true
    /// True if it begins before the message that it should come behind: the node does not have that any more.
    var isRestarted = false
  }

  private func readings(of harvest: SwarmHarvest) async throws -> [StorageNamespace: Reading] {
    let (swarm, node, cursors) = (context.own.address, harvest.node, cursors)
    return try await context.database.read { transaction in
      var readings: [StorageNamespace: Reading] = [:]
      for (namespace, crop) in harvest.crops {
        guard let crop = try? crop.get(), !crop.messages.isEmpty else { continue }
        let (number, cursor) = (Int(namespace.rawValue), cursors.cursor(at: node, namespace))
        var places: [Int64] = []
        for message in crop.messages {
          let place = try transaction.position(of: message.hash, from: node, of: swarm, namespace: number)
          if let place { places.append(place) }
        }
        var reading = Reading(last: crop.messages.last?.hash, isNewHere: places.isEmpty)
        // An answer that is complete says itself what the order is.
        if crop.hasMore, !cursor.isFresh, let first = places.min(), let hash = cursor.asked {
          let asked = try transaction.position(of: hash, from: node, of: swarm, namespace: number)
          reading.isRestarted = first < asked ?? .min
        }
        readings[namespace] = reading
      }
      return readings
    }
  }

  /// Has a node asked for what is behind an older message, and where there is none, for everything.
  private func stepBack(
    _ namespaces: Set<StorageNamespace>, at node: String, _ gain: inout SwarmGain
  ) async throws {
    guard !namespaces.isEmpty else { return }
    let steps = namespaces.map { (Int($0.rawValue), cursors.stepBack(at: node, $0)) }
    try await context.write { [context] transaction, now in
      let swarm = context.own.address
      for (namespace, count) in steps {
        try transaction.stepBack(count, from: node, of: swarm, namespace: namespace)
        let last = try transaction.lastHash(from: node, of: swarm, namespace: namespace, at: now.stored)
        if last == nil { try transaction.forgetHashes(from: node, of: swarm, namespace: namespace) }
      }
    }
    gain.moved.formUnion(namespaces)
    gain.isSteppingBack = true
  }
}

// MARK: - Keeping configs alive

extension AccountInbox {
  private func nextExtension(at now: MessageTime) async throws -> SwarmPoll.Extension? {
    let last = lastExtension.withLock { $0?.at ?? .min }
    guard now.stored >= last.saturatingAdd(Self.extensionInterval) || now.stored < last else { return nil }
    let hashes = try await context.queue.run { [context, author] in
      try author.configs.activeHashes(in: context.own, at: now)
    }
    guard !hashes.isEmpty else { return nil }
    let until = try MessageTime(
      milliseconds: now.milliseconds + UInt64(ConfigSync.lifetimeInSwarm.milliseconds))
    lastExtension.withLock { $0 = Extension(at: now.stored, hashes: hashes, until: until.stored) }
    return SwarmPoll.Extension(hashes, until: until)
  }

  /// Stores configs again that no node of the swarm has; retries if no node replied.
  private func judgeExtension(_ extended: Set<String>?) async throws {
    guard let asked = lastExtension.withLock({ $0 }), !asked.hashes.isEmpty else { return }
    guard let extended else {
      lastExtension.withLock { $0 = nil }
      return
    }
    lastExtension.withLock { $0 = Extension(at: asked.at, hashes: [], until: asked.until) }
    let kept = extended.intersection(asked.hashes)
    try await context.write { [context] transaction, _ in
      for hash in kept { try transaction.setExpiry(asked.until, of: hash, in: context.own.address) }
    }
    let lost = asked.hashes.prefix(SwarmPoll.maxExtended).filter { !extended.contains($0) }
    guard !lost.isEmpty else { return }
    context.environment.log("\(lost.count) config messages are missing from the swarm")
    try await context.write { [context] transaction, _ in
      try transaction.enqueue(ConfigRestoring(owner: context.own), at: context.jobTime)
    }
  }
}

// MARK: - Configs

extension AccountInbox {
  private func takeConfigs(
    _ harvest: SwarmHarvest, _ restarted: Set<StorageNamespace>
  ) async throws -> SwarmGain {
    var crops: [(StorageNamespace, [SwarmMessage])] = []
    for namespace in Self.namespaces where ConfigKind(namespace) != nil {
      guard case .success(let crop) = harvest.crops[namespace] else { continue }
      crops.append((namespace, crop.messages))
    }
    let found = crops
    guard isWorthMerging(found) else {
      if author.owesSettling.withLock({ $0 }) {
        try await context.queue.run { [author] in try author.settle(after: []) }
      }
      return SwarmGain()
    }
    return try await context.queue.run { [self] in
      try merge(found, from: harvest.node, restarted: restarted)
    }
  }

  /// An empty answer says something only of a config whose dump was damaged: that there is nothing to mend it with.
  private func isWorthMerging(_ crops: [(StorageNamespace, [SwarmMessage])]) -> Bool {
    crops.contains { !$0.1.isEmpty } || !author.configs.damaged.isEmpty
  }

  private func merge(
    _ crops: [(StorageNamespace, [SwarmMessage])], from node: String, restarted: Set<StorageNamespace>
  ) throws -> SwarmGain {
    let now = try context.time()
    let damaged = Set(author.configs.damaged.keys.map(\.kind))
    var poll = ConfigPoll(of: context.own)
    var times: [ConfigName: Int64] = [:]
    for (namespace, messages) in crops {
      guard let kind = ConfigKind(namespace), !messages.isEmpty || damaged.contains(kind) else { continue }
      poll.add(
        messages.map { ConfigMessage(hash: $0.hash, stored: $0.data, storedAt: $0.storedAt) }, from: namespace
      )
      // Nothing is newer than now, whatever a clock said.
      if let newest = messages.map(\.storedAt.stored).max() {
        times[ConfigName(kind, of: context.own)] = min(newest, now.stored)
      }
    }
    var gain = SwarmGain()
    let merged = try author.configs.merge(poll, at: now) { outcome in
      gain = try context.database.write { transaction in
        var gain = SwarmGain()
        try author.keep(outcome.outcome, storedAt: times, in: transaction, at: now)
        // What was superseded when it came has no push of its own to be deleted with.
        try author.requestSync(of: context.own, after: ConfigSync.tidying, in: transaction)
        for (namespace, messages) in crops where !restarted.contains(namespace) {
          // What could not be merged is retrieved again.
          guard let kind = ConfigKind(namespace), outcome.failures[ConfigName(kind, of: context.own)] == nil
          else { continue }
          try remember(messages, from: node, in: namespace, &gain, transaction, at: now)
        }
        gain.hasNew = !gain.moved.isEmpty
        return gain
      }
    }
    try author.settle(after: merged.outcome.changes)
    return gain
  }

  /// Stores the cursor of a node.
  private func remember(
    _ messages: [SwarmMessage], from node: String, in namespace: StorageNamespace, _ gain: inout SwarmGain,
    _ transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    let (swarm, number) = (context.own.address, Int(namespace.rawValue))
    let before = try transaction.lastHash(from: node, of: swarm, namespace: number, at: now.stored)
    for message in messages {
      try transaction.insertLast(
        ReceivedHash(
          message.hash, from: node, of: swarm, namespace: number,
          expiresAt: min(message.expiresAt.stored, now.stored + Self.longestMemory)))
    }
    try transaction.trimHashes(from: node, of: swarm, namespace: number, keeping: Self.longestTrail)
    let after = try transaction.lastHash(from: node, of: swarm, namespace: number, at: now.stored)
    if after != before { gain.moved.insert(namespace) }
  }
}

// MARK: - Messages

extension AccountInbox {
  private func take(
    _ messages: [SwarmMessage], from node: String, isRestarted: Bool, _ gain: inout SwarmGain
  ) async throws {
    var isLeft = messages.count
    // What failed is given again.
    defer { intake.change { [isLeft] in $0.given -= isLeft } }
    for start in stride(from: 0, to: messages.count, by: Self.pieceSize) {
      try Task.checkCancellation()
      let piece = Array(messages[start..<min(start + Self.pieceSize, messages.count)])
      let arrivals = await open(try await withoutSeen(piece)).asSent()
      let before = gain
      gain = try await context.queue.run { [self] in
        try keep(arrivals, of: isRestarted ? [] : piece, from: node, adding: before)
      }
      isLeft -= piece.count
      intake.change { $0.taken += piece.count }
    }
  }

  private func withoutSeen(_ messages: [SwarmMessage]) async throws -> [SwarmMessage] {
    let swarm = context.own.address
    return try await context.database.read { transaction in
      try messages.filter { try !transaction.hasSeen($0.hash, in: swarm) }
    }
  }

  /// Opens messages on several threads, and gives them back in their order.
  private func open(_ messages: [SwarmMessage]) async -> [Arrival] {
    let size = 25
    return await withTaskGroup(of: (Int, [Arrival]).self) { [account = context.account] group in
      for start in stride(from: 0, to: messages.count, by: size) {
        group.addTask {
          let part = messages[start..<min(start + size, messages.count)]
          return (start, part.map { Arrival($0, for: account) })
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
  }

  private func keep(
    _ arrivals: [Arrival], of piece: [SwarmMessage], from node: String, adding gain: SwarmGain
  ) throws -> SwarmGain {
    // A message that names a person only changes what the configs say of them already.
    try author.editNow { configs, now in
      let people = Set(arrivals.compactMap { $0.conversation?.account }).subtracting([context.own])
      let configTime = author.time(of: ConfigName(.contacts, of: context.own))
      let deletions = try context.database.read { transaction in
        try Deletions(of: people, in: configs, configTime: configTime, transaction)
      }
      try ArrivalFacts(arrivals, own: context.own, now: now).apply(to: &configs, deletions)
      return deletions
    } writing: { deletions, transaction, now in
      var gain = gain
      gain.hasNew = gain.hasNew || !arrivals.isEmpty
      let receiver = MessageReceiver(context: context, typists: typists, now: now, deletions: deletions)
      for arrival in arrivals {
        let verdict = try receiver.receive(arrival, in: transaction)
        if verdict == .kept, !gain.hasProven {
          gain.hasProven = try transaction.isFromSomebodyKnown(arrival, own: context.own)
        }
      }
      // Of what cannot be opened, which anybody may make, only the place where it ends is remembered.
      let junk = Set(arrivals.lazy.filter { $0.received == nil }.map(\.hash))
      let kept = piece.filter { !junk.contains($0.hash) || $0.hash == piece.last?.hash }
      try remember(kept, from: node, in: .messages, &gain, transaction, at: now)
      return gain
    }
  }
}

extension Reading where Self: ~Copyable {
  /// True if a message to read comes from ourselves or an accepted contact: only they can make one.
  fileprivate func isFromSomebodyKnown(_ arrival: Arrival, own: SessionID) throws -> Bool {
    guard let received = arrival.received, case .visible = received.message.content else { return false }
    return try received.sender == own || contact(received.sender.address)?.isApproved == true
  }
}

extension Int64 {
  func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }
}
