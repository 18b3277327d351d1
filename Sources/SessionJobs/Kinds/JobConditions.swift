/// Conditions for a job to run. The program reports which hold; jobs that need others wait.
public struct JobConditions: OptionSet, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// There is a way into the network.
  public static let network = JobConditions(rawValue: 1)
  /// The keys of the account can be used.
  public static let unlocked = JobConditions(rawValue: 2)
  /// The account is in use: it was not left, and is not being deleted.
  public static let accountActive = JobConditions(rawValue: 4)

  /// The first bit that is free for the program's own conditions.
  public static let firstFree = 8
}

extension JobConditions: CustomStringConvertible {
  public var description: String {
    let names: [(JobConditions, String)] = [
      (.network, "network"), (.unlocked, "unlocked"), (.accountActive, "account active"),
    ]
    var rest = self
    var words: [String] = []
    for (condition, name) in names where contains(condition) {
      words.append(name)
      rest.subtract(condition)
    }
    for bit in 0..<63 where rest.rawValue & (1 << bit) != 0 { words.append("condition \(bit)") }
    return words.joined(separator: ", ")
  }
}
