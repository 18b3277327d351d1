/// What a client notes for a person who looks for a fault.
///
///     log(.warn, .poller, "poll-failed", .error(error), .person(owner, "owner"))
///
/// Neither what people write nor who they are can be logged: an event has a static name, and a field has one of a few
/// types, none of which takes a text that was made at run time.
public struct ClientLog: Sendable {
  public enum Level: String, Sendable, CaseIterable, Comparable {
    /// Something was lost, or does not work until a person helps.
    case error
    /// Something did not work, and is tried again or done in another way.
    case warn
    case info
    case debug
    case trace

    public static func < (one: Level, other: Level) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// The part of the program that something happened in.
  public enum Part: String, Sendable, CaseIterable {
    case account
    case configs
    case daemon
    case files
    case hooks
    case jobs
    case messages
    case network
    case poller
  }

  /// Something that happened.
  public struct Event: Hashable, Sendable {
    public let level: Level
    public let part: Part
    public let name: String
    public let fields: [LogField]
  }

  private let write: (@Sendable (Event) -> Void)?

  /// Logs nothing.
  public static let silent = ClientLog()

  private init() { write = nil }

  /// `write` gets each event, from any thread. It must not block.
  public init(write: @escaping @Sendable (Event) -> Void) { self.write = write }

  /// A log that passes each event to both.
  public func and(_ other: ClientLog) -> ClientLog {
    guard let write else { return other }
    guard let second = other.write else { return self }
    return ClientLog { event in
      write(event)
      second(event)
    }
  }

  /// Logs an event.
  public func callAsFunction(_ level: Level, _ part: Part, _ name: StaticString, _ fields: LogField...) {
    write?(Event(level: level, part: part, name: "\(name)", fields: fields))
  }
}
