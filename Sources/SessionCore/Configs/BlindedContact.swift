internal import CSessionCore

/// A person met in a community, known by their blinded id.
public struct BlindedContact: Hashable, Sendable, Identifiable {
  public let id: SessionID
  /// The URL of the community's server, and its 32-byte key.
  public let server: String
  public let serverKey: [UInt8]
  public var name: String
  public var picture: ProfilePicture?
  /// In seconds since 1970; 0 if unknown.
  public var profileUpdatedAtSeconds: Int64
  public var createdAtSeconds: Int64
  public var priority: Priority
  public var features: MessagePro.ProfileFeatures
}

extension BlindedContact: ConfigRecord {
  init(_ contact: sc_blinded_contact) throws(SessionError) {
    id = SessionID(contact.id)
    server = string(in: contact.url, count: contact.url_len)
    serverKey = array(contact.server_key)
    name = try contact.name.shown()
    picture = ProfilePicture(contact.picture)
    profileUpdatedAtSeconds = contact.profile_updated_s
    createdAtSeconds = contact.created_s
    priority = Priority(contact.priority)
    features = MessagePro.ProfileFeatures(rawValue: contact.features)
  }

  func write(to contact: inout sc_blinded_contact, over old: BlindedContact, arena: CoreArena) {
    store(name, over: old.name, in: &contact.name) { arena.bytes($0.utf8) }
    store(picture, over: old.picture, in: &contact.picture, as: arena.picture)
    contact.profile_updated_s = profileUpdatedAtSeconds
    contact.created_s = createdAtSeconds
    contact.priority = priority.number
  }
}
