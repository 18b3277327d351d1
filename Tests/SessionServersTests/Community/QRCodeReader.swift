/// Reads a text from the modules of a QR code that is not damaged, of level M and a version from 1 to 10.
struct QRCodeReader {
  /// The blocks of level M by version: how many there are of how many bytes of data.
  private static let blocks: [[(count: Int, data: Int)]] = [
    [(1, 16)], [(1, 28)], [(1, 44)], [(2, 32)], [(2, 43)], [(4, 27)], [(4, 31)], [(2, 38), (2, 39)],
    [(3, 36), (2, 37)], [(4, 43), (1, 44)],
  ]
  private static let alignments: [[Int]] = [
    [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
  ]
  private static let masks: [@Sendable (Int, Int) -> Bool] = [
    { ($0 + $1) % 2 == 0 }, { row, _ in row % 2 == 0 }, { _, column in column % 3 == 0 },
    { ($0 + $1) % 3 == 0 },
    { ($0 / 2 + $1 / 3) % 2 == 0 }, { $0 * $1 % 2 + $0 * $1 % 3 == 0 },
    { ($0 * $1 % 2 + $0 * $1 % 3) % 2 == 0 }, { (($0 + $1) % 2 + $0 * $1 % 3) % 2 == 0 },
  ]

  /// Rows of modules without the margin; true for a dark one.
  private let modules: [[Bool]]
  private let version: Int

  /// Nil for another kind of code.
  init?(_ modules: [[Bool]]) {
    version = (modules.count - 17) / 4
    self.modules = modules
    guard (1...10).contains(version), modules.count == 17 + 4 * version,
      modules.allSatisfy({ $0.count == modules.count }), level == 0
    else { return nil }
  }

  /// The five bits that tell the level and the mask, beside the upper left corner.
  private var format: Int { (0..<5).reduce(0) { $0 << 1 | (modules[8][$1] ? 1 : 0) } ^ 0b10101 }
  private var level: Int { format >> 3 }

  /// The text, of parts of digits, of capital letters with digits, and of bytes.
  var text: String? {
    let bits = data.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    var (rest, bytes): (ArraySlice<UInt8>, [UInt8]) = (bits[...], [])
    func take(_ count: Int) -> Int {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 1 | Int($1) }
    }
    let isSmall = version < 10
    while rest.count >= 4 {
      switch take(4) {
      case 0: return String(validating: bytes, as: UTF8.self)
      case 1:
        var count = take(isSmall ? 10 : 12)
        while count > 0 {
          let digits = min(count, 3)
          let number = String(take(digits * 3 + 1))
          bytes += Array((String(repeating: "0", count: digits - number.count) + number).utf8)
          count -= digits
        }
      case 2:
        var count = take(isSmall ? 9 : 11)
        while count > 0 {
          let pair = take(count > 1 ? 11 : 6)
          bytes += count > 1 ? [Self.letters[pair / 45], Self.letters[pair % 45]] : [Self.letters[pair]]
          count -= min(count, 2)
        }
      case 4: for _ in 0..<take(isSmall ? 8 : 16) { bytes.append(UInt8(take(8))) }
      default: return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  /// The bytes of all blocks, in order.
  private var data: [UInt8] {
    let sizes = Self.blocks[version - 1].flatMap { Array(repeating: $0.data, count: $0.count) }
    var (blocks, stream) = (sizes.map { _ in [UInt8]() }, codewords[...])
    for index in 0..<(sizes.max() ?? 0) {
      for block in sizes.indices where index < sizes[block] { blocks[block].append(stream.popFirst() ?? 0) }
    }
    return blocks.flatMap { $0 }
  }

  /// The bytes as they stand in the code, column by column from the right, up and down.
  private var codewords: [UInt8] {
    let mask = Self.masks[format & 7]
    var (bits, column, goesUp): ([Bool], Int, Bool) = ([], modules.count - 1, true)
    while column > 0 {
      if column == 6 { column -= 1 }
      for step in modules.indices {
        let row = goesUp ? modules.count - 1 - step : step
        for place in [column, column - 1] where !isFixed(row, place) {
          bits.append(modules[row][place] != mask(row, place))
        }
      }
      (column, goesUp) = (column - 2, !goesUp)
    }
    return stride(from: 0, to: bits.count - 7, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  /// True for a module that is part of a pattern, or tells the format or the version.
  private func isFixed(_ row: Int, _ column: Int) -> Bool {
    let size = modules.count
    if row == 6 || column == 6 { return true }
    if row < 9, column < 9 || column >= size - 8 { return true }
    if row >= size - 8, column < 9 { return true }
    if version >= 7 {
      if row < 6, column >= size - 11 { return true }
      if column < 6, row >= size - 11 { return true }
    }
    let places = Self.alignments[version - 1]
    return places.contains { middle in
      abs(row - middle) <= 2
        && places.contains { other in abs(column - other) <= 2 && !isCorner(middle, other, places) }
    }
  }

  /// True where an alignment pattern would meet one of the three large ones.
  private func isCorner(_ row: Int, _ column: Int, _ places: [Int]) -> Bool {
    let (first, last) = (places.first ?? 0, places.last ?? 0)
    return [[first, first], [first, last], [last, first]].contains([row, column])
  }
}
