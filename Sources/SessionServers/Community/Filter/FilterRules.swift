/// What an operator does not want to be said in rooms.
public struct FilterRules: Hashable, Sendable {
  /// What happens to a message that a filter catches.
  public enum Outcome: String, CaseIterable, Sendable {
    /// The author learns of it.
    case refuse
    /// The author alone sees the message.
    case silent
  }

  /// Scripts that a room does not take.
  public enum Alphabet: Hashable, Sendable {
    case arabic, persian, cyrillic
    case script(UnicodeScript)

    /// An alphabet, or a script of Unicode, by its name in either case; nil if there is none.
    public init?(_ name: String) {
      switch name.lowercased() {
      case "arabic": self = .arabic
      case "persian": self = .persian
      case "cyrillic": self = .cyrillic
      default:
        guard let script = UnicodeScript(name) else { return nil }
        self = .script(script)
      }
    }
  }

  /// Words that are not to be said, one a line: `*` at an end stands for any letters.
  public var words: [String] = []
  public var wordsOutcome = Outcome.refuse
  public var alphabets: Set<Alphabet> = []
  public var alphabetsOutcome = Outcome.refuse
  /// Hosts to which links may lead; nil for all.
  public var linkHosts: Set<String>?
  public var linksOutcome = Outcome.refuse
  /// A program that looks at the messages which the other filters accept; its path.
  public var program: String?
  /// The time that the program has for an answer.
  public var programTime: Duration = .milliseconds(200)
  /// True if messages are refused while the program does not answer.
  public var refusesWithoutProgram = false
  /// True if moderators are filtered, too.
  public var appliesToModerators = false

  /// Replies to authors of caught messages, one at random; empty for none. See ``FilterReply``.
  public var replies: [String] = []
  /// True if everybody sees the reply; otherwise only the author of the message does.
  public var repliesArePublic = false
  /// The name that the replies come from.
  public var replyName = "Filter"

  public init() {}
}
