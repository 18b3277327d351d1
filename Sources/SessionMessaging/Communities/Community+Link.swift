import SessionCore

extension Community {
  /// The link that others join the room with.
  var link: CommunityLink {
    get throws(SessionError) {
      try CommunityLink(parsing: "\(id.server)/\(spelling)?public_key=\(serverKey.hex)")
    }
  }
}
