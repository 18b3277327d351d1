/// Something that can be watched: a row of a kind, or all of them.
public struct ObservationKey: Hashable, Sendable {
  /// A kind of things. Every module names its own.
  public struct Topic: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Which one of its kind.
  public enum Subject: Hashable, Sendable {
    case row(Int64)
    case name(String)
  }

  public let topic: Topic
  /// Nil means all of the kind.
  public let subject: Subject?

  public init(_ topic: Topic, _ subject: Subject? = nil) {
    self.topic = topic
    self.subject = subject
  }

  /// The key for all of its kind.
  public var whole: ObservationKey { ObservationKey(topic) }

  /// True if both keys may refer to the same row.
  func overlaps(_ other: ObservationKey) -> Bool {
    topic == other.topic && (subject == nil || other.subject == nil || subject == other.subject)
  }
}

extension ObservationKey: CustomStringConvertible {
  public var description: String {
    switch subject {
    case nil: topic.rawValue
    case .row(let row): "\(topic.rawValue) \(row)"
    case .name(let name): "\(topic.rawValue) \(name)"
    }
  }
}
