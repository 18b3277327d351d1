import Glibc

/// The time zone of this machine.
enum LocalZone {
  /// Its name, such as `Europe/Berlin`.
  static func name(
    _ environment: [String: String], link: String = "/etc/localtime"
  ) -> String {
    if let named = environment["TZ"].map({ $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }), isName(named) {
      return named
    }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &buffer, buffer.count)
    if count > 0 {
      let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let place = target.firstRange(of: "/zoneinfo/"), isName(String(target[place.upperBound...])) {
        return String(target[place.upperBound...])
      }
    }
    return "UTC"
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
  }
}
