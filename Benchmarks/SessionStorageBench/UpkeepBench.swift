import CBench
import Glibc
import Measuring
import SessionStorage

/// Measures occasional, slow work: each is done a few times from the same state, and the best time counts.
struct UpkeepBench {
  private static let rounds = 3

  private let account: BenchAccount
  /// The account as a program that was killed has left it.
  private let left: String

  init(_ account: BenchAccount) {
    self.account = account
    left = account.path + ".left"
  }

  func run() throws {
    var options = DatabaseOptions()
    options.checkedSize = .max
    try measure("look at 100000 messages after an unclean end") {
      try leave()
    } timed: {
      try BenchAccount.open(left, options).close()
    }
    options.checkedSize = 0
    try measure("open 100000 messages after an unclean end without that") {
      try leave()
    } timed: {
      try BenchAccount.open(left, options).close()
    }
    for ending in ["", ".change"] { unlink(left + ending) }
    try measure("look at all of 100000 messages") {
    } timed: {
      guard try account.database.integrityCheck().isSound else { fatalError("the account is damaged") }
    }
    try measure("compact 100000 messages") {
    } timed: {
      try account.database.compact()
    }
  }

  /// Copies the account while something of it is in its log alone.
  private func leave() throws {
    try account.database.write { transaction in
      try transaction.set(Setting<Int64>("bench"), to: 1)
    }
    for ending in ["", "-wal"] { copy(account.path + ending, to: left + ending) }
  }

  private func copy(_ path: String, to other: String) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    let target = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard source >= 0, target >= 0 else { fatalError("the account could not be copied") }
    while true {
      let count = sendfile(target, source, nil, 1 << 20)
      guard count >= 0 else { fatalError("the account could not be copied") }
      if count == 0 { break }
    }
    close(source)
    close(target)
  }

  private func measure(
    _ name: String, after preparation: () throws -> Void, timed body: () throws -> Void
  ) throws {
    guard Figure.isWanted("storage/\(name)") else { return }
    var (elapsed, computed) = (Double.infinity, Double.infinity)
    for _ in 0..<Self.rounds {
      try preparation()
      let (began, used) = (bench_seconds(), Self.ownSeconds)
      try body()
      elapsed = min(elapsed, bench_seconds() - began)
      computed = min(computed, Self.ownSeconds - used)
    }
    let size = Self.megabytes(account.path)
    print(
      "storage/\(name): \(Int(computed * 1000)) ms (elapsed \(Int(elapsed * 1000))), a file of \(size) MB; no target"
    )
  }

  private static var ownSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static func megabytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) / 1_000_000 : 0
  }
}
