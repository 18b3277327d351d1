internal import CSessionCore

/// The profile that a sender includes in messages.
public struct MessageProfile: Equatable, Sendable, CoreValue {
  public struct Picture: Equatable, Sendable {
    static let keyBytes = Int(SC_KEY_BYTES)

    public let url: FileURL
    /// The key of the picture, 32 bytes.
    public let key: SecretBytes

    public init(url: FileURL, key: SecretBytes) throws(SessionError) {
      try MessageRule.profilePictureKey.require(key.count == Self.keyBytes)
      self.url = url
      self.key = key
    }
  }

  public let name: String?
  public let picture: Picture?
  /// When the sender last changed it, in seconds; 0 if not stated.
  public let updatedAtSeconds: UInt64

  public init(name: String?, picture: Picture? = nil, updatedAtSeconds: UInt64 = 0) throws(SessionError) {
    self.name = name.map(Name.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    self.picture = picture
    self.updatedAtSeconds = updatedAtSeconds
    try MessageRule.check(withCore { sc_message_profile_check($0) })
  }

  init(_ profile: sc_message_profile) throws(SessionError) {
    name = profile.name.text
    picture = profile.has_picture ? try Picture(profile) : nil
    updatedAtSeconds = profile.updated_s
  }

  func core(in arena: CoreArena) -> sc_message_profile {
    var profile = sc_message_profile()
    profile.name = arena.text(name)
    profile.updated_s = updatedAtSeconds
    if let picture {
      profile.has_picture = true
      profile.picture = picture.url.core(in: arena)
      profile.picture_key = arena.bytes(picture.key)
    }
    return profile
  }
}

extension MessageProfile.Picture {
  fileprivate init(_ profile: sc_message_profile) throws(SessionError) {
    url = FileURL(profile.picture)
    key = try SecretBytes(copying: profile.picture_key.content)
  }
}
