import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// What a daemon that starts itself anew knows of its accounts, and no file tells.
package struct KeptAccounts: Sendable {
  /// The variable that tells the new program of it. No other program sees it.
  package static let variable = "SESSION_KEPT_ACCOUNTS"

  /// Those that a client has locked: they stay so until a client unlocks them.
  var locked: Set<String> = []
  /// Those that a client has suspended.
  var suspended: Set<String> = []
  /// The keys of accounts that are open, and that only a person could open again.
  var keys: [String: DatabaseKey] = [:]

  /// The most bytes of the file with the keys.
  private static let maxKeys = 1 << 20
  private static let maxKey = DatabaseKey.byteCount + DatabaseKey.saltByteCount

  package init() {}

  /// The value of the variable, for as long as the file with the keys is open. A program that is started from now on gets
  /// that file, which is in memory only.
  package func handedOver() throws -> (text: String, keys: PassedFile) {
    var lines: [UInt8] = []
    // No growth leaves a copy behind.
    lines.reserveCapacity(keys.keys.reduce(0) { $0 + $1.utf8.count + 2 * Self.maxKey + 2 })
    defer { lines.wipe() }
    for (name, key) in keys {
      var digits = try key.handedOver().hexDigits()
      defer { digits.wipe() }
      lines.append(contentsOf: name.utf8)
      lines.append(UInt8(ascii: " "))
      lines.append(contentsOf: digits)
      lines.append(UInt8(ascii: "\n"))
    }
    let file = try PassedFile(holding: lines)
    _ = fcntl(file.descriptor, F_SETFD, 0)
    let words = [
      "\(getpid())", "locked=\(locked.sorted().joined(separator: ","))",
      "suspended=\(suspended.sorted().joined(separator: ","))", "keys=\(file.descriptor)",
    ]
    return (words.joined(separator: " "), file)
  }

  /// Takes over what an earlier program of this process knew, and removes the variable.
  package init(_ environment: [String: String]) {
    guard let words = environment[Self.variable]?.split(separator: " ") else { return }
    unsetenv(Self.variable)
    guard words.first == "\(getpid())" else { return }
    for word in words.dropFirst() {
      let sides = word.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2 else { continue }
      switch sides[0] {
      case "locked": locked = Set(sides[1].split(separator: ",").map(String.init))
      case "suspended": suspended = Set(sides[1].split(separator: ",").map(String.init))
      case "keys": if let descriptor = Int32(sides[1]), descriptor > 2 { takeKeys(descriptor) }
      default: continue
      }
    }
  }

  private mutating func takeKeys(_ descriptor: Int32) {
    let file = PassedFile(adopting: descriptor)
    guard file.isReadable, var bytes = try? OpenFile(reading: file.path).readAll(upTo: Self.maxKeys) else {
      return
    }
    defer { bytes.wipe() }
    ftruncate(descriptor, 0)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let sides = line.split(separator: UInt8(ascii: " "))
      guard sides.count == 2, var key = try? [UInt8](hex: sides[1]) else { continue }
      defer { key.wipe() }
      keys[String(decoding: sides[0], as: UTF8.self)] =
        try? DatabaseKey(SecretBytes(copying: key))
    }
  }
}
