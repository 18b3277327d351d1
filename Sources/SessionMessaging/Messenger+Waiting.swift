import SessionJobs
import SessionStorage

// Waiting for work to be done.

extension Messenger {
  /// Returns when no job can run right now.
  public func waitUntilIdle() async throws { try await runner.waitUntilIdle() }

  /// Returns when a message and its copy for the other own devices are stored, or have failed.
  public nonisolated func waitUntilStored(_ id: MessageView.ID) async throws {
    let keys = [
      (Delivery.kind, Delivery.key(.message, id.rawValue)), (Delivery.kind, Delivery.key(.copy, id.rawValue)),
      (AttachmentSending.kind, AttachmentSending.key(id.record)),
    ]
    let changes = context.database.observations.observe(.jobs)
    while true {
      let isPending = try await context.database.read { transaction in
        try keys.contains { kind, key in try transaction.job(kind, for: key) != nil }
      }
      guard isPending else { return }
      guard await changes.next() != nil else { throw CancellationError() }
    }
  }

  /// Returns when everything left over from earlier runs that can be delivered now is delivered.
  public nonisolated func waitUntilDelivered() async throws {
    try await perform(.account(.waitUntilDelivered))
  }

  nonisolated func waitUntilDeliveredHere() async throws {
    try await wait { [context] jobs in
      let soon = context.jobTime + Self.longestDelay
      return !jobs.contains { job in job.delivers && job.canRun(before: soon) }
    }
  }

  private nonisolated func wait(until isOver: ([JobStatus]) -> Bool) async throws {
    for try await view in runner.views() where isOver(view.jobs) { return }
    throw CancellationError()
  }

  /// The longest delay of work that ``waitUntilSettled()`` waits for.
  private static let longestDelay: Int64 = 5000

  /// Returns when all earlier calls have taken effect in the network, including briefly delayed work. Without a
  /// network it waits until there is one. `report` gets the number of jobs that it waits for, now and after each change.
  public nonisolated func waitUntilSettled(reporting report: (Int) -> Void = { _ in }) async throws {
    try await wait { [context] jobs in
      let soon = context.jobTime + Self.longestDelay
      let left = jobs.count { job in
        switch job.state {
        case .running: true
        case .waiting: (job.next ?? 0) <= soon
        case .failed, .setAside: false
        }
      }
      report(left)
      return left == 0
    }
  }
}

extension JobStatus {
  /// True for jobs that deliver messages and files.
  fileprivate var delivers: Bool {
    [Delivery.kind, AttachmentSending.kind, AttachmentUpload.kind].contains(kind)
  }

  /// True if it is running, or will run soon without waiting for anything else.
  fileprivate func canRun(before time: Int64) -> Bool {
    switch state {
    case .running: true
    case .failed, .setAside: false
    case .waiting(let blockers):
      blockers.allSatisfy { blocker in
        switch blocker {
        case .time(let moment): moment <= time
        case .fullQueue, .fullKind, .partition, .earlierQueues: true
        case .job, .event, .conditions, .pausedQueue: false
        }
      }
    }
  }
}
