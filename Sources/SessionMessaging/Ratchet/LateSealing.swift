import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Sends a message to one device that there was no session with when its recipient's other devices got it, as soon as one
/// can be started.
struct LateSealing: JobKind {
  static let kind = "lateSealing"
  static let queue = BundleFetching.queue
  static let conditions: JobConditions = [.network, .accountActive]
  static let timesAreDelays = true
  /// How long that is tried, in milliseconds, and how often.
  static let longestWait: Int64 = 14 * 24 * 3_600_000
  static let interval = Duration.seconds(1800)

  let person: SessionID
  let device: Int64
  /// The bytes of the message, in base64.
  let content: String
  let sentAt: Int64
  let milliseconds: Int64
  /// The row of the message, if it has one: it is not sent any more once that is deleted.
  var interaction: Int64?

  init(
    _ message: Message, to device: RatchetDeviceRecord, of person: SessionID, sentAt: Int64,
    for lifetime: Duration
  )
    throws
  {
    self.person = person
    self.device = device.id.rawValue
    content = try message.bytes().base64
    self.sentAt = sentAt
    milliseconds = lifetime.milliseconds
  }
}

extension Ratchet {
  func makeLateSealing() -> JobHandler {
    JobHandler(LateSealing.self) { [self] late, job in
      guard jobTime - late.sentAt < LateSealing.longestWait else {
        throw JobFailure(.permanent, "no keys of one of this person's devices could be fetched")
      }
      // Our own slots are read every hour anyway.
      if late.person != own { _ = try await lookUp(late.person) }
      let isOver = try await job.write { [self] transaction in try seal(late, in: transaction) }
      guard isOver else { throw JobDeferral(for: LateSealing.interval) }
      return .done
    }
  }

  /// Seals a message for the device that lacks it. False if that is not possible yet.
  private func seal(_ late: LateSealing, in transaction: borrowing WriteTransaction) throws -> Bool {
    guard let device = try transaction.ratchetDevice(RatchetDeviceRecord.ID(rawValue: late.device)),
      device.status != .removed, !device.isWithdrawn, try transaction.forwardSecrecy() != .off
    else { return true }
    let row = try late.interaction.map { id in
      try transaction.interaction(InteractionRecord.ID(rawValue: id))
    }
    if case .some(.none) = row { return true }
    if case .some(.some(let row)) = row, row.isDeleted { return true }
    let record =
      try transaction.ratchetAccount(late.person.address) ?? RatchetAccountRecord(late.person.address)
    let mayGetIt =
      try late.person == own
      ? device.status == .accepted
      : !receivers(of: late.person, among: [device], record, in: transaction).isEmpty
    guard mayGetIt else { return false }
    let hash = try send(
      RatchetBody(content: [UInt8](base64: late.content.utf8)), to: [device], late.person, isContent: true,
      for: .milliseconds(late.milliseconds), in: transaction)
    guard let hash else { return false }
    if case .some(.some(let row)) = row, late.person != own {
      try transaction.put(RatchetSentRecord(hash, to: late.person.address, row.id, at: late.sentAt))
    }
    return true
  }
}

extension WriteTransaction {
  /// Has a message sent to devices that lack it.
  func request(_ late: [LateSealing], of row: InteractionRecord.ID? = nil, at now: Int64) throws {
    for var job in late {
      job.interaction = row?.rawValue
      try enqueue(job, JobRequest(), at: now)
    }
  }
}
