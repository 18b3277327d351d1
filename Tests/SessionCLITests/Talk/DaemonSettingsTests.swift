import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The settings file and the options of `session daemon`. Without accounts nothing here needs a network.
@Suite(.timeLimit(.minutes(10))) struct DaemonSettingsTests {
  private let program: Program

  init() throws {
    program = try .atHome()
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  private var file: URL { program.path(".config/session/daemon.toml") }
  private var socket: String { program.path(".local/state/session/run/daemon.sock").path }

  private func set(_ text: String) throws {
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }

  private func started(_ words: String...) async throws -> ServerProcess {
    let daemon = try ServerProcess(program, ["daemon"] + words)
    _ = try await daemon.line(with: "accounts are open")
    return daemon
  }

  private func stop(_ daemon: ServerProcess) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.end() == 0)
  }

  @Test(arguments: [
    ("# mine\nidle_exti = \"5m\"", 2, "there is no setting idle_exti; did you mean idle_exit?"),
    ("idle_exit = 5", 1, "idle_exit is text in quotation marks"),
    ("idle_exit = \"soon\"", 1, "idle_exit is a time, such as \"5m\""),
    ("idle_exit = \"0s\"", 1, "idle_exit is a time, such as \"5m\""),
    ("accounts = \"alice\"", 1, "accounts is texts, as in [\"a\", \"b\"]"),
    ("accounts = []", 1, "accounts is names of accounts, as in [\"alice\", \"bot\"]"),
    ("event_days = 4000", 1, "event_days is a number, 0 to 3650"),
    ("log_days = 0", 1, "log_days is a number, 1 to 365"),
    ("restart_when_replaced = \"no\"", 1, "restart_when_replaced is true or false"),
    ("event_limit = 999", 1, "event_limit is a number, 1000 to 10000000"),
    (
      "log_level = \"loud\"", 1,
      "log_level is one of error, warn, info, debug, trace, as in \"info\" or \"info,network=debug\""
    ),
    (
      "file_folders = [\"outbox\"]", 1,
      "file_folders is absolute paths of folders, as in [\"/home/me/outbox\"]"
    ),
    ("accounts = [\"../x\"]", 1, "accounts is names of accounts, as in [\"alice\", \"bot\"]"),
  ])
  func aMistakeEndsTheStartWithItsLine(_ text: String, _ line: Int, _ what: String) async throws {
    try set(text)
    let outcome = try await program.ran(["daemon"])
    #expect(outcome.status == 65)
    #expect(outcome.messages.contains("\(file.path), line \(line): \(what)\n"), "\(outcome.messages)")
  }

  @Test func aFileThatOthersCanWriteIsRefused() async throws {
    try set("idle_exit = \"5m\"\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o622], ofItemAtPath: file.path)
    let outcome = try await program.ran(["daemon"])
    #expect(outcome.status == 78)
    #expect(outcome.messages.contains("others can write to \(file.path)\nrun: chmod go-w "))
  }

  @Test func aMistakeAtAReloadLeavesTheSettingsAsTheyAre() async throws {
    let daemon = try await started()
    try set("idle_exit = 1\n")
    let refused = try await program.ran(["daemon", "reload"])
    #expect(refused.status == 65)
    #expect(refused.messages.contains("\(file.path), line 1: idle_exit is text in quotation marks\n"))
    daemon.signal(SIGHUP)
    _ = try await daemon.line(with: "the settings stay as they are: \(file.path), line 1: ")
    try set("socket = \"/elsewhere\"\n")
    let reloaded = try await program.ran(["daemon", "reload"])
    #expect(reloaded.status == 0)
    #expect(reloaded.messages.contains("take effect when the daemon is started again: socket\n"))
    daemon.signal(SIGHUP)
    _ = try await daemon.line(with: "the settings were read again")
    #expect(try await program.ran(["daemon", "reload"]).messages == "")
    await stop(daemon)
    #expect(try await program.ran(["daemon", "reload"]).status == 69)
  }

  @Test func theLogAndEventsFollowTheSettingsAtOnce() async throws {
    let daemon = try await started("--log-level", "info")
    await stop(daemon)
    func events() async throws -> Int {
      try await program.ran(["log", "show"]).output.split(separator: "\n").count { $0.contains("stopped") }
    }
    #expect(try await events() == 1)
    let other = try await started()
    try set("log_level = \"error\"\nevent_days = 1\nevent_limit = 1000\n")
    // Nothing waits for a restart.
    #expect(try await program.ran(["daemon", "reload"]).messages == "")
    await stop(other)
    #expect(try await events() == 1)
    #expect(try await program.ran(["daemon", "--log-level", "loud"]).status == 64)
  }

  @Test func anIdleDaemonEndsByItselfAfterItsClientsAreGone() async throws {
    let daemon = try await started("--idle-exit", "1s")
    let client = try RPCClient(to: socket)
    let start = ContinuousClock.now
    // A client that is there for longer keeps the daemon.
    while start.duration(to: .now) < .milliseconds(1500) { _ = try await client.call("daemon.ping") }
    client.close()
    #expect(await daemon.end() == 0)
    #expect(start.duration(to: .now) > .milliseconds(2400))
  }

  @Test func aReloadCanEndAnIdleDaemon() async throws {
    let daemon = try await started()
    try set("idle_exit = \"1s\"\n")
    daemon.signal(SIGHUP)
    #expect(await daemon.end() == 0)
  }

  @Test func theSocketIsWhereTheSettingsSay() async throws {
    // Longer than the address of a socket can be.
    let folder = program.path(String(repeating: "long-", count: 30))
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = folder.appending(path: "s").path
    try set("socket = \"\(path)\"\n")
    let daemon = try await started()
    #expect(try await RPCClient(to: path).call("daemon.ping")["at"] != nil)
    #expect(!FileManager.default.fileExists(atPath: socket))
    // Commands find it.
    #expect(try await program.ran(["daemon", "status"]).status == 0)
    await stop(daemon)
    #expect(!FileManager.default.fileExists(atPath: path))
    // The option goes before the file.
    let other = try await started("--socket", folder.appending(path: "t").path)
    _ = try await RPCClient(to: folder.appending(path: "t").path).call("daemon.ping")
    await stop(other)
  }

  @Test func aSocketReplacesNoOtherFile() async throws {
    let path = program.path("letters.txt")
    try Data("dear".utf8).write(to: path)
    let outcome = try await program.ran(["daemon", "--socket", path.path])
    #expect(outcome.status == 73)
    #expect(outcome.messages.contains("cannot listen at \(path.path): there is another file of that name"))
    #expect(try String(contentsOf: path, encoding: .utf8) == "dear")
  }

  @Test func whereTheServiceManagerListensItStartsTheDaemon() async throws {
    try FileManager.default.createDirectory(
      atPath: URL(filePath: socket).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let listener = try SocketListener(at: socket)
    let outcome = try await program.ran(["daemon"])
    #expect(outcome.status == 78, "\(outcome.messages)")
    #expect(outcome.messages.contains("session.socket listens at \(socket)"))
    #expect(outcome.messages.contains("run: systemctl --user start session.service"))
    listener.close()
    let daemon = try await started()
    await stop(daemon)
  }

  @Test func theDaemonHasTheRightsOfItsUserOnly() throws {
    try Daemon.checkUser(1000, real: 1000, isRootAllowed: false)
    try Daemon.checkUser(0, real: 0, isRootAllowed: true)
    for (effective, real, isAllowed) in [(0, 0, false), (0, 1000, true), (1000, 0, true)]
      as [(UInt32, UInt32, Bool)]
    {
      #expect { try Daemon.checkUser(effective, real: real, isRootAllowed: isAllowed) } throws: {
        ($0 as? CommandFailure)?.status == .configuration
      }
    }
  }

  @Test func theMemoryOfTheDaemonIsInNoFile() async throws {
    let daemon = try await started()
    let process = try await RPCClient(to: socket).call("daemon.status")["process"]?.integer ?? 0
    let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(whereSeparator: \.isWhitespace).dropFirst(4).prefix(2) == ["0", "0"])
    // Files of such a process belong to root.
    var status = stat()
    #expect(stat("/proc/\(process)/environ", &status) == 0)
    #expect(geteuid() == 0 || status.st_uid != geteuid())
    await stop(daemon)
  }

  @Test func anAccountThatIsNamedMustExist() async throws {
    #expect(try await program.ran(["daemon", "--account", "unknown"]).status == 78)
    #expect(try await program.ran(["daemon", "--idle-exit", "soon"]).status == 64)
    #expect(try await program.ran(["daemon", "--socket", ""]).status == 64)
  }

  // MARK: - Further sockets

  private func setSocket(_ name: String, _ text: String) throws {
    let folder = program.path(".config/session/sockets.d")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }

  @Test(arguments: [
    ("scopes = [\"read\"]", "path is missing"),
    ("path = \"s\"\nmode = \"0666\"", "line 2: mode is one of \"0600\", \"0660\""),
    ("path = \"s\"\nscopes = [\"reed\"]", "line 2: scopes is of read, send, manage, admin, secrets"),
    ("path = \"s\"\ngroup = \"root\"", "line 2: group is only used together with mode = \"0660\""),
    ("path = \"s\"\nmode = \"0660\"\ngroup = \"no-such\"", "line 3: group is the name of a group"),
    ("path = \"s\"\nuids = [\"0\"]", "line 2: uids is only used together with mode = \"0660\""),
    ("path = \"s\"\nmode = \"0660\"\nuids = [\"no-such\"]", "line 3: uids is names or numbers of users"),
    ("path = \"s\"\naccounts = [\"/\"]", "line 2: accounts is names of accounts"),
    ("path = \"s\"\nscope = [\"read\"]", "line 2: there is no setting scope; did you mean scopes?"),
  ])
  func aMistakeInTheFileOfASocketIsNamed(_ text: String, _ what: String) async throws {
    try setSocket("bots.toml", text)
    let outcome = try await program.ran(["daemon"])
    #expect(outcome.status == 65)
    #expect(outcome.messages.contains("sockets.d/bots.toml"), "\(outcome.messages)")
    #expect(outcome.messages.contains(what), "\(outcome.messages)")
  }

  @Test func furtherSocketsComeAndGoWithTheirFiles() async throws {
    // Its path begins in the folder of the file. Copies that editors leave are none.
    try setSocket(
      "bots.toml", "path = \"bots.sock\"\nmode = \"0660\"\nuids = [\"root\"]\nscopes = [\"read\"]\n")
    try setSocket("bots.toml~", "nonsense")
    let path = program.path(".config/session/sockets.d/bots.sock").path
    let daemon = try await started()
    let client = try RPCClient(to: path)
    #expect(try await client.call("hello")["scopes"] == ["read"])
    await #expect { try await client.call("daemon.reload") } throws: { ($0 as? RPCError)?.code == 77 }
    try setSocket("copy.toml", "path = \"bots.sock\"\n")
    let refused = try await program.ran(["daemon", "reload"])
    #expect(refused.status == 65 && refused.messages.contains("the sockets bots and copy have the same path"))
    try FileManager.default.removeItem(at: program.path(".config/session/sockets.d"))
    #expect(try await program.ran(["daemon", "reload"]).status == 0)
    await client.waitUntilGone()
    await stop(daemon)
  }
}
