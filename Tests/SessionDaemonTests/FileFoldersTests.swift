import Folders
import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// Files that clients with limited rights name by their paths.
@Suite struct FileFoldersTests {
  private let folder: TemporaryFolder
  private let folders: FileFolders

  init() throws {
    folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["out/deep", "secret"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    for name in ["out/a.txt", "out/deep/b.txt", "secret/key", "outside"] {
      try Data(name.utf8).write(to: URL(filePath: folder.path(name)))
    }
    for (link, target) in [
      ("out/link", "secret/key"), ("out/door", "secret"), ("out/inner", "out/a.txt"),
    ] {
      try files.createSymbolicLink(atPath: folder.path(link), withDestinationPath: folder.path(target))
    }
    #expect(mkfifo(folder.path("out/fifo"), 0o600) == 0)
    folders = FileFolders([folder.path("out")])
  }

  @Test(arguments: ["out/a.txt", "out/deep/b.txt"]) func filesInsideAreOpened(name: String) throws {
    let file = try folders.open(folder.path(name))
    #expect(try OpenFile(reading: file.path).readAll(upTo: 100) == Array(name.utf8))
  }

  @Test(arguments: [
    ("out/link", "permission"), ("out/inner", "permission"), ("out/door/key", "permission"),
    ("out/../secret/key", "permission"), ("out/./a.txt", "permission"), ("out//a.txt", "permission"),
    ("secret/key", "permission"), ("outside", "permission"), ("out", "permission"), ("out/", "permission"),
    ("out/a.txt/x", "permission"), ("out/none", "no-file"), ("out/deep", "no-file"), ("out/fifo", "no-file"),
  ])
  func othersAreRefused(name: String, kind: String) throws {
    let error = #expect(throws: RPCError.self) { try folders.open(folder.path(name)) }
    #expect(error?.kind == kind)
  }

  /// In Swift's strings, a slash and a combining mark after it are one character.
  @Test func pathsAreComparedAsBytes() throws {
    let mark = "\u{301}"
    for name in ["out/\(mark)", "out\(mark)", "e\(mark)"] {
      #expect(mkdir(folder.path(name), 0o700) == 0)
    }
    for name in ["out/\(mark)/a", "out\(mark)/secret", "e\(mark)/secret"] {
      #expect(close(creat(folder.path(name), 0o600)) == 0)
    }
    #expect(symlink(folder.path("secret"), folder.path("out/deep/\(mark)link")) == 0)
    _ = try folders.open(folder.path("out/\(mark)/a"))
    for path in ["out/deep/\(mark)link/key", "out/\(mark)/../../secret/key", "out\(mark)/secret"] {
      let error = #expect(throws: RPCError.self) { try folders.open(folder.path(path)) }
      #expect(error?.kind == "permission", "\(path)")
    }
    // The same text, but not the same bytes.
    folders.set([folder.path("\u{e9}")])
    #expect(throws: RPCError.self) { try folders.open(folder.path("e\(mark)/secret")) }
    // Folders whose names have more bytes than characters.
    folders.set([folder.path("e\(mark)")])
    _ = try folders.open(folder.path("e\(mark)/secret"))
  }

  @Test func aFolderThatIsMissingHasNoFiles() throws {
    folders.set([folder.path("none")])
    let error = #expect(throws: RPCError.self) { try folders.open(folder.path("none/a")) }
    #expect(error?.kind == "no-file")
  }

  @Test func theFoldersCanChange() throws {
    folders.set([folder.path("secret")])
    _ = try folders.open(folder.path("secret/key"))
    #expect(throws: RPCError.self) { try folders.open(folder.path("out/a.txt")) }
    folders.set([])
    #expect(throws: RPCError.self) { try folders.open(folder.path("secret/key")) }
    #expect(throws: RPCError.self) { try folders.open("/etc/passwd") }
  }
}
