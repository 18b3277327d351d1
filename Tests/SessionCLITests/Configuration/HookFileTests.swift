import Foundation
import SessionMessaging
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The files of hooks.
@Suite struct HookFileTests {
  private let roots: StorageRoots

  init() throws {
    roots = StorageRoots(
      inside: FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID().uuidString)").path)
    try FileManager.default.createDirectory(
      atPath: roots.config + "/hooks.d", withIntermediateDirectories: true)
  }

  private func write(_ text: String, to name: String = "bot.toml", mode: mode_t = 0o600) throws {
    let path = "\(roots.config)/hooks.d/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, mode)
  }

  private func hooks() throws -> [Hook] {
    defer { try? FileManager.default.removeItem(atPath: roots.config) }
    return try HookFile.all(roots).map { file in
      try file.hook(.reading(try String(contentsOfFile: file.path, encoding: .utf8)))
    }
  }

  @Test func aFileHasOneProgramAndUsualSettings() throws {
    #expect(try HookFile.all(roots).isEmpty)
    try write("exec = [\"/bin/cat\", \"-u\"]\n")
    let hook = try #require(try hooks().first)
    #expect(hook.name == "bot" && hook.command == ["/bin/cat", "-u"])
    #expect(hook.kinds == [.messageReceived] && hook.isIncoming && !hook.includesRequests && !hook.replies)
    #expect(hook.timeout == .seconds(30) && hook.tries == 3 && hook.failing == .dead && hook.concurrency == 1)
  }

  @Test func everySettingIsRead() throws {
    try write(
      """
      exec = ["/bin/cat"]
      accounts = ["alice"]
      kinds = ["messageFailed"]
      incoming = false
      requests = true
      concurrency = 4
      timeout = "2m"
      tries = 5
      delay = "1m"
      on_failure = "stop"
      reply = true
      folder = "/tmp"
      environment = ["A=b=c"]
      """)
    let hook = try #require(try hooks().first)
    #expect(hook.accounts == ["alice"] && hook.kinds == [.messageFailed] && !hook.isIncoming)
    #expect(hook.includesRequests && hook.concurrency == 4 && hook.timeout == .seconds(120))
    #expect(hook.tries == 5 && hook.failing == .stop && hook.replies && hook.folder == "/tmp")
    #expect(hook.environment == ["A": "b=c"])
    #expect([1, 2, 3, 4, 5, 60].map { hook.delay(after: $0) / .seconds(60) } == [1, 2, 4, 8, 10, 10])
  }

  @Test(arguments: [
    "", "exec = []", "exec = [\"cat\"]", "exec = \"/bin/cat\"", "exec = [\"/bin/cat\"]\nexecute = 1",
    "exec = [\"/bin/cat\"]\nkinds = [\"messageRecieved\"]", "exec = [\"/bin/cat\"]\nchats = [\"bob\"]",
    "exec = [\"/bin/cat\"]\ntimeout = \"soon\"", "exec = [\"/bin/cat\"]\nconcurrency = 17",
    "exec = [\"/bin/cat\"]\non_failure = \"retry\"", "exec = [\"/bin/cat\"]\nfolder = \"bin\"",
    "exec = [\"/bin/cat\"]\nenvironment = [\"=x\"]",
    "exec = [\"/bin/cat\"]\ntimeout = \"0s\"", "exec = [\"/bin/cat\"]\ndelay = \"9223372036854775807s\"",
  ])
  func mistakesAreNamed(text: String) throws {
    try write(text)
    #expect(throws: (any Error).self) { try hooks() }
  }

  @Test(arguments: ["timeout", "delay"])
  func noTimeIsLongerThanADay(name: String) throws {
    try write("exec = [\"/bin/cat\"]\n\(name) = \"86401s\"\n")
    let error = #expect(throws: (any Error).self) { try hooks() }
    let failure = CommandFailure(try #require(error))
    let words = "bot.toml, line 2: \(name) is a time of at most 24h"
    #expect(failure.message.contains(words), "\(failure.message)")
  }

  @Test func aDayIsATime() throws {
    try write("exec = [\"/bin/cat\"]\ntimeout = \"24h\"\ndelay = \"1d\"\n")
    let hook = try #require(try hooks().first)
    #expect(hook.timeout == .seconds(86_400) && hook.delay == .seconds(86_400))
    #expect(hook.delay(after: 100) == Hook.maxDelay)
  }

  @Test func aFolderThatCannotBeReadIsAMistake() throws {
    defer { try? FileManager.default.removeItem(atPath: roots.config) }
    let folder = roots.config + "/hooks.d"
    try FileManager.default.removeItem(atPath: folder)
    #expect(try HookFile.all(roots).isEmpty)
    try Data().write(to: URL(filePath: folder))
    let error = #expect(throws: CommandFailure.self) { try HookFile.all(roots) }
    #expect(error?.status == .configuration && error?.message.contains(folder) == true)
  }

  @Test func theHookOfAnOptionHasANameOfItsOwn() async throws {
    let program = try Program.atHome()
    let folder = program.path(".config/session/hooks.d")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String) throws {
      try program.writeSecret("exec = [\"/bin/cat\"]\n", to: ".config/session/hooks.d/\(name)")
    }
    try write("exec.toml")
    let same = try await program.ran(["daemon", "--exec", "/bin/cat"])
    #expect(same.status == 64)
    #expect(same.messages.contains("\(folder.path)/exec.toml"), "\(same.messages)")
    try FileManager.default.removeItem(at: folder.appending(path: "exec.toml"))
    for number in 1...Hook.maxCount { try write("bot-\(number).toml") }
    let many = try await program.ran(["daemon", "--exec", "/bin/cat"])
    #expect(many.status == 64)
    #expect(many.messages.contains("at most \(Hook.maxCount)"), "\(many.messages)")
  }

  @Test func aFileThatOthersCanWriteIsRefused() throws {
    try write("exec = [\"/bin/cat\"]", mode: 0o666)
    #expect(throws: CommandFailure.self) { try hooks() }
  }

  @Test func aNameHasAFixedAlphabet() throws {
    try write("exec = [\"/bin/cat\"]", to: "Bot.toml")
    #expect(throws: CommandFailure.self) { try hooks() }
  }
}
