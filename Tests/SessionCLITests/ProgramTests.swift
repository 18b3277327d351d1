import Foundation
import Glibc
import Spawning
import Testing

/// The program as a user runs it: its files, its streams and its exit status.
@Suite struct ProgramTests {
  private let program: Program

  init() throws { program = try Program() }

  /// Makes an account in a file and gives its id.
  private func account(_ name: String) throws -> String {
    let outcome = try program.run("account", "new", "--out", name)
    try #require(outcome.status == 0)
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  private func mode(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: program.path(name).path)[.posixPermissions] as? Int
  }

  @Test func aMessageGoesFromOneAccountToAnother() throws {
    let alice = try account("alice.phrase")
    let bob = try account("bob.phrase")
    let sealed = try program.run("seal", "--from", "alice.phrase", "--to", bob, input: "See you at eight\n")
    #expect(sealed.status == 0)
    let opened = try program.run("open", "--as", "bob.phrase", input: sealed.output)
    #expect(opened.status == 0)
    #expect(opened.output == "See you at eight\n")
    #expect(opened.messages == "from \(alice)\n")
  }

  @Test func aPhraseFileIsItsOwnersAloneAndNeverOverwritten() throws {
    let alice = try account("alice.phrase")
    #expect(try mode(of: "alice.phrase") == 0o600)
    let second = try program.run("account", "new", "--out", "alice.phrase")
    #expect(second.status == 73)
    #expect(second.output == "")
    #expect(second.messages.hasPrefix("session: cannot create alice.phrase: there is a file of that name\n"))
    #expect(try program.run("account", "show", "alice.phrase").output == alice + "\n")
    #expect(try program.names == ["alice.phrase"])
  }

  @Test(arguments: [0o640, 0o604, 0o660])
  func aPhraseThatOthersMayReadIsRefused(mode: Int) throws {
    let alice = try account("alice.phrase")
    func change(to mode: Int) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: program.path("alice.phrase").path)
    }
    try change(to: mode)
    let refused = try program.run("account", "show", "alice.phrase")
    #expect(refused.status == 78)
    #expect(refused.output == "")
    #expect(
      refused.messages == """
        session: others can read alice.phrase, which contains a secret
        run: chmod 600 'alice.phrase'

        """)
    // The opener of the descriptor chose its permissions.
    let words = try String(contentsOf: program.path("alice.phrase"), encoding: .utf8)
    for name in ["-", "/dev/stdin"] {
      #expect(try program.run("account", "show", name, input: words).output == alice + "\n")
    }
    try change(to: 0o400)
    #expect(try program.run("account", "show", "alice.phrase").output == alice + "\n")
  }

  @Test(
    arguments: [
      ([], 64),
      (["nonsense"], 64),
      (["account", "new", "--nonsense"], 64),
      (["account", "new", "--out", "no/such/folder"], 73),
      (["account", "show", "absent"], 66),
      (["account", "show", "."], 66),
      (["account", "show", "-"], 65),
      (["id", "nonsense"], 65),
      (["seal", "--from", "absent", "--to", Example.bobID], 66),
      (["seal", "--from", "-", "--to", Example.bobID], 64),
      (["open", "--as", "absent"], 66),
      (["attachment", "seal", "absent", "--out", "x"], 66),
      (["attachment", "open", "absent", "--pointer", "absent", "--out", "x"], 66),
      (["help", "nonsense"], 64),
    ] as [([String], Int32)])
  func failureLeavesStandardOutputAndTheFolderEmpty(words: [String], status: Int32) throws {
    let outcome = try program.start(words, input: "nonsense").outcome()
    #expect(outcome.status == status)
    #expect(outcome.output == "")
    #expect(outcome.messages.hasPrefix("session: "))
    #expect(try program.names == [])
  }

  @Test func aFullOutputIsAFailure() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let outcome = try program.start(["help"], output: full).outcome()
    #expect(outcome.status == 74)
    #expect(
      outcome.messages == """
        session: cannot write standard output: No space left on device
        Free disk space and run the command again.

        """)
  }

  @Test func aReaderThatGoesAwayIsNoFailureToTellOf() throws {
    let pipe = Pipe.closedOnExec()
    try pipe.fileHandleForReading.close()
    let outcome = try program.start(["help"], output: pipe.fileHandleForWriting).outcome()
    #expect(outcome.status == 141)
    #expect(outcome.messages == "")
  }

  @Test(arguments: [["--format", "legacy"], ["--format", "stream", "--from", "alice.phrase"]])
  func aFileTravels(format: [String]) throws {
    _ = try account("alice.phrase")
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try content.write(to: program.path("photo"))
    let sealed = try program.start(["attachment", "seal", "photo", "--out", "sealed"] + format).outcome()
    #expect(sealed.status == 0)
    let opened = try program.run(
      "attachment", "open", "sealed", "--pointer", "-", "--out", "copy", input: sealed.output)
    #expect(opened.status == 0)
    #expect(opened.output == "")
    #expect(try Data(contentsOf: program.path("copy")) == content)

    var damaged = try Data(contentsOf: program.path("sealed"))
    damaged[200_000] ^= 1
    try damaged.write(to: program.path("damaged"))
    let refused = try program.run(
      "attachment", "open", "damaged", "--pointer", "-", "--out", "bad", input: sealed.output)
    #expect(refused.status == 65)
    #expect(refused.messages.hasPrefix("session: the file was changed or its key is wrong\n"))
    #expect(try program.names == ["alice.phrase", "copy", "damaged", "photo", "sealed"])
  }

  @Test(arguments: [["--format", "legacy"], ["--format", "stream", "--from", "alice.phrase"]])
  func memoryDoesNotGrowWithTheFile(format: [String]) async throws {
    _ = try account("alice.phrase")
    // Twice and more what the program takes without a file, also where it is not optimised.
    let size = 128 << 20
    try Data().write(to: program.path("large"))
    try #require(truncate(program.path("large").path, size) == 0)
    let sealing = try program.start(
      ["attachment", "seal", "large", "--out", "sealed", "--any-size"] + format)
    #expect(await sealing.peakMemory() < size / 2)
    let sealed = try sealing.outcome()
    #expect(sealed.status == 0)
    let opening = try program.start(
      ["attachment", "open", "sealed", "--pointer", "-", "--out", "copy"], input: sealed.output)
    #expect(await opening.peakMemory() < size / 2)
    #expect(try opening.outcome().status == 0)
  }

  @Test func aProgramThatIsToldToStopLeavesNothing() async throws {
    try Data().write(to: program.path("large"))
    try #require(truncate(program.path("large").path, 4 << 30) == 0)
    let running = try program.start(["attachment", "seal", "large", "--out", "sealed", "--any-size"])
    await program.signal(running, SIGTERM, atNames: 2)
    let outcome = try running.outcome()
    #expect(outcome.status == 130)
    #expect(outcome.messages == "session: interrupted; nothing was written\n")
    #expect(try program.names == ["large"])
  }

  @Test func librariesForHTTPAreLoadedOnlyWhenTheyAreNeeded() async throws {
    let program = try Program { folder in ["HOME": folder.path, "LD_DEBUG": "libs"] }
    let outcome = try program.run("version")
    #expect(outcome.status == 0)
    let loaded = outcome.messages
    #expect(loaded.contains("libsodium"))
    for library in ["libcurl", "libmicrohttpd"] { #expect(!loaded.contains(library)) }
  }
}
