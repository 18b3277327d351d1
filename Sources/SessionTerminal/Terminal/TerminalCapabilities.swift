/// What the terminal can do, from its name, the environment and its own answers.
package struct TerminalCapabilities: Hashable, Sendable {
  /// The kind of the terminal, `TERM`.
  package let kind: String
  package var depth: Theme.Depth
  /// False where lines are drawn with `-` and `|`.
  package var hasBoxes: Bool
  package private(set) var isSynchronised = false
  package private(set) var tellsAllKeys = false
  package private(set) var isLight: Bool?
  /// How long a lone Esc is waited for, in milliseconds.
  package let escapeWait: Int

  /// Nil where nothing can be drawn: no terminal, or one that cannot move its cursor.
  package init?(environment: [String: String]) {
    kind = environment["TERM"] ?? ""
    guard !kind.isEmpty, kind != "dumb" else { return nil }
    let isOld = kind == "linux" || kind.hasPrefix("vt")
    hasBoxes = !isOld && Self.isUnicode(environment)
    if !environment["NO_COLOR", default: ""].isEmpty {
      depth = .none
    } else if isOld {
      depth = .sixteen
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") {
      depth = .all
    } else {
      depth = kind.contains("256") || kind.contains("kitty") ? .many : .sixteen
    }
    let isRemote = environment["SSH_TTY"] != nil || environment["MOSH_KEY"] != nil
    escapeWait = isRemote ? 100 : 25
  }

  /// True if the locale has all characters. The first of these variables that is set decides.
  private static func isUnicode(_ environment: [String: String]) -> Bool {
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }

  package mutating func take(_ answer: TerminalAnswer) {
    switch answer {
    case .mode(2026, isKnown: true): isSynchronised = true
    case .keyboard: tellsAllKeys = true
    case .background(let red, let green, let blue):
      isLight = (299 * red + 587 * green + 114 * blue) / 1000 > 127
    case .name, .attributes, .mode, .fence, .other: break
    }
  }
}
