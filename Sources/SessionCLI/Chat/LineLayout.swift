import CEdit

/// The positions of a line's characters in libedit's layout, which may have several rows.
struct LineLayout {
  let columns: Int
  private(set) var row = 0
  private var column = 0

  init(columns: Int) { self.columns = max(columns, 2) }

  /// Puts characters behind those that are there.
  mutating func add(_ characters: some Sequence<wchar_t>) {
    for character in characters { add(width: Int(editing_width(character))) }
  }

  mutating func add(_ text: String) { add(text.unicodeScalars.lazy.map { wchar_t(bitPattern: $0.value) }) }

  private mutating func add(width: Int) {
    // A wide character is not cut in two.
    if column + width > columns { (row, column) = (row + 1, 0) }
    column += width
    if column >= columns { (row, column) = (row + 1, 0) }
  }
}
