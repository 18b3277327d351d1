import Foundation
import Glibc
import Spawning
import StorageLedger
import Testing

@testable import SessionStorage

@Suite struct KillTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Starts the program on the folder of this test, kills it once it has said that so many entries are committed, and
  /// returns the number of the last that it said.
  private func writeAndDie(after count: Int) throws -> Int64 {
    let process = Process()
    let output = Pipe.closedOnExec()
    process.executableURL = Executables.writer
    process.arguments = [place.path]
    process.standardOutput = output
    try process.start()
    var said = Data()
    while said.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      said += more
    }
    Glibc.kill(process.processIdentifier, SIGKILL)
    said += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationReason == .uncaughtSignal)
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.dropLast().last.flatMap { Int64($0) })
  }

  /// The processor time of the calling thread, which the load of the machine does not affect.
  private static var computed: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func nothingIsLostWhenAProcessIsKilled() throws {
    var (longest, slowest) = (Duration.zero, Duration.zero)
    for round in 0..<Soak.kills {
      let said = try writeAndDie(after: 1 + round * 17 % 40)
      let (began, computed) = (ContinuousClock.now, Self.computed)
      let database = try Ledger.open(in: place.path)
      longest = max(longest, .now - began)
      slowest = max(slowest, Self.computed - computed)
      let (last, problems) = try Ledger.check(database)
      #expect(problems == [] && last >= said, "round \(round): \(said) said, \(last) found")
      #expect(try database.integrityCheck().isSound, "round \(round)")
      // One is left as it is, so that the program opens after itself.
      if round % 2 == 0 { try database.close() }
    }
    print("reopened \(Soak.kills) times, in \(longest) at the most, of which \(slowest) were computing")
    #expect(slowest < .seconds(1))
  }
}
