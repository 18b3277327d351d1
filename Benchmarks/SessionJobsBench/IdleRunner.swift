import Glibc
import Measuring
import SessionJobs
import SessionStorage

/// Measures the memory and the wake-ups of a runner with many waiting jobs and nothing to do, in a process of its own.
enum IdleRunner {
  /// The argument that selects this process; the path of the database follows.
  static let argument = "--idle-runner"

  private static let count = 100_000
  private static let day: Int64 = 86_400_000
  /// Long enough for threads that nobody needs any more to be gone.
  private static let calming: UInt32 = 12
  private static let watching: UInt32 = 20
  /// By how much two countings of what happens every second may differ.
  private static let slack = 1

  static func prepare(_ path: String) throws {
    let account = try BenchAccount(path)
    let now = SystemClock().now
    try account.database.write { transaction in
      for number in 0..<count {
        var request = JobRequest()
        switch number % 3 {
        case 0: request.notBefore = now + day + Int64(number)
        case 1: request.conditions = .network
        default: request.dependencies = [.event("never")]
        }
        try transaction.enqueue(TrivialJob(), request, at: now)
      }
    }
    try account.database.close()
  }

  static func report(_ path: String) throws {
    let account = try BenchAccount(path)
    _ = try account.database.read { transaction in try transaction.jobCounts() }
    // The runtime of the language looks after its threads once a second, whatever a program does.
    try finish {}
    let floor = wakeUps()
    let opened = OwnProcess.privateKilobytes()
    let runner = try JobRunner(account.database, [JobHandler(TrivialJob.self) { _, _ in .done }])
    try finish { try await runner.start() }
    account.database.releaseMemory()
    // The connection that writes gives its own back in its turn.
    try account.database.write { _ in }
    let kilobytes = OwnProcess.privateKilobytes() - opened
    print(
      "jobs/memory of \(count) waiting jobs: \(kilobytes) KiB, \(kilobytes * 1024 / count) bytes each; no target"
    )
    let before = try finish { await runner.steps + runner.wakeUps }
    let ours = wakeUps()
    let own = try finish { await runner.steps + runner.wakeUps } - before
    let perMinute = 60 / Int(watching)
    print(
      "jobs/idle runner: \(own * perMinute) wake-ups a minute; threads \(ours * perMinute); "
        + "floor \(floor * perMinute) (the program without a runner); "
        + "target 0 more than the floor: \(own == 0 && ours <= floor + slack ? "met" : "MISSED")")
  }

  /// How often all threads but this one were woken within a time.
  private static func wakeUps() -> Int {
    sleep(calming)
    let before = switches()
    sleep(watching)
    return switches().reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
  }

  /// How often each thread but the one that measures has gone to sleep by itself.
  private static func switches() -> [String: Int] {
    var counts: [String: Int] = [:]
    for thread in OwnProcess.names(in: "/proc/self/task") where thread != "\(getpid())" {
      let lines = OwnProcess.text(of: "/proc/self/task/\(thread)/status").split(separator: "\n")
      let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
      counts[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") }
    }
    return counts
  }
}
