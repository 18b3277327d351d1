import SessionCore
public import SessionJobs
public import SessionNetworking
import SessionStorage

/// Stores a message in a swarm, or posts it to a room. A message to a person was sealed when it was written; a message to
/// a group or room is sealed or signed when it is delivered.
///
/// Storing the same bytes twice, after a crash, is harmless: a swarm stores them once.
struct Delivery: JobKind {
  enum Role: String, Codable {
    /// A message of a conversation, whose state follows the job.
    case message
    /// A copy of a message, for our other devices.
    case copy
    /// A message without a row here.
    case notice
  }

  static let kind = "delivery"
  /// Payloads of version 1 are always sealed.
  static let version = 2
  static let queue = JobQueue("delivery", concurrency: 32)
  static let conditions: JobConditions = [.network, .accountActive]

  let swarm: SessionID
  /// Stored in order. Empty if the message is sealed when it is delivered.
  let items: [SealedItem]
  let role: Role
  /// The row id of the message.
  var interaction: Int64?
  /// The copy for our other devices, sent once this is done.
  var copy: SealedItem?
  /// True for a notice that must not overtake the messages sent before it, such as a reaction. Messages and copies
  /// always keep their order.
  var keepsOrder: Bool?
  /// True if its message was dated by this machine's clock, before the network's time was known.
  var isTimeUncertain: Bool?
  /// The message, if it is sealed when it is delivered.
  var unsealed: UnsealedMessage?
  /// True if it failed before, and may have arrived anyway.
  var isResent: Bool?
  /// When its bytes must not be stored any more, because devices may have erased the keys that open them; nil for never.
  var notAfter: Int64?
  /// When its sender was shown the latest change of the recipient.
  var identityShownAt: Int64?
  /// The least protection that its sender requires; nil for any.
  var requiredLevel: SecurityLevel?
  /// True for a notice that a person sends, which is refused like a message if the recipient has changed.
  var isDeliberate: Bool?
  /// The row id of the message that a notice is about, or of the note that tells of it.
  var about: Int64?
  /// True for a message that only informs about a change which is stored elsewhere: it is given up early.
  var isAnnouncement: Bool?

  private enum CodingKeys: String, CodingKey {
    case swarm
    /// As earlier versions stored them.
    case items = "parcels"
    case role, interaction, copy, keepsOrder, isTimeUncertain, unsealed, isResent, notAfter,
      identityShownAt, requiredLevel, isDeliberate, about, isAnnouncement
  }

  var conversation: Conversation.ID { unsealed?.conversation ?? .person(swarm) }
  var uniqueKey: String? { interaction.flatMap { role == .notice ? nil : Self.key(role, $0) } }
  var interactionID: InteractionRecord.ID? { interaction.map { InteractionRecord.ID(rawValue: $0) } }
  var partition: String? { role != .notice || keepsOrder == true ? conversation.address : nil }

  /// How often an announcement is tried.
  static let announcementAttempts = 3

  static func key(_ role: Role, _ interaction: Int64) -> String { "\(role.rawValue):\(interaction)" }

  static func decode(_ payload: [UInt8], version: Int) throws -> Delivery {
    let delivery = try JobPayload.decode(Delivery.self, from: payload)
    // Messages to groups, rooms and blinded ids are sealed when they are delivered, and those that wait for keys of a
    // person.
    switch delivery.unsealed?.conversation {
    case nil, .room?: return delivery
    case .person(let id)? where id.isBlinded || id == delivery.swarm: return delivery
    case .group(let group)? where group == delivery.swarm: return delivery
    case let other?:
      throw JobError(.unreadable, "this program cannot deliver messages to \(other)")
    }
  }
}

/// An item as stored in a job.
struct SealedItem: Codable, Hashable, Sendable {
  /// The sealed bytes, in base64.
  let data: String
  let namespace: Int16
  let milliseconds: Int64

  init(_ item: SwarmItem) {
    data = item.data.base64
    namespace = item.namespace.rawValue
    milliseconds = Int64(item.lifetime / .milliseconds(1))
  }

  func item() throws -> SwarmItem {
    SwarmItem(
      try [UInt8](base64: data.utf8), in: StorageNamespace(rawValue: namespace),
      for: .milliseconds(milliseconds))
  }
}

extension NetworkFailure: JobFailing {
  public var verdict: JobVerdict { isWorthRepeating ? .retry(after: retryDelay) : .permanent }
}

extension Outbox {
  func makeDelivery() -> JobHandler {
    JobHandler(Delivery.self) { [self] delivery, end, transaction in
      try undelivered(delivery, end, in: transaction)
    } run: { [self] delivery, context in
      try await requireMessage(of: delivery)
      do {
        return try await deliver(try await redated(delivery, context), context)
      } catch let error as any JobFailing
        where delivery.isAnnouncement == true && context.failures + 1 >= Delivery.announcementAttempts
      {
        throw JobFailure(.permanent, "\(error)")
      }
    }
  }

  /// Stores a delivery and, in the same request, the ones that wait only for it. After a failure it is sent alone, so
  /// that a refused follower cannot block it.
  func deliver(_ delivery: Delivery, _ context: JobContext) async throws -> JobResult {
    try await keepPlace(of: delivery, context.id)
    if let unsealed = delivery.unsealed { return try await deliver(unsealed, of: delivery, context) }
    if let notAfter = delivery.notAfter, jobTime >= notAfter {
      return try await deliver(sealedAnew: delivery, context)
    }
    let followers = context.failures == 0 ? try await followers(of: delivery, context.id) : []
    let all = try ([delivery] + followers.map(\.delivery)).map { delivery in
      (delivery: delivery, items: try delivery.items.map { item in try item.item() })
    }
    if !followers.isEmpty {
      // From here on they may have been stored, whatever the result of the request.
      try await context.write { transaction in
        for follower in followers { try transaction.countAttempt(follower.id) }
      }
    }
    var results: ArraySlice<SwarmStepResult>
    do throws(NetworkFailure) {
      results = try await environment.swarms.perform(
        all.flatMap(\.items).map(SwarmStep.store), in: delivery.swarm, as: nil,
        atOnce: delivery.role == .message)[...]
    } catch {
      guard followers.isEmpty else { throw JobFailure(.retry(), "\(error)") }
      throw error
    }
    let shares = all.map { _, items in
      defer { results = results.dropFirst(items.count) }
      return results.prefix(items.count)
    }
    try shares[0].check()
    let now = try time()
    var receipts: [Receipt] = []
    for (sent, results) in zip(all, shares) {
      guard results.count == sent.items.count, results.allSatisfy(\.isDone),
        let item = sent.items.last, let result = results.last
      else { break }
      receipts.append(try Receipt(for: item, in: delivery.swarm, result, at: now))
    }
    guard let receipt = receipts.first else {
      throw JobFailure(.retry(), "the node did not answer the whole request")
    }
    return .done { [self, receipts] transaction in
      try take(receipt, for: delivery, in: transaction)
      for (follower, receipt) in zip(followers, receipts.dropFirst())
      where try transaction.complete(follower.id, at: jobTime) {
        try take(receipt, for: follower.delivery, in: transaction)
      }
    }
  }

  /// Defers a delivery while an older one to the same swarm waits: the job between them may have ended first.
  private func keepPlace(of delivery: Delivery, _ id: JobRecord.ID) async throws {
    guard let partition = delivery.partition else { return }
    let oldest = try await database.read { transaction in
      try transaction.nextJob(after: JobRecord.ID(rawValue: 0), in: partition)
    }
    guard let oldest, oldest.id < id else { return }
    throw JobDeferral(for: .zero, after: [.end(oldest.id)])
  }

  /// A delivery that waits for another one to the same swarm.
  private struct Follower: Sendable {
    let id: JobRecord.ID
    let delivery: Delivery
  }

  /// The most items, and bytes of them, in one request.
  private static let maxItems = 10
  private static let maxBytes = 400_000

  /// The deliveries that come next and wait only for this one.
  private func followers(of first: Delivery, _ id: JobRecord.ID) async throws -> [Follower] {
    guard let partition = first.partition else { return [] }
    return try await database.read { [jobTime] transaction in
      var followers: [Follower] = []
      var (last, items) = (id, first.items)
      while let next = try transaction.nextJob(after: last, in: partition), next.kind == Delivery.kind,
        next.state == .waiting, next.failures == 0, next.notBefore == 0
      {
        guard try transaction.waits(of: next.id).map(\.dependency) == [.end(last)] else { break }
        // A delivery dated by this machine's clock may need a new date first.
        guard let delivery = try? Delivery.decode(next.payload, version: next.version),
          delivery.isTimeUncertain != true, delivery.unsealed == nil,
          delivery.notAfter.map({ jobTime < $0 }) ?? true
        else { break }
        items += delivery.items
        guard items.count <= Self.maxItems,
          items.reduce(0, { $0 + $1.data.utf8.count }) <= Self.maxBytes
        else { break }
        followers.append(Follower(id: next.id, delivery: delivery))
        last = next.id
      }
      return followers
    }
  }

  /// Throws if the message was deleted in the meantime, with its conversation.
  private func requireMessage(of delivery: Delivery) async throws {
    guard delivery.role != .notice, let id = delivery.interactionID else { return }
    let isThere = try await database.read { transaction in try transaction.interaction(id) != nil }
    guard isThere else { throw JobFailure(.permanent, "its message was deleted") }
  }

  private func undelivered(
    _ delivery: Delivery, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    guard delivery.role != .notice, let id = delivery.interactionID,
      let message = try transaction.interaction(id)
    else { return }
    try fail(message, as: delivery.role == .copy ? .failedToSync : .failed, end.reason, in: transaction)
  }

  /// Records why a message could not be sent, or not to our other devices.
  func fail(
    _ message: InteractionRecord, as state: InteractionRecord.State = .failed, _ reason: String,
    in transaction: borrowing WriteTransaction
  ) throws {
    var message = message
    message.state = state
    message.failure = reason
    try transaction.update(message)
    try transaction.tell(.messageFailed, message, at: try time())
  }
}

extension InteractionRecord {
  /// When the message disappears, once its timer runs.
  var disappearsAt: Int64? { expiryStartedAt.map { $0 + expiry.seconds * 1000 } }

  /// True once its timer has run out, even if it was not deleted yet.
  func isOver(at now: MessageTime) -> Bool { disappearsAt.map { $0 <= now.stored } ?? false }
}

extension WriteTransaction {
  /// Requests a delivery. It waits for earlier deliveries to the same swarm that keep their order.
  @discardableResult
  func request(_ delivery: Delivery, in thread: ThreadRecord.ID? = nil, at now: Int64) throws -> JobRecord.ID
  {
    var request = JobRequest()
    request.thread = thread
    request.interaction = delivery.interactionID
    request.dependencies = try predecessor(of: delivery.partition)
    return try enqueue(delivery, request, at: now)
  }

  /// The job that a new one must wait for to keep the order of its partition.
  func predecessor(of partition: String?) throws -> [JobDependency] {
    guard let last = try partition.flatMap({ partition in try newestJob(in: partition) }) else { return [] }
    return [.end(last)]
  }

  func requestCopy(
    of message: InteractionRecord, _ copy: SealedItem, to own: SessionID, at now: Int64
  ) throws {
    let delivery = Delivery(
      swarm: own, items: [copy], role: .copy, interaction: message.id.rawValue, copy: nil)
    try request(delivery, in: message.threadID, at: now)
  }
}
