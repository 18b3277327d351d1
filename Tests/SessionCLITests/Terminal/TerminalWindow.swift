import Foundation
import Glibc
import Spawning
import Synchronization
import Testing

/// A program on a terminal drawn by tmux. The screen is read whenever tmux reports a change.
final class TerminalWindow: Sendable {
  /// Longer than the program needs to reach the network again after a busy machine has interrupted it.
  private static let limit = Duration.seconds(180)

  private let process = Process()
  private let commands = Pipe.closedOnExec()
  private let lines: AsyncStream<String>
  private let shown = Mutex("")

  /// Runs the program, and then says how it ended and whether the terminal shows again what is typed.
  init(_ program: Program, _ words: [String], columns: Int = 60, rows: Int = 24) async throws {
    let model = program.prepared(words)
    let answers = Pipe.closedOnExec()
    let (lines, telling) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let executable = try #require(model.executableURL).path
    let line = ([executable] + words).map { "'\($0)'" }.joined(separator: " ")
    // Ctrl-C reaches the shell as well, which goes on.
    let ending = #"printf 'ended %s\n' $?; stty -a | tr ' ;' '\n\n' | grep -x -e icanon -e echo; exec cat"#
    // Test threads may block signals, and children inherit that: a child would never see SIGTERM.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "--default-signal", "tmux", "-S", program.path("tmux-\(UInt32.random(in: 0...UInt32.max))").path,
      "-f", "/dev/null", "-u", "-C",
      "new-session",
      "trap : INT; \(line); \(ending)",
    ]
    process.currentDirectoryURL = program.folder
    var environment = model.environment ?? [:]
    environment["PATH"] = "/usr/bin:/bin"
    environment["LANG"] = "C.UTF-8"
    environment["SHELL"] = "/bin/sh"
    process.environment = environment
    process.standardInput = commands
    process.standardOutput = answers
    process.standardError = FileHandle.nullDevice
    try process.start()
    try answers.fileHandleForWriting.close()
    Thread.detachNewThread { Self.read(answers.fileHandleForReading, telling) }
    _ = await reply()
    try await call("resize-window -x \(columns) -y \(rows)")
  }

  deinit {
    if process.isRunning {
      // Programs that a failed test left behind end with the terminal.
      try? commands.fileHandleForWriting.write(contentsOf: Data("kill-server\n".utf8))
      try? commands.fileHandleForWriting.close()
    }
    let child = process.processIdentifier
    Thread.detachNewThread { Self.reap(child) }
  }

  /// Reaps a child process. Otherwise a test that waits for any child process would find this one again and again.
  private static func reap(_ child: pid_t) {
    while waitpid(child, nil, 0) == -1, errno == EINTR {}
  }

  private static func read(_ handle: FileHandle, _ telling: AsyncStream<String>.Continuation) {
    var rest: [UInt8] = []
    while case let data = handle.availableData, !data.isEmpty {
      rest += data
      let whole = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Array(whole.last ?? [])
      for line in whole.dropLast() { telling.yield(String(decoding: line, as: UTF8.self)) }
    }
    telling.finish()
  }

  func type(_ text: String) async throws {
    let quoted = text.replacing("'", with: "'\\''")
    try await call("send-keys -l '\(quoted)'")
  }

  /// Pastes a text, as a terminal does on whose clipboard it is.
  func paste(_ text: String) async throws {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
      "\n", with: "\\n"
    )
    .replacing("$", with: "\\$")
    try await call("set-buffer -- \"\(escaped)\"")
    try await call("paste-buffer -p")
  }

  /// A key by the name that tmux knows it by.
  func press(_ key: String) async throws { try await call("send-keys \(key)") }

  /// Gives the terminal another size.
  func resize(columns: Int, rows: Int) async throws {
    try await call("resize-window -x \(columns) -y \(rows)")
  }

  func enter(_ text: String) async throws {
    try await type(text)
    try await press("Enter")
  }

  /// Waits until the screen shows all of these texts, and returns its content.
  @discardableResult
  func see(_ texts: String...) async throws -> String {
    let seen = try await withThrowingTaskGroup(of: String?.self) { group in
      group.addTask { [self] in try await wait(for: texts) }
      group.addTask {
        try? await Task.sleep(for: Self.limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    return try #require(seen, "\(texts) never came; this is there:\n\(shown.withLock { $0 })")
  }

  private func wait(for texts: [String]) async throws -> String? {
    while true {
      let screen =
        try await call("capture-pane -p")
        .joined(separator: "\n").trimmingCharacters(in: .newlines) + "\n"
      shown.withLock { $0 = screen }
      if texts.allSatisfy(screen.contains) { return screen }
      repeat {
        guard let line = await next() else { return nil }
        if line.hasPrefix("%output") { break }
      } while true
    }
  }

  /// Takes the terminal away.
  func close() async throws {
    try commands.fileHandleForWriting.write(contentsOf: Data("kill-server\n".utf8))
    // tmux waits for the end of the command.
    try commands.fileHandleForWriting.close()
    while let line = await next(), !line.hasPrefix("%exit") {}
    let child = process.processIdentifier
    await withCheckedContinuation { waiting in
      Thread.detachNewThread {
        Self.reap(child)
        waiting.resume()
      }
    }
  }

  @discardableResult
  private func call(_ command: String) async throws -> [String] {
    try commands.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    return await reply()
  }

  /// The lines that answer a command.
  private func reply() async -> [String] {
    var reply: [String]?
    while let line = await next() {
      if line.hasPrefix("%begin ") {
        reply = []
      } else if line.hasPrefix("%end ") || line.hasPrefix("%error ") {
        return reply ?? []
      } else {
        reply?.append(line)
      }
    }
    return []
  }

  private func next() async -> String? {
    for await line in lines { return line }
    return nil
  }
}

/// A screen as it is pinned in Golden: times are those of no day.
func expectScreen(_ screen: String, _ name: String, _ location: SourceLocation = #_sourceLocation) throws {
  let text = screen.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "2026-03-01 14:05")
  let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden/\(name).txt")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil { try Data(text.utf8).write(to: golden) }
  let pinned = String(decoding: try Data(contentsOf: golden), as: UTF8.self)
  #expect(text == pinned, "the screen is another:\n\(text)", sourceLocation: location)
}
