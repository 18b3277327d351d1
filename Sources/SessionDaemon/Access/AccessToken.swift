import SessionBase
package import SessionCore

/// The rights of a program that shows a secret. The secret itself is not kept.
package struct AccessToken: Hashable, Sendable {
  package let name: String
  /// The BLAKE2b hash of the secret, of 32 bytes.
  let hash: [UInt8]
  package let scopes: Set<RPCScope>
  /// The accounts that it may use; nil for all.
  package var accounts: Set<String>?
  /// In milliseconds since 1970, as all times here.
  package let createdAt: Int64
  /// Nil if it does not expire.
  package let expiresAt: Int64?
  /// The beginning of the day of its last use; nil if it was never used.
  package var usedAt: Int64?

  static let secretBytes = 32
  /// Tokens may not have this one: the recovery phrase and keys stay on the own socket.
  package static let grantable = Set(RPCScope.allCases).subtracting([.secrets])

  /// A new token, and the text by which a program shows its secret.
  package static func make(
    _ name: String, _ scopes: Set<RPCScope>, accounts: Set<String>?, at now: Int64, expiresAt: Int64?
  ) throws(SessionError) -> (AccessToken, SecretText) {
    let secret = try SecretBytes.random(count: secretBytes)
    var text = Array(secret.reveal().base64.utf8.filter { $0 != UInt8(ascii: "=") })
    defer { text.wipe() }
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
      default: break
      }
    }
    let token = AccessToken(
      name: name, hash: try secret.digest(), scopes: scopes, accounts: accounts, createdAt: now,
      expiresAt: expiresAt)
    return (token, SecretText(utf8: try SecretBytes(copying: text)))
  }

  /// The hash of the secret that a text shows; nil if the text is none.
  static func hash(of text: String) -> [UInt8]? {
    guard text.utf8.count == 43, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") })
    else { return nil }
    var standard = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    defer { standard.wipe() }
    guard var secret = try? [UInt8](base64: standard) else { return nil }
    defer { secret.wipe() }
    guard secret.count == secretBytes else { return nil }
    return try? Core.hash(of: secret)
  }

  /// True for a name that a token may have.
  package static func isName(_ name: String) -> Bool { name.isPlainName(upTo: 64, marks: "._-") }
}

extension AccessToken {
  /// A line of the file of tokens.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(name)), .init("hash", .string(hash.hex)),
      .init("scopes", .array(RPCScope.allCases.filter(scopes.contains).map { .string($0.rawValue) })),
      .init("created", .integer(createdAt)),
    ]
    if let accounts { members.append(.init("accounts", .array(accounts.sorted().map { .string($0) }))) }
    if let expiresAt { members.append(.init("expires", .integer(expiresAt))) }
    if let usedAt { members.append(.init("used", .integer(usedAt))) }
    return .object(members)
  }

  /// Reads such a line; nil for any other.
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, Self.isName(name), let created = json["created"]?.integer,
      let hex = json["hash"]?.string, let hash = try? [UInt8](hex: hex.utf8), hash.count == 32,
      let scopes = try? json.texts("scopes"), let accounts = try? Optional(json.texts("accounts"))
    else { return nil }
    let known = scopes.compactMap(RPCScope.init)
    guard known.count == scopes.count, Self.grantable.isSuperset(of: known) else { return nil }
    for name in ["expires", "used"] where json[name] != nil && json[name]?.integer == nil { return nil }
    self.init(
      name: name, hash: hash, scopes: Set(known), accounts: accounts.map { Set($0) }, createdAt: created,
      expiresAt: json["expires"]?.integer, usedAt: json["used"]?.integer)
  }
}
