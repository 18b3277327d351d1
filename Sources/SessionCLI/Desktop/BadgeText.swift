/// How the number of unread messages is written, such as `{unread} new, {mentions} for you`.
struct BadgeText: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(Name)
  }

  enum Name: String, CaseIterable, Sendable {
    case unread
    case mentions
    case requests
  }

  /// Why a text is none.
  struct Mistake: Error, Hashable {
    let description: String
  }

  let parts: [Part]

  static let usual = BadgeText(parts: [.value(.unread)])
  static let names = Name.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")

  private init(parts: [Part]) { self.parts = parts }

  init(_ text: String) throws(Mistake) {
    var (parts, rest) = ([Part](), Substring(text))
    while let begin = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[begin] == "{", let end = rest[begin...].firstIndex(of: "}") else {
        throw Mistake(description: "a brace is missing")
      }
      let word = rest[rest.index(after: begin)..<end]
      guard let name = Name(rawValue: String(word)) else {
        throw Mistake(description: "{\(word)} is none of \(Self.names)")
      }
      if begin > rest.startIndex { parts.append(.text(String(rest[..<begin]))) }
      parts.append(.value(name))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  func line(_ counts: UnreadCounts) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .value(.unread): "\(counts.total)"
      case .value(.mentions): "\(counts.mentions)"
      case .value(.requests): "\(counts.requests)"
      }
    }.joined()
  }
}
