internal import CSessionCore

/// What a group is called, what it looks like, and what its messages are to be like.
public struct GroupInfo: Hashable, Sendable {
  public static let maxDescriptionBytes = Int(SC_GROUP_MAX_DESCRIPTION_BYTES)

  /// Empty for none, as the following.
  public var name: String
  public var description: String
  public var picture: ProfilePicture?
  /// In seconds since 1970; 0 for none, as the following.
  public var createdAtSeconds: Int64
  /// After how many seconds messages disappear.
  public var disappearsAfterSeconds: Int64
  /// Messages that were sent earlier are to be deleted.
  public var deletesBeforeSeconds: Int64
  /// Attachments that were sent earlier are to be deleted.
  public var deletesAttachmentsBeforeSeconds: Int64
  /// The group is no more. What was destroyed stays so.
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
