// The changes of a transaction as they are announced to other processes: for each key its topic, and the number of its row.
extension ChangeSet {
  /// The channel of PostgreSQL on which changes are announced.
  static let channel = "session_changes"

  /// What is announced: rows by their numbers, and other keys by their topics.
  var announcements: Set<String> {
    Set(
      changes.keys.map { key in
        guard case .row(let row)? = key.subject else { return key.topic.rawValue }
        return "\(key.topic.rawValue) \(row)"
      })
  }

  /// The changes that were announced; everything may have changed if one of them cannot be read.
  package init(announcements: [String]) {
    self.init()
    for text in announcements {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      let row = parts.count == 2 ? Int64(parts[1]) : nil
      guard let topic = parts.first, !topic.isEmpty, parts.count == (row == nil ? 1 : 2) else {
        self = .external
        return
      }
      note(.updated, ObservationKey(ObservationKey.Topic(rawValue: String(topic)), row.map { .row($0) }))
    }
  }
}
