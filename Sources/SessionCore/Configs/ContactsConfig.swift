internal import CSessionCore

/// The contacts of an account.
public struct ContactsConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ account: Account, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_contacts_config, free: sc_contacts_free, account: account, dump: dump, make: sc_contacts_new)
  }

  public var count: Int {
    get throws(SessionError) { try Records.count { sc_contacts_count(&$0, handle.object) } }
  }

  public subscript(id: SessionID) -> Contact? {
    get throws(SessionError) {
      try Records.one(
        get: { contact in id.withCore { sc_contacts_get(contact, handle.object, $0) } }, as: Contact.init)
    }
  }

  /// All contacts, in ascending order of their ids.
  public func all() throws(SessionError) -> [Contact] {
    try Records.all(
      first: { sc_contacts_first($0, handle.object) }, next: { sc_contacts_next($0, handle.object) },
      as: Contact.init)
  }

  /// Changes a contact, or adds one. Does nothing if nothing changes.
  public mutating func update(_ id: SessionID, _ change: (inout Contact) -> Void) throws(SessionError) {
    let (old, new) = try Records.update(
      get: { contact in id.withCore { sc_contacts_get_or_make(contact, handle.object, $0) } },
      set: { sc_contacts_set(handle.object, $0) }, as: Contact.init, change)
    try Core.set(new.features, over: old.features) { features in
      id.withCore { sc_contacts_set_features(handle.object, $0, features.rawValue) }
    }
  }

  /// Deletes a contact and the conversation on all devices. Returns true if there was one.
  @discardableResult
  public mutating func remove(_ id: SessionID) throws(SessionError) -> Bool {
    try Records.erase { erased in id.withCore { sc_contacts_erase(&erased, handle.object, $0) } }
  }
}

extension ContactsConfig {
  /// Returns a person met on a community's server, by their blinded id.
  public func blinded(_ id: SessionID, server: String) throws(SessionError) -> BlindedContact? {
    try server.utf8.lend { (server) throws(SessionError) in
      try Records.one(
        get: { contact in id.withCore { sc_blinded_contacts_get(contact, handle.object, server, $0) } },
        as: BlindedContact.init)
    }
  }

  /// All contacts with blinded ids, by server and then by key.
  public func allBlinded() throws(SessionError) -> [BlindedContact] {
    try Records.all(
      first: { sc_blinded_contacts_first($0, handle.object) },
      next: { sc_blinded_contacts_next($0, handle.object) }, as: BlindedContact.init)
  }

  /// Changes a blinded contact, or adds one.
  public mutating func updateBlinded(
    _ id: SessionID, at link: CommunityLink, _ change: (inout BlindedContact) -> Void
  ) throws(SessionError) {
    try link.server.utf8.lend { (server) throws(SessionError) in
      let (old, new) = try Records.update(
        get: { contact in
          id.withCore { sc_blinded_contacts_get_or_make(contact, handle.object, server, link.serverKey, $0) }
        }, set: { sc_blinded_contacts_set(handle.object, $0) }, as: BlindedContact.init, change)
      try Core.set(new.features, over: old.features) { features in
        id.withCore { sc_blinded_contacts_set_features(handle.object, server, $0, features.rawValue) }
      }
    }
  }

  @discardableResult
  public mutating func removeBlinded(_ id: SessionID, server: String) throws(SessionError) -> Bool {
    try server.utf8.lend { (server) throws(SessionError) in
      try Records.erase { erased in
        id.withCore { sc_blinded_contacts_erase(&erased, handle.object, server, $0) }
      }
    }
  }
}
