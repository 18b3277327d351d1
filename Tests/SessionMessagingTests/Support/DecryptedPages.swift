import Foundation

/// What the files of an encrypted database contain, page by page, free pages and the log included: as somebody sees it who
/// has the key, and does not ask the database. Each page is encrypted with AES-256-CBC; its vector and checksum are at its end.
struct DecryptedPages {
  private static let pageSize = 4096
  /// The vector, the checksum, and padding up to whole blocks.
  private static let reserved = 48
  private static let saltSize = 16

  private let pages: [[UInt8]]

  init(of path: String, key: [UInt8]) throws {
    let cipher = BlockCipher(key: key)
    var pages: [[UInt8]] = []
    let log = [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))) ?? Data())
    // A header, and before each page the number of the page.
    for start in stride(from: 32, to: log.count, by: Self.pageSize + 24) {
      let page = log[min(start + 24, log.count)..<min(start + 24 + Self.pageSize, log.count)]
      guard page.count == Self.pageSize else { break }
      let isFirst = log[start..<start + 4].elementsEqual([0, 0, 0, 1])
      pages.append(Self.open(page, isFirst: isFirst, cipher))
    }
    // The log first: what is moved meanwhile is found twice.
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for start in stride(from: 0, to: file.count - file.count % Self.pageSize, by: Self.pageSize) {
      pages.append(Self.open(file[start..<start + Self.pageSize], isFirst: start == 0, cipher))
    }
    self.pages = pages
    guard pages[pages.count - file.count / Self.pageSize][20 - Self.saltSize] == UInt8(Self.reserved) else {
      throw UnknownLayout()
    }
  }

  /// The pages end otherwise than is expected here, or the key is another one.
  struct UnknownLayout: Error {}

  func contains(_ bytes: [UInt8]) -> Bool {
    pages.contains { page in
      var rest = page[...]
      while let place = rest.firstIndex(of: bytes[0]) {
        rest = rest[place...]
        if rest.starts(with: bytes) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }

  private static func open(_ page: ArraySlice<UInt8>, isFirst: Bool, _ cipher: BlockCipher) -> [UInt8] {
    let end = page.endIndex - reserved
    var previous = page[end..<end + 16]
    var content: [UInt8] = []
    let begin = page.startIndex + (isFirst ? saltSize : 0)
    for start in stride(from: begin, to: end, by: 16) {
      let block = page[start..<start + 16]
      content += zip(cipher.decrypt(Array(block)), previous).map { $0 ^ $1 }
      previous = block
    }
    return content
  }
}

/// AES-256 as FIPS 197 describes it, for decryption.
private struct BlockCipher {
  private let roundKeys: [[UInt8]]
  private let inverse: [UInt8]
  /// Multiples in the field, by factor.
  private let times: [UInt8: [UInt8]]

  init(key: [UInt8]) {
    func double(_ byte: UInt8) -> UInt8 { (byte << 1) ^ (byte & 0x80 == 0 ? 0 : 0x1b) }
    func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
      var (sum, value, factor): (UInt8, UInt8, UInt8) = (0, one, other)
      while factor > 0 {
        if factor & 1 == 1 { sum ^= value }
        value = double(value)
        factor >>= 1
      }
      return sum
    }
    var (box, inverse) = ([UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 256))
    for byte in UInt8.min...UInt8.max {
      let reciprocal = byte == 0 ? 0 : (1...255).map { UInt8($0) }.first { product(byte, $0) == 1 } ?? 0
      var value = reciprocal
      for turn in 1...4 as ClosedRange<UInt8> { value ^= (reciprocal << turn) | (reciprocal >> (8 - turn)) }
      value ^= 0x63
      box[Int(byte)] = value
      inverse[Int(value)] = byte
    }
    self.inverse = inverse
    times = Dictionary(
      uniqueKeysWithValues: [9, 11, 13, 14].map { factor in
        (factor, (0...255).map { product(UInt8($0), factor) })
      })
    var words = stride(from: 0, to: 32, by: 4).map { Array(key[$0..<$0 + 4]) }
    var constant: UInt8 = 1
    for index in 8..<60 {
      var word = words[index - 1]
      if index % 8 == 0 {
        word = (word[1...] + word[..<1]).map { box[Int($0)] }
        word[0] ^= constant
        constant = double(constant)
      } else if index % 8 == 4 {
        word = word.map { box[Int($0)] }
      }
      words.append(zip(words[index - 8], word).map { $0 ^ $1 })
    }
    roundKeys = stride(from: 0, to: 60, by: 4).map { Array(words[$0..<$0 + 4].joined()) }
  }

  func decrypt(_ block: [UInt8]) -> [UInt8] {
    var state = block
    add(14, to: &state)
    for round in (0..<14).reversed() {
      var next = state
      for column in 0..<4 {
        for row in 0..<4 { next[4 * ((column + row) % 4) + row] = inverse[Int(state[4 * column + row])] }
      }
      state = next
      add(round, to: &state)
      if round > 0 { mix(&state) }
    }
    return state
  }

  private func add(_ round: Int, to state: inout [UInt8]) {
    let key = roundKeys[round]
    for index in 0..<16 { state[index] ^= key[index] }
  }

  private func mix(_ state: inout [UInt8]) {
    guard let t9 = times[9], let t11 = times[11], let t13 = times[13], let t14 = times[14] else { return }
    for start in stride(from: 0, to: 16, by: 4) {
      let (a, b, c, d) = (
        Int(state[start]), Int(state[start + 1]), Int(state[start + 2]), Int(state[start + 3])
      )
      state[start] = t14[a] ^ t11[b] ^ t13[c] ^ t9[d]
      state[start + 1] = t9[a] ^ t14[b] ^ t11[c] ^ t13[d]
      state[start + 2] = t13[a] ^ t9[b] ^ t14[c] ^ t11[d]
      state[start + 3] = t11[a] ^ t13[b] ^ t9[c] ^ t14[d]
    }
  }
}
