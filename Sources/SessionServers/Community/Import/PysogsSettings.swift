import SessionBase

/// The configuration file of a pysogs server, `sogs.ini`.
struct PysogsSettings: Sendable {
  private static let day = 86_400

  /// Where its database, key and files are, as the file says.
  var database: String?
  var key: String?
  var uploads: String?
  /// The file of words that are not to be said.
  var words: String?
  /// The lines of our configuration.
  private(set) var lines: [String] = []
  /// Those without a counterpart, as `section.key`.
  private(set) var unknown: [String] = []

  init(_ text: String = "") {
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = line.dropFirst().dropLast().trimmed
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmed
      guard parts.count == 2, take(section, name, parts[1].trimmed) else {
        unknown.append(section.isEmpty ? name : "\(section).\(name)")
        continue
      }
    }
  }

  /// Takes a setting; false if it has no counterpart.
  private mutating func take(_ section: String, _ name: String, _ value: String) -> Bool {
    switch (section, name) {
    case ("db", "url"): database = value
    case ("crypto", "key_file"): key = value
    case ("files", "uploads_dir"): uploads = value
    case ("net", "base_url"):
      add("url", JSONText.quoted(value.last == "/" ? String(value.dropLast()) : value))
    case ("net", "http_show_index"): return add("web_index", flag: value)
    case ("net", "http_show_recent"): return add("web_recent", flag: value)
    case ("files", "expiry"): return add("file_days", days: value, 0...3650)
    case ("files", "max_size"): return add("max_file_bytes", number: value, 1...10_000_000)
    case ("rooms", "active_threshold"): return add("active_days", days: value, 1...365)
    case ("direct_messages", "expiry"): return add("dm_days", days: value, 1...365)
    case ("messages", "history_prune_threshold"): return add("history_days", days: value, 0...365)
    case ("messages", "profanity_custom"): words = value.isEmpty ? nil : value
    case ("messages", "profanity_silent"):
      guard let isSilent = Self.flag(value) else { return false }
      add("filter_words_outcome", JSONText.quoted(isSilent ? "silent" : "refuse"))
    case ("messages", "filter_mods"): return add("filter_moderators", flag: value)
    case ("messages", "alphabet_filters"): return add(alphabets: value)
    case ("users", "require_blind_keys"):
      guard let isRequired = Self.flag(value) else { return false }
      if !isRequired { add("blinding", JSONText.quoted("none")) }
    default: return false
    }
    return true
  }

  /// Takes over the file of words, which has got another name; nil if it cannot be read.
  mutating func settle(words name: String?) {
    guard let name else { return unknown.append("messages.profanity_custom") }
    add("filter_words", JSONText.quoted(name))
  }

  private mutating func add(_ name: String, _ value: String) { lines.append("\(name) = \(value)") }

  private mutating func add(_ name: String, flag text: String) -> Bool {
    guard let flag = Self.flag(text) else { return false }
    add(name, flag ? "true" : "false")
    return true
  }

  private mutating func add(_ name: String, number text: String, _ range: ClosedRange<Int>) -> Bool {
    guard let number = Int(text), range ~= number else { return false }
    add(name, "\(number)")
    return true
  }

  /// Days, which may have a fraction there.
  private mutating func add(_ name: String, days text: String, _ range: ClosedRange<Int>) -> Bool {
    guard let days = Double(text), days.isFinite, let whole = Int(exactly: days.rounded(.up)), range ~= whole
    else { return false }
    add(name, "\(whole)")
    return true
  }

  private mutating func add(alphabets text: String) -> Bool {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map { $0.lowercased() }
    let known = words.filter { FilterRules.Alphabet($0) != nil }
    if !known.isEmpty {
      add("filter_alphabets", "[\(known.map(JSONText.quoted).joined(separator: ", "))]")
    }
    return known.count == words.count
  }

  private static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }
}

extension StringProtocol {
  /// The text without white space around it.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
