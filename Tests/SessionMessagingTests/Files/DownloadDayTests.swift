import Foundation
import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// The bytes that count against the budget of a day.
@Suite struct DownloadDayTests {
  private func time(ofDay number: UInt64) throws -> MessageTime {
    try MessageTime(milliseconds: number * 86_400_000)
  }

  private func id(_ number: Int64) -> AttachmentRecord.ID { .init(rawValue: number) }

  @Test func claimsAndBytesAreKeptAsText() throws {
    let now = try time(ofDay: 20_420)
    var day = DownloadDay(nil, at: now)
    day.spend(1500)
    day.claim(900, for: id(12))
    day.claim(40, for: id(7))
    #expect(day.text == "20420:1500:7=40:12=900")
    #expect(DownloadDay(day.text, at: now) == day)
    #expect(day.hasRoom(for: 60, in: 2500))
    #expect(!day.hasRoom(for: 61, in: 2500))
    day.release(id(12))
    #expect(day.text == "20420:1500:7=40")
  }

  @Test(
    arguments: [
      "", ":", "20420", "20419:5", "x:5", "20420:", "20420:x", "20420:-5", "20420:0:=", "20420:0:1",
      "20420:0:1=2=3", "20420:0:x=5",
    ])
  func aMalformedTextOfTheDayCountsNothing(text: String) throws {
    let now = try time(ofDay: 20_420)
    #expect(DownloadDay(text, at: now) == DownloadDay(nil, at: now))
  }

  @Test func hugeNumbersLeaveNoRoom() throws {
    let day = DownloadDay(
      "20420:\(Int64.max):1=\(Int64.max):2=\(Int64.min)", at: try time(ofDay: 20_420))
    #expect(!day.hasRoom(for: 0, in: DownloadRules.highestBudget))
  }

  private func withDevice(_ body: (World, FileDevice) async throws -> Void) async throws {
    let world = World()
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let device = try await FileDevice(of: .generate(), at: world.folder + "/bob.db", in: world)
    let result: Result<Void, any Error>
    do { result = .success(try await body(world, device)) } catch { result = .failure(error) }
    await world.stop()
    try result.get()
  }

  /// What began on the day before frees nothing of this day when it fails, and counts on this day when it comes.
  @Test func aClaimEndsWithItsDay() async throws {
    let tomorrow = try time(ofDay: 20_421)
    try await withDevice { _, device in
      let (failed, done) = (id(12), id(13))
      try await device.messenger.context.database.write { transaction in
        try transaction.set(.downloadsOfDay, to: "20420:100:12=900:13=800")
        #expect(try transaction.downloadDay(at: tomorrow).text == "20421:0")
        try transaction.settleDownload(done, received: 700, at: tomorrow)
        try transaction.settleDownload(failed, received: 0, at: tomorrow)
        #expect(try transaction.value(of: .downloadsOfDay) == "20421:700")
      }
    }
  }

  @Test func aClaimThatAKillLeftIsReleasedAtTheNextStart() async throws {
    try await withDevice { world, device in
      let claimed = id(12)
      try await device.messenger.context.write { transaction, now in
        var day = try transaction.downloadDay(at: now)
        day.spend(100)
        day.claim(900, for: claimed)
        try transaction.set(.downloadsOfDay, to: day.text)
      }
      func hasRoom() async throws -> Bool {
        let now = try device.messenger.context.time()
        return try await device.messenger.context.database.read { transaction in
          try transaction.downloadDay(at: now).hasRoom(for: 400, in: 500)
        }
      }
      #expect(try await !hasRoom())
      try await device.restart(in: world)
      #expect(try await hasRoom())
      // What came before counts all the same.
      let now = try device.messenger.context.time()
      let text = try await device.messenger.context.database.read { transaction in
        try transaction.downloadDay(at: now).text
      }
      #expect(text.hasSuffix(":100"))
    }
  }
}
