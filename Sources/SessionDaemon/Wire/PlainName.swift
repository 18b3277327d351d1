/// Names that programs and people choose for readers, tokens and hooks: they are parts of files, keys and addresses.
extension String {
  /// True for a name of up to a number of a-z and 0-9, and of some marks after the first of them.
  func isPlainName(upTo length: Int, marks: String) -> Bool {
    func isPlain(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return utf8.count <= length && utf8.first.map(isPlain) == true
      && utf8.allSatisfy { isPlain($0) || marks.utf8.contains($0) }
  }
}
