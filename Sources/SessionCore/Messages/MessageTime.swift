/// A timestamp of a message; together with the author it identifies the message.
public struct MessageTime: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// Milliseconds since 1970.
  public let milliseconds: UInt64

  public init(milliseconds: UInt64) throws(SessionError) {
    try MessageRule.timeZero.require(milliseconds > 0)
    try MessageRule.timeRange.require(milliseconds <= Int64.max)
    self.milliseconds = milliseconds
  }

  public init(from decoder: any Decoder) throws {
    try self.init(milliseconds: decoder.singleValueContainer().decode(UInt64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }

  public var seconds: UInt64 { milliseconds / 1000 }

  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

  public var description: String { String(milliseconds) }
}
