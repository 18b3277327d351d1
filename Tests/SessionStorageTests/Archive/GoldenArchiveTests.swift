import Foundation
import SessionCore
import Testing

@testable import SessionStorage

/// An archive of each schema since archives can be imported is kept, with something in every table that travels.
@Suite struct GoldenArchiveTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../Golden"
  )
  .standardized
  private static var current: URL {
    folder.appending(path: "archive-\(Schema.account.version).sessionarchive")
  }

  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".sessionarchive") }.sorted()

  private func secret() throws -> ArchiveSecret { try ArchiveSecret(passphrase: Array("golden".utf8)) }

  /// To keep one of a new schema, run the tests with UPDATE_GOLDEN=1.
  @Test func theCurrentSchemaHasAnArchive() throws {
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      let place = try Workplace()
      let database = try ExampleAccount.open(in: place)
      try database.write { transaction in try ExampleAccount.fill(transaction) }
      var contents = ArchiveExport.Contents()
      contents.settings = [ExampleAccount.colour.name]
      contents.hasDisappearing = true
      let export = ArchiveExport(
        database, AccountFiles(database, in: place.path), contents,
        of: .init(account: try .generate(), name: "alice", network: "main", program: "golden", created: 1))
      var bytes: [UInt8] = []
      _ = try export.write(for: [try secret()]) { bytes += $0 }
      try Data(bytes).write(to: Self.current)
    }
    #expect(FileManager.default.fileExists(atPath: Self.current.path))
  }

  @Test(arguments: names)
  func archivesOfEverySchemaAreImported(_ name: String) throws {
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    let place = try Workplace()
    for folder in ["new", "new/attachments", "new/avatars"] { try place.makeFolder(folder) }
    func pieces() -> () throws -> [UInt8] {
      var rest = bytes[...]
      return {
        defer { rest = rest.dropFirst(4096) }
        return Array(rest.prefix(4096))
      }
    }
    let manifest = try ArchiveImport.manifest(opening: [try secret()], next: pieces())
    let report = try ArchiveImport(into: place.path("new"), settings: [ExampleAccount.colour.name]).run(
      try ArchiveHeader(bytes), manifest, key: .example(), opening: [try secret()], next: pieces()
    ) { _, _ in }
    // The files of the example are not there.
    #expect(Set(report.problems.map(\.kind)) == ["fileUnreadable"])
    let database = try Database.open(
      place.path("new/messages.db"), key: .example(), schema: .account, options: .impatient)
    let found = try database.read { transaction in try transaction.search("hello world").found }
    #expect(found.map(\.body) == ["hello world"] && found.first?.serverHash == "hash")
    #expect(try database.read { try $0.value(of: ExampleAccount.colour) } != nil)
    #expect(try database.read { try $0.profile(ExampleAccount.bob)?.nickname } == "Bobby")
    #expect(try database.integrityCheck().isSound)
    try database.close()
  }
}
