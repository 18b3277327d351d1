@testable import SessionTerminal

/// A terminal in memory: what it shows after bytes. It knows only the sequences that the program is to send.
struct TerminalModel {
  private(set) var rows: [[Cell]]
  private(set) var unknown: [String] = []
  private(set) var modes: Set<Int> = []
  private(set) var cursor = (x: 0, y: 0)
  private var style = ""
  /// The rows that scroll.
  private var part: Range<Int>

  struct Cell: Hashable {
    var text = " "
    var style = ""
  }

  init(_ size: ScreenSize) {
    rows = Array(repeating: Array(repeating: Cell(), count: size.columns), count: size.rows)
    part = 0..<size.rows
  }

  var text: String {
    rows.map { row in
      String(row.map(\.text).joined().reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }

  mutating func take(_ bytes: [UInt8]) {
    var text = Substring(String(decoding: bytes, as: UTF8.self))
    while let character = text.first {
      text.removeFirst()
      guard character == "\u{1B}" else {
        put(character)
        continue
      }
      guard text.first == "[" else {
        unknown.append("ESC \(text.first.map(String.init) ?? "")")
        continue
      }
      text.removeFirst()
      let parameters = text.prefix { !($0.isLetter || $0 == "~") }
      text = text[parameters.endIndex...]
      guard let end = text.popFirst() else { return }
      control(String(parameters), end)
    }
  }

  private mutating func put(_ character: Character) {
    guard let cluster = Cluster.line(String(character)).first, cluster.text == String(character),
      cursor.y < rows.count
    else {
      unknown.append("text \(character.unicodeScalars.map(\.value))")
      return
    }
    guard cursor.x + cluster.width <= rows[cursor.y].count else {
      unknown.append("beyond the row: \(character)")
      return
    }
    rows[cursor.y][cursor.x] = Cell(text: cluster.text, style: style)
    if cluster.width == 2 { rows[cursor.y][cursor.x + 1] = Cell(text: "", style: style) }
    cursor.x += cluster.width
  }

  private mutating func control(_ parameters: String, _ end: Character) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch end {
    case "H": cursor = ((numbers.last ?? 1) - 1, (numbers.first ?? 1) - 1)
    case "C": cursor.x += numbers.first ?? 1
    case "K": for x in cursor.x..<rows[cursor.y].count { rows[cursor.y][x] = Cell(style: style) }
    case "J": for y in rows.indices { for x in rows[y].indices { rows[y][x] = Cell() } }
    case "r":
      part = numbers.count == 2 ? numbers[0] - 1..<numbers[1] : 0..<rows.count
      cursor = (0, 0)
    case "M", "L":
      guard part.contains(cursor.y) else { break }
      let (count, blank) = (numbers.first ?? 1, Array(repeating: Cell(), count: rows[0].count))
      for _ in 0..<count {
        rows.remove(at: end == "M" ? cursor.y : part.upperBound - 1)
        rows.insert(blank, at: end == "M" ? part.upperBound - 1 : cursor.y)
      }
      cursor.x = 0
    case "m":
      style = parameters == "0" ? "" : parameters
    case "h" where parameters.hasPrefix("?"): modes.insert(Int(parameters.dropFirst()) ?? 0)
    case "l" where parameters.hasPrefix("?"): modes.remove(Int(parameters.dropFirst()) ?? 0)
    default: unknown.append("CSI \(parameters)\(end)")
    }
  }
}
