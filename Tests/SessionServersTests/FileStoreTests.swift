import CDiskRecorder
import Foundation
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

@Suite struct FileStoreTests {
  private let folder: TemporaryFolder
  private let key = try! DatabaseKey(SecretBytes(copying: [UInt8](repeating: 9, count: 32)))

  init() throws { folder = try TemporaryFolder() }

  private func open(_ folder: TemporaryFolder? = nil) throws -> FileStore {
    try FileStore(folder: (folder ?? self.folder).path, key: key)
  }

  @Test func contentThatNoRowKnowsIsRemoved() async throws {
    let first = try open()
    let file = try await first.add(bytes("hello"), expires: 10, now: 1)
    try first.close()
    let orphan = FileName.of(bytes("another"))
    try folder.write("another", to: "files/\(orphan.prefix(2))/\(orphan)")
    try folder.write("half", to: "files/incoming/abcdef")
    try folder.write("rubbish", to: "files/\(file.name.prefix(2))/rubbish")
    let second = try open()
    #expect(second.findings == FileStore.Findings(orphans: 3, lost: 0))
    #expect(folder.files(in: "files") == [file.name])
    try second.close()
  }

  @Test func rowsWithoutContentAreForgotten() async throws {
    let first = try open()
    let file = try await first.add(bytes("hello"), expires: 10, now: 1)
    let other = try await first.add(bytes("other"), expires: 10, now: 1)
    try first.close()
    try FileManager.default.removeItem(atPath: "\(folder.path)/files/\(file.name.prefix(2))")
    let second = try open()
    #expect(second.findings == FileStore.Findings(orphans: 0, lost: 1))
    #expect(try await second.file(.name(file.name), now: 2) == nil)
    #expect(try await second.file(.name(other.name), now: 2) == other)
    #expect(try await second.totals() == (1, 5))
    // A file that is uploaded again is available again.
    #expect(try await second.add(bytes("hello"), expires: 10, now: 2).name == file.name)
    #expect(try await second.open(.name(file.name), now: 2)?.content.readAll() == bytes("hello"))
    try second.close()
  }

  @Test func contentThatWasLostWhileTheServerRanIsTakenAgain() async throws {
    let store = try open()
    let file = try await store.add(bytes("hello"), expires: 10, now: 1)
    try FileManager.default.removeItem(atPath: "\(folder.path)/files/\(file.name.prefix(2))/\(file.name)")
    #expect(try await store.open(.name(file.name), now: 2) == nil)
    _ = try await store.add(bytes("hello"), expires: 20, now: 2)
    #expect(try await store.open(.name(file.name), now: 3)?.content.readAll() == bytes("hello"))
    #expect(try await store.totals() == (1, 5))
    try store.close()
  }

  @Test func aFileThatIsBeingReadMayGo() async throws {
    let store = try open()
    let file = try await store.add(bytes("hello"), expires: 10, now: 1)
    let found = try #require(try await store.open(.name(file.name), now: 2))
    #expect(try await store.sweep(now: 10) == 1)
    #expect(found.content.readAll() == bytes("hello"))
    try store.close()
  }

  @Test func sweepsAndThoseWhoSendTheSameNeverMeet() async throws {
    let store = try open()
    let contents = (0..<2).map { bytes("content \($0)") }
    try await withThrowingTaskGroup { group in
      for round in 0..<150 as Range<UInt64> {
        group.addTask {
          _ = try await store.add(contents[Int(round % 2)], expires: round + 3, now: round)
        }
        group.addTask { try await store.sweep(now: round) }
      }
      try await group.waitForAll()
    }
    let names: [String] = try await store.database.read { try $0.values("SELECT name FROM files") }
    #expect(Set(names) == folder.files(in: "files"))
    #expect(try await store.totals().files == names.count)
    try store.close()
  }

  @Test func moreThanOneTransactionIsSwept() async throws {
    let store = try open()
    for number in 0..<210 { _ = try await store.add(bytes("\(number)"), expires: 10, now: 1) }
    #expect(try await store.sweep(now: 10) == 210)
    #expect(try await store.totals() == (0, 0))
    #expect(folder.files(in: "files").isEmpty)
    try store.close()
  }

  /// The power is cut while files come and go. Each time every row has its content, whole; what was acknowledged is
  /// there, what was removed is not, and nothing is left that no row knows.
  @Test func aPowerCutLeavesEveryRowItsContent() async throws {
    let store = try open()
    let recorder = try #require(disk_recorder_new(folder.path))
    defer { disk_recorder_free(recorder) }
    let contents = (0..<4).map { number in [UInt8](repeating: UInt8(number), count: 3000 + number) }
    let names = contents.map { FileName.of($0) }
    // Step by which a file was acknowledged, and by which it was known to be gone.
    var came: [Int] = []
    var gone: [Int] = []
    for (number, content) in contents.enumerated() {
      _ = try await store.add(content, expires: UInt64(10 + number), now: 1)
      came.append(disk_recorder_count(recorder))
    }
    let sweepBegan = disk_recorder_count(recorder)
    for time in [10, 11] as [UInt64] {
      #expect(try await store.sweep(now: time) == 1)
      gone.append(disk_recorder_count(recorder))
    }
    disk_recorder_stop(recorder)
    try store.close()
    let steps = disk_recorder_count(recorder)
    var seen: Set<UInt64> = []
    for step in 0...steps {
      for (loss, seed) in [
        (DISK_LOSES_ALL, 0), (DISK_LOSES_BYTES, 0), (DISK_LOSES_SOME, UInt64(step)), (DISK_TEARS_LAST, 0),
      ] {
        guard seen.insert(disk_recorder_restore(recorder, step, loss, seed, nil)).inserted else { continue }
        let copy = try TemporaryFolder()
        try #require(disk_recorder_restore(recorder, step, loss, seed, copy.path) != 0)
        let found = try open(copy)
        #expect(found.findings.lost == 0, "step \(step), \(loss)")
        for number in contents.indices {
          let content = try await found.open(.name(names[number]), now: 2)?.content.readAll()
          #expect(content == nil || content == contents[number], "step \(step), \(loss): file \(number)")
          let mustBeThere = step >= came[number] && (number >= gone.count || step <= sweepBegan)
          if mustBeThere { #expect(content != nil, "step \(step), \(loss): file \(number)") }
          if number < gone.count, step >= gone[number] { #expect(content == nil) }
        }
        let rows: [String] = try await found.database.read { try $0.values("SELECT name FROM files") }
        #expect(copy.files(in: "files") == Set(rows))
        try found.close()
      }
    }
    #expect(seen.count > 20)
  }
}
