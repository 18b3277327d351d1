import Glibc

/// Sockets that go on listening while the program starts itself anew: clients that connect meanwhile wait.
package struct KeptSockets: Sendable {
  struct Entry: Hashable, Sendable {
    /// As the service manager would name it.
    let name: String
    let descriptor: Int32
    /// True if the program made the socket itself, and removes its file when it ends.
    let isOwn: Bool
  }

  /// The variable that tells the new program of them. No other program sees it.
  package static let variable = "SESSION_KEPT_SOCKETS"

  var entries: [Entry] = []

  /// The value of the variable.
  package var text: String {
    (["\(getpid())"] + entries.map { "\($0.name)=\($0.descriptor)\($0.isOwn ? "+" : "")" }).joined(
      separator: " ")
  }

  /// No socket goes on listening: the new program makes all of them.
  package static let nothing = KeptSockets([])

  init(_ entries: [Entry]) { self.entries = entries }

  /// Reads the value; nil if it is meant for another process.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.first == "\(getpid())" else { return nil }
    for word in words.dropFirst() {
      let sides = word.split(separator: "=")
      guard sides.count == 2, let descriptor = Int32(sides[1].prefix { $0 != "+" }) else { return nil }
      entries.append(Entry(name: String(sides[0]), descriptor: descriptor, isOwn: sides[1].hasSuffix("+")))
    }
  }
}
