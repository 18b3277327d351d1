import CUTF8Proc
import Glibc

/// Text in the form in which it is compared, cut into words.
///
/// The engine knows words by the spaces around them and drops emoji, so two things are handled apart from words: runs of
/// letters that are written without spaces, and each emoji.
struct SearchWords {
  enum Kind {
    case word
    /// Letters without spaces between words.
    case run
    case emoji
  }

  struct Piece {
    let kind: Kind
    /// The range of its bytes.
    let range: Range<Int>
  }

  /// The folded text, in UTF-8.
  let bytes: [UInt8]
  private(set) var pieces: [Piece] = []

  /// Splits the beginning of a text, up to a number of bytes.
  init(_ text: String, limit: Int) { self.init(folded: Self.fold(text, limit: limit)) }

  /// Cuts text that is folded already.
  init(folded bytes: [UInt8]) {
    self.bytes = bytes
    var begun: (kind: Kind, start: Int)?
    func end(at index: Int) {
      if let begun { pieces.append(Piece(kind: begun.kind, range: begun.start..<index)) }
      begun = nil
    }
    var index = 0
    while index < bytes.count {
      let (kind, length) = Self.classify(bytes, at: index, isInWord: begun?.kind == .word)
      if begun?.kind != kind { end(at: index) }
      if kind == .emoji {
        pieces.append(Piece(kind: .emoji, range: index..<index + length))
      } else if let kind, begun == nil {
        begun = (kind, index)
      }
      index += length
    }
    end(at: index)
  }

  /// The letters of a piece.
  func scalars(_ piece: Piece) -> String.UnicodeScalarView {
    String(decoding: bytes[piece.range], as: UTF8.self).unicodeScalars
  }

  // MARK: - Folding

  /// The form in which texts are compared: compatibility normalised, case folded, without invisible characters.
  static func fold(_ text: String, limit: Int = .max) -> [UInt8] {
    var text = text
    return text.withUTF8 { utf8 in
      var end = min(limit, utf8.count)
      // No letter is cut in two.
      while end < utf8.count, end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
      let bytes = UnsafeBufferPointer(rebasing: utf8[..<end])
      if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map(lowercased) }
      return map(
        bytes,
        UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
          | UTF8PROC_CASEFOLD.rawValue | UTF8PROC_IGNORE.rawValue)
    }
  }

  /// Folded text without accents, which FTS4 ignores too.
  static func bare(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    return bytes.withUnsafeBufferPointer { bytes in
      map(bytes, UTF8PROC_STABLE.rawValue | UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_STRIPMARK.rawValue)
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  private static func map(_ bytes: UnsafeBufferPointer<UInt8>, _ flags: UInt32) -> [UInt8] {
    var mapped: UnsafeMutablePointer<UInt8>?
    let count = utf8proc_map(bytes.baseAddress, bytes.count, &mapped, utf8proc_option_t(rawValue: flags))
    defer { free(mapped) }
    guard let mapped, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: mapped, count: count))
  }

  // MARK: - Letters

  /// The class of the letter at a position, nil for none, and its length.
  private static func classify(
    _ bytes: [UInt8], at index: Int, isInWord: Bool
  ) -> (kind: Kind?, length: Int) {
    let byte = bytes[index]
    guard byte >= 0x80 else {
      let isWord =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      return (isWord ? .word : nil, 1)
    }
    var scalar: Int32 = 0
    let length = bytes[index...].withUnsafeBufferPointer { rest in
      utf8proc_iterate(rest.baseAddress, rest.count, &scalar)
    }
    guard length > 0 else { return (nil, 1) }
    return (kind(of: scalar, isInWord: isInWord), length)
  }

  private static func kind(of scalar: Int32, isInWord: Bool) -> Kind? {
    if isWrittenWithoutSpaces(scalar) { return .run }
    switch utf8proc_category(scalar) {
    case UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM,
      UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO:
      return .word
    // Marks belong to the letter before them.
    case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME:
      return isInWord ? .word : nil
    default:
      guard let scalar = Unicode.Scalar(UInt32(bitPattern: scalar)) else { return nil }
      return scalar.value >= 0x203C && scalar.properties.isEmoji ? .emoji : nil
    }
  }

  /// Han, kana, Hangul, and the scripts of South-East Asia.
  private static func isWrittenWithoutSpaces(_ scalar: Int32) -> Bool {
    switch scalar {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF,
      0x3130...0x318F, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF,
      0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
