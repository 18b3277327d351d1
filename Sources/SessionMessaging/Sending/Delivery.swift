import SessionCore
public import SessionJobs
public import SessionNetworking
import SessionStorage

/// Has a swarm keep what was sealed for it.
///
/// What is stored twice, after a crash, is the same bytes, which a swarm keeps once.
struct Delivery: JobKind {
  enum Role: String, Codable {
    /// A message of a conversation, whose state follows.
    case message
    /// The copy of one, for our other devices.
    case copy
    /// Something that leaves no trace here.
    case notice
  }

  static let kind = "delivery"
  static let queue = JobQueue("delivery", concurrency: 32)
  static let conditions: JobConditions = [.network, .accountActive]

  let swarm: SessionID
  /// Stored one after the other.
  let parcels: [SealedParcel]
  let role: Role
  /// The number of the message that it is about.
  var interaction: Int64?
  /// What our other devices are to get once this is done.
  var copy: SealedParcel?

  var uniqueKey: String? { interaction.flatMap { role == .notice ? nil : Self.key(role, $0) } }
  var interactionID: InteractionRecord.ID? { interaction.map { InteractionRecord.ID(rawValue: $0) } }

  static func key(_ role: Role, _ interaction: Int64) -> String { "\(role.rawValue):\(interaction)" }
}

/// A parcel as a job has it.
struct SealedParcel: Codable, Hashable, Sendable {
  /// In base64.
  let data: String
  let namespace: Int16
  let milliseconds: Int64

  init(_ parcel: SwarmParcel) {
    data = parcel.data.base64
    namespace = parcel.namespace.rawValue
    milliseconds = Int64(parcel.lifetime / .milliseconds(1))
  }

  func parcel() throws -> SwarmParcel {
    SwarmParcel(
      try [UInt8](base64: data.utf8), in: StorageNamespace(rawValue: namespace),
      for: .milliseconds(milliseconds))
  }
}

extension NetworkFailure: JobFailing {
  public var verdict: JobVerdict { isWorthRepeating ? .retry(after: rest) : .permanent }
}

extension Engine {
  func makeDelivery() -> JobHandler {
    JobHandler(Delivery.self) { [self] delivery, end, transaction in
      try undelivered(delivery, end, in: transaction)
    } run: { [self] delivery, _ in
      try await requireMessage(of: delivery)
      let parcels = try delivery.parcels.map { try $0.parcel() }
      let changes = try await dependencies.swarms.change(
        delivery.swarm, storing: parcels, deleting: [], as: nil)
      try changes.check()
      return .done { [self] transaction in try delivered(delivery, in: transaction) }
    }
  }

  /// What was deleted meanwhile, with its conversation, is not sent.
  private func requireMessage(of delivery: Delivery) async throws {
    guard delivery.role != .notice, let id = delivery.interactionID else { return }
    let isThere = try await database.read { transaction in try transaction.interaction(id) != nil }
    guard isThere else { throw JobFailure(.permanent, "its message was deleted") }
  }

  private func delivered(_ delivery: Delivery, in transaction: borrowing WriteTransaction) throws {
    guard let id = delivery.interactionID, var message = try transaction.interaction(id) else { return }
    let now = try time()
    switch delivery.role {
    case .notice: return
    case .message:
      message.failure = nil
      if message.expiry.seconds > 0 && message.expiryStartedAt == nil {
        message.expiryStartedAt = message.sentAt
        try requestSweep(for: message, in: transaction, at: now)
      }
      if let copy = delivery.copy {
        message.state = .syncing
        try transaction.requestCopy(of: message, copy, to: own, at: jobTime)
      } else {
        message.state = .sent
      }
      try transaction.update(message)
      try transaction.tell(.messageSent, message, at: now)
    case .copy:
      message.state = .sent
      message.failure = nil
      try transaction.update(message)
    }
  }

  private func undelivered(
    _ delivery: Delivery, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    guard let id = delivery.interactionID, var message = try transaction.interaction(id) else { return }
    switch delivery.role {
    case .notice: return
    case .message: message.state = .failed
    case .copy: message.state = .failedToSync
    }
    message.failure = end.reason
    try transaction.update(message)
    try transaction.tell(.messageFailed, message, at: try time())
  }
}

extension InteractionRecord {
  /// When it disappears, once its timer runs.
  var disappearsAt: Int64? { expiryStartedAt.map { $0 + expiry.seconds * 1000 } }
}

extension WriteTransaction {
  /// Has a delivery made.
  @discardableResult
  func request(_ delivery: Delivery, in thread: ThreadRecord.ID? = nil, at now: Int64) throws -> JobRecord.ID
  {
    var request = JobRequest()
    request.thread = thread
    request.interaction = delivery.interactionID
    return try enqueue(delivery, request, at: now)
  }

  func requestCopy(
    of message: InteractionRecord, _ copy: SealedParcel, to own: SessionID, at now: Int64
  ) throws {
    let delivery = Delivery(
      swarm: own, parcels: [copy], role: .copy, interaction: message.id.rawValue, copy: nil)
    try request(delivery, in: message.threadID, at: now)
  }
}
