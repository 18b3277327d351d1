internal import CSpawn
import Glibc
import SessionBase
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
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  init(_ environment: [String: String], chosen: @escaping @Sendable () -> String?) {
    (self.environment, self.chosen) = (environment, chosen)
  }

  /// Opens a conversation, or else the account. False if there is no terminal, or one was opened just now.
  @discardableResult
  func open(_ account: String?, _ conversation: String?, token: String?) -> Bool {
    let isSoon = last.withLock { last in
      let now = ContinuousClock.now
      guard last.map({ now - $0 < Self.interval }) ?? false else {
        last = now
        return false
      }
      return true
    }
    guard !isSoon else { return false }
    var words = conversation.map { ["chat", $0] } ?? ["ui"]
    if let account { words.append("--account=\(account)") }
    var environment = environment
    environment["XDG_ACTIVATION_TOKEN"] = token
    for terminal in candidates {
      guard let program = Self.path(of: terminal[0], in: environment) else { continue }
      if Self.start([program] + terminal.dropFirst() + [Self.ownPath] + words, environment) { return true }
    }
    return false
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
              folder: folder, input: nothing, output: nothing, errors: nothing, files: maxFiles)
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
