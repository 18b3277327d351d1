/// A named value of a logged event.
public struct LogField: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case number(Int64)
    /// The name of something of the program, such as a kind of failure.
    case code(String)
    /// A person, group or server: the first and last digits of an id.
    case person(String)
  }

  public let name: String
  public let value: Value

  private init(_ name: StaticString, _ value: Value) {
    self.name = "\(name)"
    self.value = value
  }

  public static func count(_ count: Int, _ name: StaticString = "count") -> LogField {
    LogField(name, .number(Int64(count)))
  }

  /// The number of a row, of a message for example.
  public static func row(_ number: Int64, _ name: StaticString = "message") -> LogField {
    LogField(name, .number(number))
  }

  /// One of the cases of an enum.
  public static func code(_ code: some CaseIterable, _ name: StaticString = "reason") -> LogField {
    LogField(name, .code("\(code)"))
  }

  /// A person, group or server, whose id is cut to four digits at both ends.
  public static func person(_ id: some LoggableID, _ name: StaticString = "person") -> LogField {
    let digits = id.description
    return LogField(name, .person("\(digits.prefix(4))…\(digits.suffix(4))"))
  }

  /// The kind of a failure, without its message, which may name people, files and hosts.
  public static func error(_ error: any Error, _ name: StaticString = "error") -> LogField {
    let type = "\(type(of: error))"
    guard let code = (error as? any CodedError)?.codeName else { return LogField(name, .code(type)) }
    return LogField(name, .code("\(type).\(code)"))
  }
}

/// The id of a person, group or server, written in many more than eight digits.
public protocol LoggableID: CustomStringConvertible {}

/// An error that has a code.
public protocol CodedError: Error {
  associatedtype Code: RawRepresentable

  var code: Code { get }
}

extension CodedError {
  /// What the program calls it.
  fileprivate var codeName: String { "\(code.rawValue)" }
}
