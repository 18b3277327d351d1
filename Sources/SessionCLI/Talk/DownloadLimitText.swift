import SessionMessaging

/// Limits of automatic downloads as values of settings.
enum DownloadLimitText {
  /// Reads `image 2M`, or `file off`. Nil for anything else.
  static func limit(_ text: String) -> (kind: DownloadRules.Kind, limit: Int64)? {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, let kind = DownloadRules.Kind(rawValue: words[0]), let limit = size(words[1]),
      limit <= DownloadRules.highest
    else { return nil }
    return (kind, limit)
  }

  /// Reads `off`, or a size such as `200M`. Nil for anything else.
  static func size(_ text: String) -> Int64? {
    guard text != "off" else { return 0 }
    return ByteCount.parse(text).flatMap { $0 <= DownloadRules.highestBudget ? $0 : nil }
  }

  static func text(_ rules: DownloadRules) -> String {
    DownloadRules.Kind.allCases.map { kind in
      let limit = rules.limit(of: kind)
      return "\(kind.rawValue) \(limit == 0 ? "off" : ByteCount.text(limit))"
    }.joined(separator: ", ")
  }
}
