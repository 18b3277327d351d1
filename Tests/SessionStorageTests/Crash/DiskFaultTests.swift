import Foundation
import SessionCore
import Spawning
import Testing

@testable import SessionStorage

/// Calls of the system fail, one after the other. Each failure has a name, and once the disk is well again all goes on,
/// with everything that was committed, once.
@Suite struct DiskFaultTests {
  /// The code of a failure. The reason for a failed creation is checked again and may have passed by then.
  private static func names(of fault: RecordedDisk.Fault, isLasting: Bool) -> Set<StorageError.Code> {
    let passing: Set<StorageError.Code> = isLasting ? [] : [.cannotOpen]
    return switch fault {
    case .full: passing.union([.full])
    case .broken: passing.union([.io])
    case .short: [.corrupt, .wrongKey, .io]
    }
  }

  /// As it is kept, with the salt, which would be read from the file otherwise.
  private static var key: DatabaseKey {
    get throws { try DatabaseKey(SecretBytes(copying: [UInt8](1...48))) }
  }

  /// A program that uses a database, and repeats each step until it succeeds.
  private final class Program {
    private let place: Workplace
    private let disk: RecordedDisk
    private var database: Database?
    private(set) var failures: [StorageError] = []
    private(set) var failedCalls = 0

    init(_ place: Workplace, _ disk: RecordedDisk) {
      self.place = place
      self.disk = disk
    }

    private func opened() throws -> Database {
      if let database, database.damage == nil { return database }
      try database?.close()
      let opened = try Database.notes(in: place, key: try DiskFaultTests.key)
      database = opened
      return opened
    }

    private func `do`(_ step: (Database) throws -> Void) throws {
      do {
        try step(try opened())
      } catch let error as StorageError {
        failures.append(error)
        failedCalls += disk.heal()
        try step(try opened())
      }
    }

    func run() throws {
      let long = String(repeating: "long ", count: 4000)
      try `do` { database in try database.write { transaction in _ = try transaction.insertNote("two") } }
      try `do` { database in
        try database.write(.relaxed) { transaction in _ = try transaction.insertNote(long) }
      }
      try `do` { database in _ = try database.notes }
      try `do` { database in try database.maintain { _ = try $0.connection.checkpoint() } }
      try `do` { database in try database.write { transaction in _ = try transaction.insertNote("four") } }
      try `do` { database in _ = try database.compact() }
      try database?.close()
      failedCalls += disk.heal()
    }
  }

  @Test(arguments: RecordedDisk.Fault.allCases, [1, .max])
  func failuresAreReportedAndNothingIsLost(fault: RecordedDisk.Fault, count: Int) throws {
    let first = try Workplace(inMemory: true)
    let database = try Database.notes(in: first, key: try Self.key)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    try database.close()
    let content = try first.content()
    var told: Set<StorageError.Code> = []
    var call = 0
    while true {
      let place = try Workplace(inMemory: true)
      try place.setContent(content)
      let disk = try RecordedDisk(place)
      disk.fail(fault, after: call, count: count)
      let program = Program(place, disk)
      try program.run()
      told.formUnion(program.failures.map(\.code))
      disk.stop()
      let again = try Database.notes(in: place, key: try Self.key)
      let notes = try again.notes.map { $0.prefix(4) }
      #expect(notes == ["one", "two", "long", "four"], "call \(call): \(program.failures)")
      #expect(try again.integrityCheck().isSound, "call \(call)")
      try again.close()
      guard program.failedCalls > 0 else { break }
      call += 1
    }
    #expect(call > 20)
    // The engine itself repeats a read that was cut short once.
    #expect(told.isEmpty == (fault == .short && count == 1))
    #expect(told.isSubset(of: Self.names(of: fault, isLasting: count == .max)), "\(told)")
  }

  @Test(arguments: [RecordedDisk.Fault.full, .broken], [1, .max])
  func aKeyIsNotLostToAFailure(fault: RecordedDisk.Fault, count: Int) throws {
    let old = try SecretBytes(copying: "old".utf8)
    let new = try SecretBytes(copying: "new".utf8)
    var call = 0
    while true {
      let place = try Workplace(inMemory: true)
      let keys = DatabaseKeys(
        path: place.path("db.key"), cost: .init(passes: 1, memory: 8192))
      let key = try keys.create()
      try keys.setPassphrase(old)
      let disk = try RecordedDisk(place)
      disk.fail(fault, after: call, count: count)
      var failure: StorageError?
      do { try keys.changePassphrase(from: old, to: new) } catch { failure = error }
      let failedCalls = disk.heal()
      guard failedCalls > 0 else { break }
      if let failure { #expect([.full, .io, .readOnly].contains(failure.code), "call \(call): \(failure)") }
      let isOld = (try? keys.test(old)) != nil
      #expect(isOld != ((try? keys.test(new)) != nil), "call \(call)")
      #expect(failure != nil || !isOld, "call \(call)")
      #expect(try keys.unlock(isOld ? old : new).secret.equals(key.secret), "call \(call)")
      keys.lock()
      call += 1
    }
    #expect(call >= 3)
  }

  /// A disk on which so many files have room, for a program that makes four of them.
  @Test(
    .enabled(if: SmallDisk.isPossible, "this system lets only its owner mount a file system"),
    arguments: 0...3)
  func aDiskWithoutRoomForAFileIsFull(files: Int) throws {
    let place = try Workplace()
    let said = try SmallDisk.run(Executables.writer, in: place.path, size: "1m", files: files)
    #expect(said.contains("No space left on device"), "\(said)")
    #expect(said.hasPrefix("full: "), "\(said)")
  }

  @Test(.enabled(if: SmallDisk.isPossible, "this system lets only its owner mount a file system"))
  func aDiskWithoutRoomForMoreIsFull() throws {
    let place = try Workplace()
    let said = try SmallDisk.run(Executables.writer, in: place.path, size: "1m", files: 20)
    #expect(said.hasPrefix("full: "), "\(said)")
  }
}

/// A file system that is soon full, in a name space of its own.
private enum SmallDisk {
  static let isPossible = (try? output(of: ["sh", "-c", mounting("1m", 2), "sh", "/mnt", "true"])) == ""

  /// Runs a program that fills a folder. Returns its output.
  static func run(_ program: URL, in folder: String, size: String, files: Int) throws -> String {
    // The folder itself counts as one.
    try output(of: ["sh", "-c", mounting(size, files + 1), "sh", folder, program.path])
  }

  private static func mounting(_ size: String, _ files: Int) -> String {
    "mount -t tmpfs -o size=\(size),nr_inodes=\(files) none \"$1\" && exec \"$2\" \"$1\""
  }

  private static func output(of command: [String]) throws -> String {
    let process = Process()
    let said = Pipe.closedOnExec()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["unshare", "--user", "--map-root-user", "--mount"] + command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = said
    try process.start()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}
