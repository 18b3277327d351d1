internal import CSessionCore

/// What several kinds of message share on the wire: the fields around their own.
struct DataMessageFrame {
  var profile: MessageProfile?
  var syncTarget: SessionID?
}

extension DataMessageFrame {
  init(_ fields: Sc__DataMessage) throws(SessionError) {
    profile = try MessageProfile(fields.profile, pictureKey: fields.profile_key)
    guard let target = try fields.sync_target.text() else { return }
    guard let id = SessionID(target) else { throw SessionError(.syncTarget) }
    syncTarget = id
  }

  /// A data message for the kind's own fields to be put into.
  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataMessage> {
    let fields = arena.make(sc__data_message__init)
    fields.pointee.profile = profile?.write(to: arena)
    if let key = profile?.picture?.key {
      fields.pointee.has_profile_key = 1
      fields.pointee.profile_key = arena.data(key)
    }
    fields.pointee.sync_target = arena.text(syncTarget?.description)
    return fields
  }
}

extension Sc__DataMessage {
  var setFlags: UInt32 { has_flags != 0 ? flags : 0 }
}
