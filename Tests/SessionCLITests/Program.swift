import Foundation
import Spawning
import Testing

/// The real program, as the build made it, run in a folder of its own.
final class Program: Sendable {
  struct Outcome {
    let status: Int32
    let output: String
    let messages: String
  }

  let folder: URL
  /// The environment of the program; nil inherits that of the tests.
  private let environment: [String: String]?
  let executable: URL

  /// A program whose home is its folder, and that knows of nothing else.
  static func atHome() throws -> Program {
    try Program { folder in
      [
        "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "TZ": "UTC",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/system-bus",
      ]
    }
  }

  init(environment: (URL) -> [String: String]? = { _ in nil }) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    executable = URL(filePath: tests).deletingLastPathComponent().appending(path: "session")
    folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
    self.environment = environment(folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> URL { folder.appending(path: name) }

  /// Makes a file that its owner alone can read.
  func writeSecret(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: path(name))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name).path)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// Starts the program; its streams are files next to the folder.
  func start(_ words: [String], input: String = "", output: FileHandle? = nil) throws -> Running {
    let process = prepared(words)
    let streams = try Streams(input: input)
    process.standardInput = streams.input
    process.standardOutput = output ?? streams.output
    process.standardError = streams.messages
    try process.start()
    return Running(process: process, streams: streams)
  }

  /// The program with these words, in its folder.
  func prepared(_ words: [String]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = Self.permitted(words)
    process.currentDirectoryURL = folder
    // The settings of the person who runs the tests must not affect them.
    let own = ["XDG_CONFIG_HOME": path("config").path]
    process.environment = environment ?? ProcessInfo.processInfo.environment.merging(own) { $1 }
    return process
  }

  func run(_ words: String..., input: String = "") throws -> Outcome {
    try start(words, input: input).outcome()
  }

  /// Tests may run as root, which the daemon has to be told.
  private static func permitted(_ words: [String]) -> [String] {
    guard words.first == "daemon", words.dropFirst().first?.hasPrefix("--") ?? true, !words.contains("--help")
    else { return words }
    return words + ["--allow-root"]
  }

  /// Sends a signal to the program once the folder has so many names. It looks on a thread of its own: the tasks of other
  /// tests may keep one of this test waiting for longer than the program runs.
  func signal(_ running: Running, _ signal: Int32, atNames count: Int) async {
    let process = running.process.processIdentifier
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [path = folder.path] in
        func isReady() -> Bool {
          ((try? FileManager.default.contentsOfDirectory(atPath: path))?.count ?? 0) >= count
        }
        while !isReady() && kill(process, 0) == 0 { sched_yield() }
        kill(process, signal)
        continuation.resume()
      }
    }
  }

  struct Running {
    let process: Process
    fileprivate let streams: Streams

    /// The most memory the program held, in bytes, as the system tells until it ends. Before it has taken the place of
    /// the tests that start it, the memory is theirs.
    func peakMemory() async -> Int {
      let folder = "/proc/\(process.processIdentifier)"
      var peak = 0
      while process.isRunning {
        let image = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/exe")
        guard image == process.executableURL?.resolvingSymlinksInPath().path else {
          await Task.yield()
          continue
        }
        let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        peak = max(peak, (kibibytes ?? 0) * 1024)
        await Task.yield()
      }
      return peak
    }

    func outcome() throws -> Outcome {
      process.waitUntilExit()
      return Outcome(
        status: process.terminationStatus, output: try streams.read(streams.output),
        messages: try streams.read(streams.messages))
    }
  }

  /// Files without names, so that no pipe can fill up.
  fileprivate struct Streams {
    let input: FileHandle
    let output: FileHandle
    let messages: FileHandle

    init(input text: String) throws {
      input = try Self.file()
      try input.write(contentsOf: Data(text.utf8))
      try input.seek(toOffset: 0)
      output = try Self.file()
      messages = try Self.file()
    }

    func read(_ file: FileHandle) throws -> String {
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    private static func file() throws -> FileHandle {
      let url = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
      try Data().write(to: url)
      defer { try? FileManager.default.removeItem(at: url) }
      return try FileHandle(forUpdating: url)
    }
  }
}
