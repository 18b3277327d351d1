internal import CSessionCore

/// How a sender wants to be shown.
public struct MessageProfile: Equatable, Sendable {
  public struct Picture: Equatable, Sendable {
    static let keyBytes = 32

    public let url: FileURL
    /// Opens the picture, 32 bytes.
    public let key: SecretBytes

    public init(url: FileURL, key: SecretBytes) throws(SessionError) {
      try MessageRule.profilePictureKey.require(key.count == Self.keyBytes)
      self.url = url
      self.key = key
    }
  }

  public let name: String?
  public let picture: Picture?
  /// When the sender last changed it, in seconds; 0 when they did not tell.
  public let updatedAtSeconds: UInt64

  public init(name: String?, picture: Picture? = nil, updatedAtSeconds: UInt64 = 0) throws(SessionError) {
    let name = name.map(Name.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    try MessageRule.profileName.require(name.map(Name.isUsable) ?? true)
    self.name = name
    self.picture = picture
    self.updatedAtSeconds = updatedAtSeconds
  }
}

extension MessageProfile {
  /// Nil when there is none. Too long a name is cut; a picture without a whole key counts as none.
  init?(
    _ fields: UnsafeMutablePointer<Sc__LokiProfile>?, pictureKey: ProtobufCBinaryData
  ) throws(SessionError) {
    guard let fields = fields?.pointee else { return nil }
    let url = FileURL(try fields.profile_picture.requiredText())
    var picture: Picture?
    if let url, pictureKey.len == Picture.keyBytes, let key = try pictureKey.secret() {
      picture = try Picture(url: url, key: key)
    }
    try self.init(
      name: try fields.display_name.text().map(Name.received), picture: picture,
      updatedAtSeconds: fields.has_last_update_seconds != 0 ? fields.last_update_seconds : 0)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__LokiProfile> {
    let fields = arena.make(sc__loki_profile__init)
    fields.pointee.display_name = arena.text(name)
    fields.pointee.profile_picture = arena.text(picture?.url.description)
    fields.pointee.has_last_update_seconds = updatedAtSeconds > 0 ? 1 : 0
    fields.pointee.last_update_seconds = updatedAtSeconds
    return fields
  }
}
