import Foundation
import SessionCore
import Testing

@testable import SessionStorage

/// Files go in and out in constant memory. `make soak` has ATTACHMENT_MIB=1024.
@Suite struct LargeFileTests {
  /// A long content that is never there as a whole, the same every time.
  private struct Stream: AsyncSequence, AsyncIteratorProtocol {
    static let pieceSize = 64 * 1024
    var rest: Int
    var count: UInt8 = 0

    mutating func next() async -> [UInt8]? {
      guard rest > 0 else { return nil }
      rest -= Self.pieceSize
      count &+= 1
      return [UInt8](repeating: count, count: Self.pieceSize)
    }

    func makeAsyncIterator() -> Stream { self }
  }

  private static func kilobytes(_ name: String) throws -> Int {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }

  /// How much more memory something takes at its worst than there was before.
  private static func extraKilobytes(_ body: () async throws -> Void) async throws -> Int {
    let before = try kilobytes("VmRSS")
    // The peak is counted from here on.
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    try await body()
    return try kilobytes("VmHWM") - before
  }

  @Test func aLargeAttachmentTakesLittleMemory() async throws {
    let environment = ProcessInfo.processInfo.environment["ATTACHMENT_MIB"]
    let size = (environment.flatMap { Int($0) } ?? 64) << 20
    // Other tests would be measured with it.
    await #expect(processExitsWith: .success) { [size = size as Int] in
      let place = try Workplace()
      let database = try ExampleAccount.open(in: place)
      let files = AccountFiles(database, in: place.path)
      let limit = 16 * 1024
      let writing = try await Self.extraKilobytes {
        _ = try await files.add(Stream(rest: size), to: .avatars, at: 1) { transaction, file in
          var profile = ProfileRecord(ExampleAccount.bob, name: "Bob", updatedAt: 1)
          profile.pictureFileID = file
          try transaction.put(profile)
        }
      }
      #expect(writing <= limit, "writing took \(writing) KiB")
      let record = try #require(try await database.read { transaction in try transaction.files().first })
      let reading = try await Self.extraKilobytes {
        var expected = Stream(rest: size)
        var waiting: ArraySlice<UInt8> = []
        var isSame = true
        for try await piece in try files.content(of: record) {
          var rest = piece[...]
          while !rest.isEmpty {
            if waiting.isEmpty { waiting = try #require(await expected.next())[...] }
            let count = min(rest.count, waiting.count)
            isSame = isSame && rest.prefix(count) == waiting.prefix(count)
            rest = rest.dropFirst(count)
            waiting = waiting.dropFirst(count)
          }
        }
        #expect(isSame)
        #expect(waiting.isEmpty)
        #expect(await expected.next() == nil)
      }
      #expect(reading <= limit, "reading took \(reading) KiB")
    }
  }
}
