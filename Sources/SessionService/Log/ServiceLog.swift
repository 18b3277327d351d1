import FoundationEssentials
public import SessionBase

/// The log of a server for its operator: lines with a time, a level, a text, and named values.
///
/// It contains no user data: no accounts, no addresses of clients, no message content; only nodes, their keys,
/// numbers and codes.
public struct ServiceLog: Sendable {
  public enum Level: Int, Comparable, CaseIterable, Sendable {
    case error
    case warning
    case info
    case debug

    public init?(named name: String) {
      guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    public var name: String { "\(self)" }

    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  public enum Form: String, CaseIterable, Sendable {
    /// `2026-01-31T12:00:00.000Z info node began address=127.0.0.1:22020`
    case text
    /// An object a line.
    case json
  }

  /// The lowest level to log.
  public let level: Level
  public let form: Form
  private let wallClock: @Sendable () -> UInt64
  private let write: (@Sendable (String) -> Void)?

  /// Logs nothing.
  public static let silent = ServiceLog()

  private init() {
    (level, form, wallClock, write) = (.error, .text, { 0 }, nil)
  }

  /// `write` gets whole lines without their end, from any thread.
  public init(
    level: Level, form: Form = .text,
    wallClock: @escaping @Sendable () -> UInt64 = { MachineClock.wallMilliseconds },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.level = level
    self.form = form
    self.wallClock = wallClock
    self.write = write
  }

  /// Logs an event.
  public func callAsFunction(
    _ level: Level, _ event: String, _ values: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    guard let write, level <= self.level else { return }
    switch form {
    case .text: write(text(level, event, values()))
    case .json: write(json(level, event, values()))
    }
  }

  private func text(_ level: Level, _ event: String, _ values: KeyValuePairs<String, String>) -> String {
    let pairs = values.map { " \($0)=\(Self.word($1))" }.joined()
    return "\(time) \(level.name) \(Self.oneLine(event))\(pairs)"
  }

  private func json(_ level: Level, _ event: String, _ values: KeyValuePairs<String, String>) -> String {
    let head = [("time", time), ("level", level.name), ("event", event)]
    let members = head + values.map { ($0.key, $0.value) }
    return "{" + members.map { JSONText.quoted($0) + ":" + JSONText.quoted($1) }.joined(separator: ",") + "}"
  }

  private var time: String {
    let milliseconds = wallClock()
    let whole = Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601).dropLast()
    let rest = "\(milliseconds % 1000)"
    return "\(whole).\(String(repeating: "0", count: 3 - rest.count))\(rest)Z"
  }

  /// A value as it stands in a line: in quotation marks where it is more than a word.
  private static func word(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" }
    return isPlain ? value : JSONText.quoted(value)
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
