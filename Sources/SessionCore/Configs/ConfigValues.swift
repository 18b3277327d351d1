internal import CSessionCore

/// The picture of a person or group.
public struct ProfilePicture: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  public let url: String
  /// The decryption key, 32 bytes. Secret.
  public let key: [UInt8]

  /// Throws ``SessionError/Code/keySize`` for a key of another size, and ``SessionError/Code/configPicture`` for a URL
  /// that is too long for a config.
  public init(url: String, key: [UInt8]) throws(SessionError) {
    guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    guard url.utf8.count <= SC_CONFIG_MAX_PICTURE_URL_BYTES else { throw SessionError(SC_ERR_CONFIG_PICTURE) }
    self.url = url
    self.key = key
  }

  /// Nil if there is none.
  init?(_ picture: sc_config_picture) {
    guard withUnsafePointer(to: picture, { sc_config_picture_is_set($0) }) else { return nil }
    url = String(decoding: picture.url.content, as: UTF8.self)
    key = Array(picture.key.content)
  }

  public var description: String { "ProfilePicture(\(url))" }
  public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// The notification setting of a conversation.
public enum Notifying: UInt32, CoreEnum, Sendable, CaseIterable, Codable {
  typealias Core = sc_config_notify
  case byDefault
  case ofEverything
  case ofNothing
  case ofMentions
}

/// The position of a conversation in the list.
public enum Priority: Hashable, Sendable {
  case hidden
  case normal
  /// On top; higher numbers first.
  case pinned(Int32)

  init(_ number: Int32) {
    self = number < 0 ? .hidden : number == 0 ? .normal : .pinned(number)
  }

  var number: Int32 {
    switch self {
    case .hidden: SC_CONFIG_PRIORITY_HIDDEN
    case .normal: 0
    case .pinned(let height): max(1, height)
    }
  }
}

extension sc_bytes {
  /// Nil if it is empty.
  func secret() throws(SessionError) -> SecretBytes? { len > 0 ? try SecretBytes(copying: content) : nil }

  /// A text from another device, fit for display.
  func shown(maxBytes: Int32 = SC_CONFIG_MAX_NAME_BYTES) throws(SessionError) -> String {
    guard len > 0 else { return "" }
    return String(decoding: try Core.bytes { sc_config_shown($0, self, Int(maxBytes)) }, as: UTF8.self)
  }
}

extension CoreArena {
  func picture(_ picture: ProfilePicture?) -> sc_config_picture {
    guard let picture else { return sc_config_picture() }
    return sc_config_picture(url: bytes(picture.url.utf8), key: bytes(picture.key))
  }
}

/// Replaces a stored value only if the user changed the displayed one: the stored value may hold more than is
/// displayed.
func store<Shown: Equatable, Stored>(
  _ new: Shown, over old: Shown, in stored: inout Stored, as convert: (Shown) -> Stored
) {
  if new != old { stored = convert(new) }
}
