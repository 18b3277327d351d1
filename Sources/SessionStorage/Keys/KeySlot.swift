import SessionBase
public import SessionCore

/// One way to open the key of a database: the key, encrypted with another key that is kept elsewhere.
public struct KeySlot: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// The key itself, for every reader of the file.
    case open
    case passphrase
    /// The desktop keeps the other key, as an item of the Secret Service.
    case secretService = "secret-service"
    /// The service manager hands over the other key.
    case credential
    /// The recovery phrase of the account gives the other key.
    case recovery
    /// A program prints the other key.
    case command

    /// True if it opens without a person who types something.
    public var isAutomatic: Bool { self != .passphrase && self != .recovery }
  }

  /// Where the other key comes from.
  public enum Lock: Hashable, Sendable {
    case open
    case passphrase(salt: [UInt8], PassphraseKey.Cost)
    /// The value of an attribute of the item.
    case secretService(item: String)
    /// The name of the credential.
    case credential(name: String)
    case recovery
    /// The path of the program, and its arguments.
    case command([String])

    public var kind: Kind {
      switch self {
      case .open: .open
      case .passphrase: .passphrase
      case .secretService: .secretService
      case .credential: .credential
      case .recovery: .recovery
      case .command: .command
      }
    }
  }

  /// Its number in the file, from 1.
  public let id: UInt8
  /// The name of its kind, which may be one of a later version.
  public let kindName: String
  /// Nil if it cannot be used: see ``damage``.
  public let lock: Lock?
  /// A nonce and the encrypted key; the key itself for `open`.
  let sealed: [UInt8]
  /// The slot as the file has it.
  let json: JSONValue

  /// Its kind; nil for one of a later version.
  public var kind: Kind? { Kind(rawValue: kindName) }

  /// Why it cannot be used; nil if it can.
  public var damage: String? {
    if lock != nil { return nil }
    return kind == nil ? "its kind is unknown to this version" : "it is damaged"
  }
}

extension KeySlot {
  /// The bytes of the longest text of a slot.
  static let textLimit = 1024
  /// The longest command, with its arguments.
  public static let commandLimit = 32
  private static let keyCount = DatabaseKey.byteCount + DatabaseKey.saltByteCount

  init(id: UInt8, lock: Lock, sealed: [UInt8]) {
    self.id = id
    self.lock = lock
    self.sealed = sealed
    kindName = lock.kind.rawValue
    var members: [JSONValue.Member] = [
      .init("id", .integer(Int64(id))), .init("kind", .string(lock.kind.rawValue)),
    ]
    switch lock {
    case .open, .recovery: break
    case .passphrase(let salt, let cost):
      members += [
        .init("salt", .string(salt.hex)), .init("ops", .integer(Int64(cost.passes))),
        .init("mem", .integer(Int64(cost.memory))),
      ]
    case .secretService(let item): members.append(.init("item", .string(item)))
    case .credential(let name): members.append(.init("name", .string(name)))
    case .command(let words): members.append(.init("argv", .array(words.map { .string($0) })))
    }
    if lock == .open {
      members.append(.init("wrapped", .string(sealed.hex)))
    } else {
      members += [
        .init("nonce", .string(sealed.prefix(SealedBox.nonceBytes).hex)),
        .init("wrapped", .string(sealed.dropFirst(SealedBox.nonceBytes).hex)),
      ]
    }
    json = .object(members)
  }

  /// Nil without a number and a kind. A slot whose other members are damaged is kept, and opens nothing.
  init?(json: JSONValue) {
    guard let number = json["id"]?.integer, let id = UInt8(exactly: number), id > 0,
      let kind = json["kind"]?.string, !kind.isEmpty, kind.utf8.count <= 64
    else { return nil }
    (self.id, kindName, self.json) = (id, kind, json)
    let known = Kind(rawValue: kind)
    let lock = known.flatMap { Self.lock($0, in: json) }
    let sealed = known.flatMap { Self.sealed($0, in: json) }
    if let lock, let sealed {
      (self.lock, self.sealed) = (lock, sealed)
    } else {
      (self.lock, self.sealed) = (nil, [])
    }
  }

  private static func lock(_ kind: Kind, in json: JSONValue) -> Lock? {
    func text(_ name: String) -> String? {
      json[name]?.string.flatMap { $0.isEmpty || $0.utf8.count > textLimit ? nil : $0 }
    }
    switch kind {
    case .open: return .open
    case .recovery: return .recovery
    case .passphrase:
      guard let salt = bytes("salt", PassphraseKey.saltCount, in: json),
        let passes = json["ops"]?.integer.flatMap({ UInt32(exactly: $0) }),
        let memory = json["mem"]?.integer.flatMap({ Int(exactly: $0) })
      else { return nil }
      let cost = PassphraseKey.Cost(passes: passes, memory: memory)
      return cost.isAllowed ? .passphrase(salt: salt, cost) : nil
    case .secretService: return text("item").map { .secretService(item: $0) }
    case .credential: return text("name").map { .credential(name: $0) }
    case .command:
      guard case .array(let elements)? = json["argv"] else { return nil }
      let words = elements.compactMap(\.string)
      return words.count == elements.count && isCommand(words) ? .command(words) : nil
    }
  }

  /// True for the path of a program and its arguments, none of them too long.
  public static func isCommand(_ words: [String]) -> Bool {
    guard let program = words.first, program.hasPrefix("/"), words.count <= commandLimit else { return false }
    return words.allSatisfy { $0.utf8.count <= textLimit && !$0.utf8.contains(0) }
  }

  private static func sealed(_ kind: Kind, in json: JSONValue) -> [UInt8]? {
    guard kind != .open else { return bytes("wrapped", keyCount, in: json) }
    guard let nonce = bytes("nonce", SealedBox.nonceBytes, in: json),
      let wrapped = bytes("wrapped", keyCount + SealedBox.tagBytes, in: json)
    else { return nil }
    return nonce + wrapped
  }

  private static func bytes(_ name: String, _ count: Int, in json: JSONValue) -> [UInt8]? {
    guard let text = json[name]?.string, text.utf8.count == 2 * count else { return nil }
    return try? [UInt8](hex: text.utf8)
  }
}
