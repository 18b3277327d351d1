internal import CSpawn
import Glibc
import SessionBase
import SessionDesktop
import Synchronization

/// Opens this program in a terminal of its own on the desktop.
final class TerminalWindow: Sendable {
  /// How soon another one may be opened: what others can cause must not fill the screen.
  private static let interval = Duration.seconds(2)
  private static let maxFiles: UInt = 4096
  /// The programs that are tried, with the words before those of the command.
  private static let usual = [["xdg-terminal-exec"], ["x-terminal-emulator", "-e"]]

  private let environment: [String: String]
  /// What the person has set; read at each opening.
  private let chosen: @Sendable () -> String?
  private let last = Mutex<[Cause: ContinuousClock.Instant]>([:])

  /// Who wants a terminal: what programs on the bus do keeps no click of the person from opening one.
  enum Cause: Hashable, Sendable {
    case person
    case bus
  }

  init(_ environment: [String: String], chosen: @escaping @Sendable () -> String?) {
    (self.environment, self.chosen) = (environment, chosen)
  }

  /// Opens a conversation, or else the account. False if there is no terminal, or one was opened just now. Blocks.
  @discardableResult
  func open(
    _ account: String?, _ conversation: String?, token: String?, for cause: Cause, on bus: Bus
  ) -> Bool {
    let words = conversation.map { ["chat", $0] } ?? ["ui"]
    return open(words + (account.map { ["--account=\($0)"] } ?? []), token: token, for: cause, on: bus)
  }

  /// Opens this program with these words. Where systemd has started this process and knows the display, it starts the
  /// terminal, too: in the environment of the desktop, and not bound to the unit.
  @discardableResult
  func open(_ words: [String], token: String?, for cause: Cause, on bus: Bus) -> Bool {
    let isSoon = last.withLock { last in
      let now = ContinuousClock.now
      guard last[cause].map({ now - $0 < Self.interval }) ?? false else {
        last[cause] = now
        return false
      }
      return true
    }
    guard !isSoon else { return false }
    let manager = UserManager(on: bus)
    if UserManager.started(environment), let desktop = manager.environment(), UserManager.hasDisplay(desktop)
    {
      var variables = environment.filter { Self.folders.contains($0.key) }
      variables["XDG_ACTIVATION_TOKEN"] = token
      let unit = "session-terminal-\(String(UInt64.random(in: .min ... .max), radix: 36)).service"
      let isStarted = commands(words, in: desktop).contains { command in
        manager.start(command, variables, unit: unit, description: "Session in a terminal")
      }
      if isStarted { return true }
    }
    var environment = UserManager.withoutUnit(environment)
    environment["XDG_ACTIVATION_TOKEN"] = token
    return commands(words, in: environment).contains { Self.start($0, environment) }
  }

  /// Where the accounts are: the terminal has to find the same.
  private static let folders: Set = [
    "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
  ]

  /// The commands that may open this program in a terminal, the best first.
  private func commands(_ words: [String], in environment: [String: String]) -> [[String]] {
    candidates.compactMap { terminal in
      Self.path(of: terminal[0], in: environment).map {
        [$0] + terminal.dropFirst() + [Self.ownPath] + words
      }
    }
  }

  private var candidates: [[String]] {
    let words = chosen()?.split(separator: " ").map(String.init) ?? []
    return words.isEmpty ? Self.usual : [words]
  }

  /// This program, also where a newer one has taken its name.
  private static let ownPath: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.isEmpty ? "session" : path.replacing(" (deleted)", with: "")
  }()

  private static func path(of program: String, in environment: [String: String]) -> String? {
    guard !program.contains("/") else { return program.hasPrefix("/") ? program : nil }
    return (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }

  private static func start(_ words: [String], _ environment: [String: String]) -> Bool {
    let nothing = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else { return false }
    defer { close(nothing) }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var processFile: Int32 = -1
    let process = words[0].withCString { path in
      (environment["HOME"] ?? "/").withCString { folder in
        arguments.withUnsafeBufferPointer { arguments in
          variables.withUnsafeBufferPointer { variables in
            var request = spawn_request(
              path: path, arguments: arguments.baseAddress, environment: variables.baseAddress,
              folder: folder, input: nothing, output: nothing, errors: nothing, files: maxFiles, size: 0)
            return spawn_start(&request, &processFile)
          }
        }
      }
    }
    guard process > 0 else { return false }
    close(processFile)
    // It stays for as long as the person likes.
    _ = OwnThread.start {
      while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
    return true
  }
}
