internal import CSessionCore

/// The name, description, picture and message settings of a group.
public struct GroupInfo: Hashable, Sendable {
  public static let maxDescriptionBytes = Int(SC_GROUP_MAX_DESCRIPTION_BYTES)

  /// Empty if not set. The same holds for the description.
  public var name: String
  public var description: String
  public var picture: ProfilePicture?
  /// In seconds since 1970; 0 if not set. The same holds for the following times.
  public var createdAtSeconds: Int64
  /// The seconds after which messages disappear.
  public var disappearsAfterSeconds: Int64
  /// Messages sent before this time must be deleted.
  public var deletesBeforeSeconds: Int64
  /// Attachments sent before this time must be deleted.
  public var deletesAttachmentsBeforeSeconds: Int64
  /// True if the group was destroyed, which cannot be undone.
  public var isDestroyed: Bool
}

extension GroupInfo {
  init(_ info: OpaquePointer) throws(SessionError) {
    name = try sc_group_info_name(info).shown()
    description = try sc_group_info_description(info).shown(maxBytes: SC_GROUP_MAX_DESCRIPTION_BYTES)
    picture = ProfilePicture(sc_group_info_picture(info))
    createdAtSeconds = sc_group_info_created(info)
    disappearsAfterSeconds = sc_group_info_expiry(info)
    deletesBeforeSeconds = sc_group_info_delete_before(info)
    deletesAttachmentsBeforeSeconds = sc_group_info_delete_attachments_before(info)
    isDestroyed = sc_group_info_is_destroyed(info)
  }
}

/// The info of a group in the core. Only admins, who hold the group's seed, can edit it.
package struct GroupInfoConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ group: SessionID, adminSeed: SecretBytes?, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_group_info_config, free: sc_group_info_free, group: group, adminSeed: adminSeed, dump: dump,
      make: sc_group_info_new)
  }

  package func get() throws(SessionError) -> GroupInfo { try GroupInfo(handle.object) }

  package func update(_ change: (inout GroupInfo) -> Void) throws(SessionError) {
    let old = try get()
    var new = old
    change(&new)
    let object = handle.object
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    try Core.set(new.name, over: old.name) { sc_group_info_set_name(object, arena.text($0)) }
    try Core.set(new.description, over: old.description) {
      sc_group_info_set_description(object, arena.text($0))
    }
    try Core.set(new.picture, over: old.picture) {
      sc_group_info_set_picture(object, arena.value(arena.picture($0)))
    }
    try SessionError.check(sc_group_info_set_created(object, new.createdAtSeconds))
    try SessionError.check(sc_group_info_set_expiry(object, new.disappearsAfterSeconds))
    try SessionError.check(sc_group_info_set_delete_before(object, new.deletesBeforeSeconds))
    try SessionError.check(
      sc_group_info_set_delete_attachments_before(object, new.deletesAttachmentsBeforeSeconds))
    if new.isDestroyed { try SessionError.check(sc_group_info_destroy(object)) }
  }
}
