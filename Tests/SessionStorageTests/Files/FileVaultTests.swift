import SessionBase
import SessionCore
import Testing

@testable import SessionStorage

@Suite struct FileVaultTests {
  private let folder: Workplace
  private let vault: FileVault

  init() throws {
    folder = try Workplace()
    vault = FileVault(folder.path("vault"))
  }

  private func read(_ entry: FileVault.Entry) async throws -> [UInt8] {
    try await vault.content(of: entry).reduce(into: []) { $0 += $1 }
  }

  private func file(_ entry: FileVault.Entry) -> String { "vault/\(entry.name.prefix(2))/\(entry.name)" }

  private func expectCoreFailure(
    of family: SessionError.Family, _ body: () async throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await #expect(sourceLocation: sourceLocation) { try await body() } throws: { family ~= $0 }
  }

  @Test(arguments: [0, 1, 65_536, 200_001])
  func filesAreReadBackAsWritten(_ size: Int) async throws {
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let pieces = stride(from: 0, to: size, by: 50_000).map { Array(content[$0..<min($0 + 50_000, size)]) }
    let entry = try await vault.write(Pieces(pieces: pieces), as: try FileVault.newName())
    #expect(entry.size == UInt64(size))
    #expect(try await read(entry) == content)
    #expect(try await read(entry) == content)
    #expect(try folder.mode(file(entry)) == 0o600)
  }

  @Test func nothingReadableIsOnTheDisk() async throws {
    let text = [UInt8]("a text that nobody should find".utf8)
    let entry = try await vault.write(Pieces(pieces: [text]), as: try FileVault.newName())
    let sealed = try folder.read(file(entry))
    #expect(sealed.firstRange(of: text) == nil)
    #expect(sealed.firstRange(of: entry.key.reveal()) == nil)
  }

  @Test func aFileThatFailsToBeWrittenLeavesNothing() async throws {
    let name = try FileVault.newName()
    await #expect(throws: Pieces.Failure.self) {
      try await vault.write(Pieces(pieces: [[1, 2, 3]], fails: true), as: name)
    }
    #expect(try Folder.names(in: folder.path("vault/\(name.prefix(2))")) == [])
  }

  @Test func aFileNeverChanges() async throws {
    let entry = try await vault.write(Pieces(pieces: [[1]]), as: try FileVault.newName())
    await expectCoreFailure(of: .fileSystem) {
      _ = try await vault.write(Pieces(pieces: [[2]]), as: entry.name)
    }
    #expect(try await read(entry) == [1])
  }

  @Test func damageIsReported() async throws {
    let entry = try await vault.write(Pieces(pieces: [[1, 2, 3]]), as: try FileVault.newName())
    var sealed = try folder.read(file(entry))
    sealed[sealed.count - 1] ^= 1
    try folder.write(sealed, to: file(entry))
    await expectCoreFailure(of: .attachment) { _ = try await read(entry) }
    try folder.write(Array(sealed.dropLast(20)), to: file(entry))
    await expectCoreFailure(of: .attachment) { _ = try await read(entry) }
  }

  @Test func anotherFilesKeyDoesNotOpen() async throws {
    let one = try await vault.write(Pieces(pieces: [[1]]), as: try FileVault.newName())
    let two = try await vault.write(Pieces(pieces: [[2]]), as: try FileVault.newName())
    await expectCoreFailure(of: .attachment) {
      _ = try await read(FileVault.Entry(name: one.name, key: two.key, size: 1))
    }
  }

  @Test func aRemovedFileIsGone() async throws {
    let entry = try await vault.write(Pieces(pieces: [[1]]), as: try FileVault.newName())
    try vault.remove(entry.name)
    try vault.remove(entry.name)
    await expectCoreFailure(of: .fileSystem) { _ = try await read(entry) }
  }

  private func sweep(
    writtenBefore time: Int64 = .max, keeping isNeeded: (String) -> Bool
  ) throws -> Int {
    var sweep = FileSweep()
    try vault.sweep(&sweep, writtenBefore: time) { (name) throws(StorageError) in isNeeded(name) }
    #expect(sweep.failures.isEmpty)
    return sweep.removed
  }

  @Test func sweepKeepsReferencedFiles() async throws {
    #expect(try sweep { _ in true } == 0)
    var entries: [FileVault.Entry] = []
    for byte in 0..<10 as Range<UInt8> {
      entries.append(try await vault.write(Pieces(pieces: [[byte]]), as: try FileVault.newName()))
    }
    try folder.write([1], to: "vault/\(entries[0].name.prefix(2))/.half.x7Fq2A")
    let needed = Set(entries.prefix(4).map(\.name))
    #expect(try sweep { needed.contains($0) } == 7)
    for entry in entries.prefix(4) { #expect(try await read(entry).count == 1) }
    #expect(try sweep { needed.contains($0) } == 0)
  }

  @Test func sweepKeepsYoungFiles() async throws {
    let entry = try await vault.write(Pieces(pieces: [[1]]), as: try FileVault.newName())
    try folder.write([1], to: "vault/\(entry.name.prefix(2))/.half.x7Fq2A")
    try folder.setWritingTime(5000, of: file(entry))
    try folder.setWritingTime(6000, of: "vault/\(entry.name.prefix(2))/.half.x7Fq2A")
    #expect(try sweep(writtenBefore: 5000) { _ in false } == 0)
    #expect(try sweep(writtenBefore: 5001) { _ in false } == 1)
    #expect(try Folder.names(in: folder.path("vault/\(entry.name.prefix(2))")) == [".half.x7Fq2A"])
    #expect(try sweep(writtenBefore: 6001) { _ in false } == 1)
  }

  @Test(arguments: [
    "", "../../etc/passwd", "AB", String(repeating: "g", count: 32), String(repeating: "a", count: 33),
  ])
  func namesThatAreNotOursAreRefused(_ name: String) throws {
    expectFailure(.value) { try vault.remove(name) }
  }
}
