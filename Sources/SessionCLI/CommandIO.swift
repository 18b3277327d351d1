import FoundationEssentials
import Glibc
import SessionBase
public import SessionCore
import SessionMessaging
import SessionStorage

/// The world as a command sees it: its streams, and the small files it reads and makes.
public struct CommandIO: Sendable {
  /// Reads a file, or standard input for nil, up to a number of bytes.
  public var read: @Sendable (_ path: String?, _ upTo: Int) throws(SessionError) -> [UInt8]
  /// True if other users can read a file of this user.
  var isExposed: @Sendable (_ path: String) -> Bool = { _ in false }
  /// Makes a file that its owner alone can read. A file that is there already is left alone.
  public var create: @Sendable (_ path: String, _ content: SecretText) throws(SessionError) -> Void
  /// Writes to standard output.
  public var write: @Sendable (_ bytes: Span<UInt8>) throws(SessionError) -> Void
  /// Writes a line to standard error.
  public var tell: @Sendable (_ line: String) -> Void
  /// Asks the person at the terminal for something that is not shown while it is typed; nil without a terminal.
  public var askSecret: @Sendable (_ question: String) async throws -> [UInt8]?
  /// Asks the person at the terminal for a line; nil without a terminal.
  var askLine: @Sendable (_ question: String) async throws -> String? = { _ in nil }
  /// True if standard input is a terminal.
  var isInputTerminal = false
  public var environment: [String: String]
  /// Milliseconds since the beginning of 1970.
  public var now: @Sendable () -> UInt64
  /// True if standard output is a terminal.
  public var isTerminal: Bool
  /// The user's settings.
  var settings = UserSettings()
  /// The account of a command that this program carries out for another one; nil for a command of its own.
  var served: Messenger?
  /// The event that a served command settles with its change.
  var settled: EventAcknowledgement?
  /// The files that came with that program's call.
  var attached = AttachedFiles()
  /// True for a command of another program, while this one has the account closed for it.
  var isAlone = false
  /// The registered names that were resolved.
  var names = RegisteredNames()
  /// What the settings of a server say of sites, for a command that it serves.
  var servedSites: (@Sendable () throws(CommandFailure) -> SiteAccess)?
  /// What became of the links of the last messages. A served command has that of its server.
  var previews = LinkPreviewCache()
  /// The secrets that take the place of a person who types them; nil where a person may be asked.
  var given: GivenSecrets?
  /// Reads the settings again in this program; nil if it is not the daemon.
  var reloadSettings: (@Sendable () async -> Void)?
  /// Has times be shown as they are in Greenwich from now on.
  var showUniversalTimes: @Sendable () -> Void = {}
  /// The width of the terminal of standard error; nil if it is not one.
  public var messageColumns: @Sendable () -> Int? = { nil }
  /// The width of the terminal of standard output; nil if it is not one.
  var outputColumns: @Sendable () -> Int? = { nil }
  /// Writes to standard error as it is, without an end of the line.
  public var draw: @Sendable (_ text: String) -> Void = { _ in }

  public init(
    read: @escaping @Sendable (String?, Int) throws(SessionError) -> [UInt8],
    create: @escaping @Sendable (String, SecretText) throws(SessionError) -> Void,
    write: @escaping @Sendable (Span<UInt8>) throws(SessionError) -> Void,
    tell: @escaping @Sendable (String) -> Void,
    askSecret: @escaping @Sendable (String) async throws -> [UInt8]?,
    environment: [String: String],
    now: @escaping @Sendable () -> UInt64,
    isTerminal: Bool
  ) {
    self.read = read
    self.create = create
    self.write = write
    self.tell = tell
    self.askSecret = askSecret
    self.environment = environment
    self.now = now
    self.isTerminal = isTerminal
  }

  /// The streams of this process, and its file system.
  public static func system() -> CommandIO {
    let input = OpenFile(adopting: STDIN_FILENO, name: "standard input")
    let output = OpenFile(adopting: STDOUT_FILENO, name: "standard output")
    let messages = OpenFile(adopting: STDERR_FILENO, name: "standard error")
    var io = CommandIO(
      read: { (path, limit) throws(SessionError) in
        try SessionError.files { () throws(FileError) in
          guard let path else { return try input.readAll(upTo: limit) }
          return try OpenFile(reading: path).readAll(upTo: limit)
        }
      },
      create: { (path, content) throws(SessionError) in
        do throws(FileError) {
          let file = try PendingFile(for: path)
          try content.withUTF8 { (bytes) throws(FileError) in try file.write(bytes) }
          try file.write([UInt8(ascii: "\n")].span)
          try file.commit()
        } catch {
          throw SessionError(error)
        }
      },
      write: { (bytes) throws(SessionError) in
        try SessionError.files { () throws(FileError) in try output.write(bytes) }
      },
      tell: { line in
        // With standard error closed the failure cannot be reported.
        try? messages.write(Array((line + "\n").utf8).span)
      },
      askSecret: { question in try await TerminalPrompt.askSecret(question) },
      environment: ProcessInfo.processInfo.environment,
      now: { MachineClock.wallMilliseconds },
      isTerminal: isatty(STDOUT_FILENO) == 1)
    io.askLine = { question in try await TerminalPrompt.askLine(question) }
    io.isInputTerminal = isatty(STDIN_FILENO) == 1
    let isDumb = io.environment["TERM"] == "dumb"
    io.messageColumns = { isDumb ? nil : Terminal.columns(of: STDERR_FILENO) }
    io.outputColumns = { Terminal.columns(of: STDOUT_FILENO) }
    io.showUniversalTimes = {
      setenv("TZ", "UTC", 1)
      tzset()
    }
    io.isExposed = { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        && status.st_mode & 0o077 != 0
    }
    io.draw = { text in try? messages.write(Array(text.utf8).span) }
    return io
  }

  /// True if headings are coloured. `NO_COLOR` and dumb terminals decide unless the user has set it.
  var hasColour: Bool {
    switch settings.colour {
    case .always: true
    case .never: false
    case .auto: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }

  /// The folders that everything is kept in.
  func roots() throws(CommandFailure) -> StorageRoots {
    guard let roots = try? StorageRoots(environment: environment) else {
      throw CommandFailure(
        status: .cannotCreate,
        message: "no folder for data: HOME is not set, or is not an absolute path",
        advice: "Set HOME, or XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME and XDG_CONFIG_HOME."
      )
    }
    return roots
  }

  /// The same environment with the user's settings; without a home there are none.
  func withSettings() throws(CommandFailure) -> CommandIO {
    guard let roots = try? roots() else { return self }
    var io = self
    io.settings = try UserSettingsFile(roots).read(self)
    if io.settings.times == .universal { showUniversalTimes() }
    return io
  }
}

extension CommandIO {
  /// Asks the person at the terminal whether to do something; nil without a terminal.
  func confirm(_ question: String) async throws -> Bool? {
    guard isInputTerminal, let typed = try await askLine(question) else { return nil }
    return ["y", "yes"].contains(typed.lowercased())
  }
}

extension CommandIO {
  /// Reads a file that holds a secret, or standard input for nil or a dash. A file of this user's that others may read is
  /// refused.
  func readSecret(_ path: String?, upTo limit: Int) throws(CommandFailure) -> [UInt8] {
    let path = path == "-" ? nil : path
    // A path such as /dev/fd/3 names an open descriptor, whose opener chose its permissions.
    if let path, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/"), isExposed(path) {
      throw CommandFailure(
        status: .configuration, message: "others can read \(path), which contains a secret",
        advice: "run: chmod 600 '\(path)'")
    }
    do {
      return try read(path, limit)
    } catch {
      throw CommandFailure(error)
    }
  }
}
