import Foundation
import Testing

@testable import SessionCLI
@testable import SessionDaemon
@testable import SessionDesktop
@testable import SessionStorage

/// The files of an installation besides the program.
@Suite struct PackagingTests {
  private static let analyzer = "/usr/bin/systemd-analyze"
  private static let variables = ["PATH": "/usr/bin:/bin"]
  private static let ours = "lib/systemd/system"
  /// The folder below each prefix in which the systemd user manager looks for units.
  private static let theirs = "share/systemd/user"
  private let program: Program

  init() throws { program = try Program() }

  /// The units in a folder of what is installed, the program beside them.
  private func units(_ folder: String) async throws -> [URL] {
    let bin = program.path("bin")
    if !FileManager.default.fileExists(atPath: bin.path) {
      try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: false)
      let own = try #require(program.executables).appending(path: "session")
      try FileManager.default.createSymbolicLink(at: bin.appending(path: "session"), withDestinationURL: own)
    }
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let script = tests.appending(path: "../../scripts/install-units").standardizedFileURL
    let installed = try await program.ranOther(script.path, [program.folder.path], with: Self.variables)
    try #require(installed.status == 0, "\(installed.messages)")
    return try FileManager.default.contentsOfDirectory(
      at: program.path(folder), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test func eachUnitRunsACommandThatThereIs() async throws {
    let (ours, theirs) = (try await units(Self.ours), try await units(Self.theirs))
    #expect(
      ours.map(\.lastPathComponent) == [
        "session-community-server.service", "session-daemon.service", "session-daemon.socket",
        "session-file-server.service", "session-node.service", "session-registry.service",
      ])
    #expect(
      theirs.map(\.lastPathComponent) == [
        "session-backup@.service", "session-backup@.timer", "session-receive@.service", "session.service",
        "session.socket",
      ])
    let pages = Manual(table: .session).pageNames
    for unit in ours + theirs {
      let lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n")
      if unit.pathExtension == "service" {
        let start = try #require(lines.first { $0.hasPrefix("ExecStart=") }).dropFirst("ExecStart=".count)
        let words = start.split(separator: " ").map { $0 == "%i" ? "alice" : String($0) }
        #expect(words.first == program.path("bin/session").path)
        _ = try SessionTool.invocation(from: Array(words.dropFirst()))
      }
      let named = try #require(lines.first { $0.hasPrefix("Documentation=") }).split(separator: "=")[1]
      for page in named.split(separator: " ") {
        #expect(pages.contains { page == "man:\($0)(1)" }, "\(page)")
      }
    }
  }

  /// The desktop finds the program by one name, and what it starts is a command that there is.
  @Test func theDesktopKnowsTheProgram() async throws {
    _ = try await units(Self.theirs)
    func lines(_ path: String) throws -> [String] {
      try String(contentsOf: program.path("share/\(path)"), encoding: .utf8).split(separator: "\n")
        .map(String.init)
    }
    let name = ApplicationID.name
    let service = try lines("dbus-1/services/\(name).service")
    #expect(service.contains("Name=\(name)") && service.contains("SystemdService=session.service"))
    for path in ["applications/\(name).desktop", "session/session-notifications.desktop"] {
      let starts = try lines(path).filter { $0.hasPrefix("Exec=") }.map { $0.dropFirst("Exec=".count) }
      #expect(!starts.isEmpty)
      for start in starts {
        let words = start.split(separator: " ").map(String.init)
        #expect(words.first == program.path("bin/session").path)
        _ = try SessionTool.invocation(from: Array(words.dropFirst()))
      }
    }
    let entry = try lines("applications/\(name).desktop")
    #expect(entry.contains("MimeType=x-scheme-handler/session;") && entry.contains("Actions=Share;"))
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)),
    arguments: [("--system", ours), ("--user", theirs)])
  func systemdUnderstandsThem(manager: String, folder: String) async throws {
    let files = try await units(folder).map(\.path)
    let variables = Self.variables.merging(["XDG_RUNTIME_DIR": program.folder.path]) { $1 }
    let judged = try await program.ranOther(
      Self.analyzer, [manager, "--man=no", "verify"] + files, with: variables)
    #expect(judged.status == 0)
    #expect(judged.messages.split(separator: "\n").filter { $0.contains("session-") } == [])
  }

  /// Sockets for other users are given to their group, and their clients are known by their own ids.
  @Test(arguments: [("session-daemon.service", ours), ("session.service", theirs)])
  func theDaemonCanServeOtherUsers(unit: String, folder: String) async throws {
    let file = try #require(try await units(folder).first { $0.lastPathComponent == unit })
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let refused = try #require(lines.firstIndex(of: "SystemCallFilter=~@privileged"))
    #expect(lines[refused...].contains("SystemCallFilter=@chown"))
    #expect(!lines.contains { $0.hasPrefix("PrivateUsers=") })
  }

  /// The socket for a group is made by systemd, and its rules are those of a further socket.
  @Test func theSocketOfAGroupHasItsRules() async throws {
    let unit = try #require(
      try await units(Self.ours).first { $0.lastPathComponent == "session-daemon.socket" })
    let lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n").map(String.init)
    let home = StorageRoots(inside: program.path("home").path)
    let rules = home.config + "/sockets.d"
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: true)
    let installed = program.path("share/session/group.toml").path
    try FileManager.default.copyItem(atPath: installed, toPath: rules + "/group.toml")
    var io = MemoryIO().io()
    io.read = { (path, _) in Array(FileManager.default.contents(atPath: path ?? "") ?? Data()) }
    let socket = try #require(try ExtraSocket.all(in: home, io).first)
    #expect(lines.contains("FileDescriptorName=\(socket.name)"))
    #expect(lines.contains("ListenStream=\(socket.path)"))
    #expect(socket.isForGroup && socket.scopes == [.read, .send, .manage])
    let folders = try String(contentsOf: program.path("lib/tmpfiles.d/session.conf"), encoding: .utf8)
    #expect(folders.contains("/sockets.d/group.toml 0600 session-daemon session-daemon - \(installed)\n"))
    let users = try String(contentsOf: program.path("lib/sysusers.d/session.conf"), encoding: .utf8)
    #expect(users.contains("g session "))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)))
  func theDaemonIsHandedItsPassphrase() async throws {
    let unit = try #require(
      try await units(Self.ours).first { $0.lastPathComponent == "session-daemon.service" })
    let text = try String(contentsOf: program.path("share/session/credential.conf"), encoding: .utf8)
    #expect(text.contains("LoadCredentialEncrypted=\(ServiceCredential.name):"))
    let dropIns = URL(filePath: unit.path + ".d")
    try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: false)
    try Data(text.utf8).write(to: dropIns.appending(path: "credential.conf"))
    let verified = try await program.ranOther(
      Self.analyzer, ["--man=no", "verify", unit.path], with: Self.variables)
    #expect(verified.messages.split(separator: "\n").filter { $0.contains("credential") } == [])
  }

  /// The daemon with the drop-in for one without hooks.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)),
    arguments: [("session-daemon.service", ours, 24, 16), ("session.service", theirs, 72, 63)])
  func theDaemonIsHardened(unit: String, folder: String, exposure: Int, withoutHooks: Int) async throws {
    let files = try await units(folder)
    let file = try #require(files.first { $0.lastPathComponent == unit })
    let variables = Self.variables.merging(["XDG_RUNTIME_DIR": program.folder.path]) { $1 }
    func judged(atMost exposure: Int) async throws -> Program.Outcome {
      try await program.ranOther(
        Self.analyzer,
        ["security", "--no-pager", "--offline=true", "--threshold=\(exposure)", file.path], with: variables)
    }
    #expect(try await judged(atMost: exposure).status == 0)
    // With the drop-in it is hardened further.
    let dropIns = URL(filePath: file.path + ".d")
    try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: program.path("share/session/no-hooks.conf"), to: dropIns.appending(path: "no-hooks.conf"))
    #expect(try await judged(atMost: withoutHooks).status == 0)
    let verified = try await program.ranOther(
      Self.analyzer, ["--man=no", "verify", file.path], with: variables)
    #expect(verified.messages.split(separator: "\n").filter { $0.contains("no-hooks") } == [])
  }
}
