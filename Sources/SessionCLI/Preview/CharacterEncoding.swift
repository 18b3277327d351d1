import Glibc

/// Texts of web pages in other character encodings than UTF-8.
enum CharacterEncoding {
  /// The encodings that pages have, in the words of the system, by the names that they go by.
  private static let known: [String: String] = {
    var known = [
      "utf-8": "UTF-8", "utf8": "UTF-8", "us-ascii": "UTF-8", "ascii": "UTF-8",
      // As browsers read it.
      "iso-8859-1": "CP1252", "latin1": "CP1252", "iso8859-1": "CP1252", "iso-8859-9": "CP1254",
      "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932",
      "x-sjis": "CP932", "euc-jp": "EUC-JP", "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030",
      "big5": "BIG5-HKSCS", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
    ]
    for number in Array(2...8) + [10, 13, 14, 15, 16] { known["iso-8859-\(number)"] = "ISO-8859-\(number)" }
    for number in 1250...1258 {
      known["windows-\(number)"] = "CP\(number)"
      known["cp\(number)"] = "CP\(number)"
    }
    return known
  }()

  /// True for an encoding that can be read.
  static func isKnown(_ name: String) -> Bool { known[name.lowercased()] != nil }

  /// Returns the text in UTF-8. What is no character of the encoding is left out; texts of unknown encodings are read as
  /// UTF-8.
  static func utf8(_ text: [UInt8], from name: String) -> [UInt8] {
    guard let encoding = known[name.lowercased()], encoding != "UTF-8" else { return text }
    let conversion = iconv_open("UTF-8//IGNORE", encoding)
    guard conversion != iconv_t(bitPattern: -1) else { return text }
    defer { iconv_close(conversion) }
    var source = text.map { CChar(bitPattern: $0) }
    // No character of these encodings needs more than three bytes for each of its own.
    var output = [CChar](repeating: 0, count: text.count * 3 + 4)
    let written = source.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { output in
        var (from, rest) = (source.baseAddress, source.count)
        var (to, room) = (output.baseAddress, output.count)
        // A character that is cut at the end is left out.
        _ = iconv(conversion, &from, &rest, &to, &room)
        return output.count - room
      }
    }
    return output.prefix(written).map { UInt8(bitPattern: $0) }
  }
}
