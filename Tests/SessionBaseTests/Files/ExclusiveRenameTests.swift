import Foundation
import Glibc
import Testing

@testable import SessionBase

/// Names that nothing has, also on file systems without help of the kernel.
@Suite struct ExclusiveRenameTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "rename-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private static let ways: [@Sendable (String, String) -> Int32] = [
    { ExclusiveRename.rename($0, to: $1) }, { ExclusiveRename.withoutFlag($0, to: $1) },
    { ExclusiveRename.byReserving($0, as: $1) },
  ]

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test(arguments: 0..<3) func aFileGetsAFreeNameAndReplacesNothing(way: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (from, to) = (folder.appending(path: "from"), folder.appending(path: "to"))
    try Data("new".utf8).write(to: from)
    #expect(Self.ways[way](from.path, to.path) == 0)
    #expect(try names() == ["to"] && Data(contentsOf: to) == Data("new".utf8))
    try Data("newer".utf8).write(to: from)
    #expect(Self.ways[way](from.path, to.path) == EEXIST)
    #expect(try names() == ["from", "to"] && Data(contentsOf: to) == Data("new".utf8))
    // Neither does a link that leads nowhere count as free.
    let link = folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
    #expect(Self.ways[way](from.path, link.path) == EEXIST)
    #expect(
      Self.ways[way](folder.appending(path: "missing").path, folder.appending(path: "x").path) == ENOENT)
    #expect(try names() == ["from", "link", "to"])
  }

  @Test(arguments: 0..<2) func aFolderGetsAFreeNameAndReplacesNothing(way: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (from, to) = (folder.appending(path: "from"), folder.appending(path: "to"))
    for made in [from, to] {
      try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    }
    try Data("x".utf8).write(to: from.appending(path: "file"))
    // Also an empty folder may be somebody's.
    #expect(Self.ways[way](from.path, to.path) == EEXIST)
    #expect(Self.ways[way](from.path, folder.appending(path: "free").path) == 0)
    #expect(try names() == ["free", "to"])
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "free/file").path))
  }
}
