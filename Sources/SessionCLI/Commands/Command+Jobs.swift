import SessionDaemon
import SessionJobs
import SessionMessaging
import SessionStorage

extension Command {
  static let jobsList = Command(
    name: "jobs list",
    summary: "list pending and failed jobs",
    discussion: """
      Work for the network, such as sending a message, is stored as a job and retried until it succeeds, also after the
      program was restarted. A job waits for its next attempt, for other jobs or for the network. It has failed when it is
      no longer retried, and is set aside if this version of the program cannot read it.
      """,
    options: [.init(name: "failed", summary: "list only failed jobs"), .account, .json],
    examples: [
      .init(line: "session jobs list --failed --json | jq -r .failure", summary: "print why jobs failed")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let (shown, conversations) = try await invocation.reading(io) { messenger in
      let jobs = try await messenger.jobs().jobs
      let shown = invocation.has("failed") ? jobs.filter { $0.state == .failed } : jobs
      return (shown, try await messenger.conversations(of: shown))
    }
    guard !invocation.has("json") else {
      return CommandOutput(lines: shown.map { job in job.json(in: conversations[job.id]) })
    }
    guard !shown.isEmpty else {
      return CommandOutput(notes: [
        invocation.has("failed") ? "Nothing has failed." : "No jobs."
      ])
    }
    return CommandOutput(data: TextTable(head: JobStatus.columns, rows: shown.map(\.row)).parts)
  }

  static let jobsRetry = Command(
    name: "jobs retry",
    summary: "retry a failed or waiting job now",
    arguments: [.init(name: "JOB|all", summary: "the number of a job, or all failed and waiting jobs")],
    options: [.timeout, .account],
    examples: [.init(line: "session jobs retry all", summary: "retry all jobs after fixing the cause")],
    rpc: .method(.manage)
  ) { invocation, io in
    let chosen = try invocation.job()
    return try await invocation.changing(io) { messenger in
      if let chosen {
        try await messenger.retryJob(chosen)
      } else {
        try await messenger.retryStuckJobs()
      }
      return CommandOutput()
    }
  }

  static let jobsCancel = Command(
    name: "jobs cancel",
    summary: "cancel a job, or forget a failed one",
    discussion: """
      If the job was to send a message, the message has failed; 'session resend' sends it. Jobs that the program creates
      itself, such as synchronising contacts, cannot be cancelled.
      """,
    arguments: [.init(name: "JOB", summary: "the number of a job")],
    options: [.account],
    examples: [.init(line: "session jobs cancel 12", summary: "cancel sending a message")],
    rpc: .method(.manage)
  ) { invocation, io in
    guard let id = try invocation.job() else { throw invocation.misuse("give the number of one job") }
    try await invocation.editing(io) { messenger in try await messenger.cancelJob(id) }
    return CommandOutput()
  }
}

extension Messenger {
  /// Tries what failed, or rests after a failure; what ended meanwhile needs that no more.
  fileprivate func retryStuckJobs() async throws {
    for job in try await jobs().jobs where job.state == .failed || job.failures > 0 {
      do {
        try await retryJob(job.id)
      } catch let error as MessengerError {
        guard error.code == .noJob else { throw error }
      }
    }
  }
}

extension Invocation {
  /// The job that the argument means; nil for all.
  fileprivate func job() throws(CommandFailure) -> JobRecord.ID? {
    guard arguments[0] != "all" else { return nil }
    guard let number = Int64(arguments[0]), number > 0 else {
      throw misuse("'\(arguments[0])' is not the number of a job; 'session jobs list' shows them")
    }
    return JobRecord.ID(rawValue: number)
  }
}
