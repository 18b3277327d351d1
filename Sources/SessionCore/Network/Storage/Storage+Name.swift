internal import CSessionCore

extension Storage {
  /// Asks a node to resolve a name of the name service. A single node can lie: see ``Network/account(named:)``.
  public struct Name: Request {
    /// In lower case.
    public let name: String

    /// Throws `nameLength` and `nameCharacters` for an invalid name.
    public init(_ name: String) throws(SessionError) {
      var length = 0
      var text = [CChar](repeating: 0, count: Int(SC_NAME_MAX_BYTES) + 1)
      try name.utf8.lend { (name) throws(SessionError) in
        try Core.call { sc_name_normalize(&text, &length, name) }
      }
      self.name = String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Nil if the name is not registered.
    public var call: Call<SessionID?> {
      Call { loan, _ in
        var request = sc_storage_request(SC_STORAGE_NAME)
        var hash = [UInt8](repeating: 0, count: 32)
        sc_name_hash(&hash, loan.text(name))
        fill(&request.of.name.name_hash, with: hash)
        return request
      } read: { (reading) throws(SessionError) in
        let record = reading.reply.pointee.of.name
        guard record.registered else { return nil }
        var id = sc_id()
        try Core.lend(name.utf8, array(record.nonce)) { (name, nonce) throws(SessionError) in
          try Core.call { sc_name_open(&id, nil, name, record.encrypted, nonce) }
        }
        return SessionID(id)
      }
    }
  }
}
