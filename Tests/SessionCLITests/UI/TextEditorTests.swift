import Folders
import Foundation
import SessionTerminal
import Testing

@testable import SessionCLI

/// Long texts, which a person edits in another program.
@Suite(.timeLimit(.minutes(1))) struct TextEditorTests {
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  /// Edits a text with a script, which has the path of the text as its argument.
  private func edited(_ text: String, script: String, _ variables: [String: String] = [:]) async throws
    -> EditedText
  {
    try home.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "editor")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path("editor"))
    var io = MemoryIO().io()
    io.environment = ["HOME": home.url.path, "PATH": "/usr/bin:/bin", "EDITOR": home.path("editor")]
      .merging(variables) { _, new in new }
    return await TextEditor(io: io).edited(text)
  }

  @Test func anEmptyVariableCountsAsUnset() async throws {
    let script = "echo two >> $1"
    #expect(try await edited("one\n", script: script, ["VISUAL": ""]) == .text("one\ntwo"))
    #expect(try await edited("one\n", script: script, ["VISUAL": " "]) == .text("one\ntwo"))
  }

  @Test(arguments: [
    ("exit 3", "the editor ended with status 3"), ("kill -9 $$", "the editor ended by signal 9"),
    (#"printf '\377' > $1"#, "the text is not UTF-8"),
    ("head -c 20001 /dev/zero | tr '\\0' x > $1", "the text is longer than 20000 characters"),
  ])
  func aTextThatCannotBeTakenIsKept(script: String, reason: String) async throws {
    guard case .failure(let told) = try await edited("one", script: script) else {
      Issue.record("the text was taken")
      return
    }
    let parts = told.split(separator: "; the text is in ")
    #expect(parts.first.map(String.init) == reason)
    let path = try #require(parts.last.map(String.init))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func anEditorThatIsNotThereLeavesNoFile() async throws {
    let told = try await edited("one", script: "", ["VISUAL": "/nowhere/editor"])
    #expect(told == .failure("cannot run the editor /nowhere/editor"))
    let files = try #require(FileManager.default.enumerator(atPath: home.url.path)).compactMap {
      $0 as? String
    }
    #expect(!files.contains { $0.hasSuffix(".txt") })
  }
}
