import Foundation
import SessionBase
import SessionCore
import Testing

@testable import SessionStorage

/// The power is cut while encrypted files come and go. Each time every row has its file, whole, and no file is left that
/// no row knows.
@Suite struct FileCrashTests {
  private static let shelf = "avatars"

  private let place: Workplace

  init() throws { place = try Workplace(inMemory: true) }

  private static func paths(_ database: Database) throws -> Set<String> {
    try database.read { transaction in Set(try transaction.files().map(\.path)) }
  }

  /// Gives somebody another picture.
  private static func add(_ number: UInt8, to files: AccountFiles) async throws {
    let content = Pieces(pieces: [[UInt8](repeating: number, count: 3000), [number]])
    try await files.add(content, to: .avatars, at: Int64(number)) { transaction, file in
      var profile = ProfileRecord(ExampleAccount.bob, name: "Bob", updatedAt: Int64(number))
      profile.pictureFileID = file
      try transaction.put(profile)
    }
  }

  @Test func everyRowHasItsFile() async throws {
    let database = try ExampleAccount.open(in: place)
    let files = AccountFiles(database, in: place.path)
    let trial = try CrashTrial(place, from: Set<String>())
    var contents: [String: [UInt8]] = [:]
    for number in 0..<3 as Range<UInt8> {
      try await trial.commit {
        try await Self.add(number, to: files)
      } then: {
        try Self.paths(database)
      }
      for path in try Self.paths(database) { contents[path] = try place.read(Self.name(of: path)) }
      try await trial.commit {
        let removed = try files.removeReleased().removed
        #expect(removed == (number > 0 ? 1 : 0))
      } then: {
        try Self.paths(database)
      }
    }
    #expect(contents.count == 3)
    try database.close()
    try trial.explore { copy, allowed in
      let found = try ExampleAccount.open(in: copy)
      let paths = try Self.paths(found)
      guard allowed.contains(paths) else { throw NotSurvived("found \(paths), not one of \(allowed)") }
      guard try paths.allSatisfy({ try copy.read(Self.name(of: $0)) == contents[$0] }) else {
        throw NotSurvived("a file is not what was written")
      }
      // By then nothing can still be on its way.
      let later = Int64(Date().timeIntervalSince1970 * 1000) + 2 * AccountFiles.grace
      let sweep = try AccountFiles(found, in: copy.path).sweep(at: later)
      guard sweep.missing.isEmpty, sweep.failures.isEmpty, try Self.kept(in: copy) == paths else {
        throw NotSurvived("the sweep leaves \(try Self.kept(in: copy)), the rows know \(paths)")
      }
      try found.close()
    }
  }

  /// The place on disk of a file with the path that a row contains.
  private static func name(of path: String) -> String {
    let name = path.dropFirst(shelf.count + 1)
    return "\(shelf)/\(name.prefix(2))/\(name)"
  }

  /// All files that there are, as rows call them.
  private static func kept(in copy: Workplace) throws -> Set<String> {
    guard copy.exists(shelf) else { return [] }
    let all = try FileManager.default.subpathsOfDirectory(atPath: copy.path(shelf))
    return Set(
      all.filter { !copy.isFolder("\(shelf)/\($0)") }.map {
        "\(shelf)/\(URL(filePath: $0).lastPathComponent)"
      })
  }

  /// A folder that is made for a file would be lost with it.
  @Test func theFolderOfAFileIsOnTheDeviceFirst() async throws {
    let database = try ExampleAccount.open(in: place)
    try PrivateFolder.prepare(place.path(Self.shelf))
    let disk = try RecordedDisk(place)
    try await Self.add(1, to: AccountFiles(database, in: place.path))
    disk.stop()
    let steps = (0..<disk.count).map { disk.description(of: $0) }
    let folder = try #require(
      steps.firstIndex { $0.hasPrefix("sync folder") && $0.contains(" \(Self.shelf),") })
    let name = try #require(steps.firstIndex { $0.hasPrefix("rename") && $0.contains(Self.shelf) })
    #expect(folder < name)
    try database.close()
  }
}

extension Workplace {
  fileprivate func isFolder(_ name: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder) && isFolder.boolValue
  }
}
