extension ProtobufSchema {
  static let webSocketMessage = ProtobufSchema(
    "WebSocketMessage",
    [
      1: ("type", .names([0: "UNKNOWN", 1: "REQUEST", 2: "RESPONSE"])),
      2: ("request", .message(webSocketRequest)),
    ])

  private static let webSocketRequest = ProtobufSchema(
    "WebSocketRequestMessage",
    [
      1: ("verb", .text), 2: ("path", .text), 3: ("body", .bytes), 4: ("request_id", .number),
      5: ("headers", .text),
    ])

  static let envelope = ProtobufSchema(
    "Envelope",
    [
      1: ("type", .names([6: "SESSION_MESSAGE", 7: "CLOSED_GROUP_MESSAGE"])), 2: ("source", .bytes),
      5: ("timestamp", .time), 7: ("source_device", .number), 8: ("content", .bytes),
      10: ("server_timestamp", .time), 11: ("pro_sig", .bytes),
    ])

  static let content = ProtobufSchema(
    "Content",
    [
      1: ("data_message", .message(dataMessage)), 3: ("call_message", .message(callMessage)),
      5: ("receipt_message", .message(receiptMessage)), 6: ("typing_message", .message(typingMessage)),
      8: ("data_extraction_notification", .message(dataExtraction)),
      9: ("unsend_request", .message(unsendRequest)),
      10: ("message_request_response", .message(messageRequestResponse)),
      11: ("shared_config_message", .message(sharedConfig)),
      12: ("expiration_type", .names([0: "UNKNOWN", 1: "DELETE_AFTER_READ", 2: "DELETE_AFTER_SEND"])),
      13: ("expiration_timer", .number), 15: ("sig_timestamp", .time), 16: ("pro_message", .message(pro)),
      17: ("pro_sig_for_community_message_only", .bytes),
    ])

  private static let dataMessage = ProtobufSchema(
    "DataMessage",
    [
      1: ("body", .text), 2: ("attachments", .message(attachment)), 4: ("flags", .number),
      6: ("profile_key", .secret), 7: ("timestamp", .time), 8: ("quote", .message(quote)),
      10: ("preview", .message(preview)), 11: ("reaction", .message(reaction)),
      101: ("profile", .message(profile)), 102: ("open_group_invitation", .message(invitation)),
      105: ("sync_target", .text), 106: ("blocks_community_message_requests", .flag),
      120: ("group_update_message", .message(groupUpdate)),
    ])

  private static let attachment = ProtobufSchema(
    "AttachmentPointer",
    [
      1: ("id", .fixed64), 2: ("content_type", .text), 3: ("key", .secret), 4: ("size", .number),
      5: ("thumbnail", .bytes), 6: ("digest", .bytes), 7: ("file_name", .text), 8: ("flags", .number),
      9: ("width", .number), 10: ("height", .number), 11: ("caption", .text), 101: ("url", .text),
    ])

  private static let quote = ProtobufSchema(
    "Quote",
    [
      1: ("id", .time), 2: ("author", .text), 3: ("text", .text),
      4: ("attachments", .message(quotedAttachment)),
    ])

  private static let quotedAttachment = ProtobufSchema(
    "QuotedAttachment",
    [
      1: ("content_type", .text), 2: ("file_name", .text), 3: ("thumbnail", .message(attachment)),
      4: ("flags", .number),
    ])

  private static let preview = ProtobufSchema(
    "Preview", [1: ("url", .text), 2: ("title", .text), 3: ("image", .message(attachment))])

  private static let reaction = ProtobufSchema(
    "Reaction",
    [
      1: ("id", .time), 2: ("author", .text), 3: ("emoji", .text),
      4: ("action", .names([0: "REACT", 1: "REMOVE"])),
    ])

  private static let invitation = ProtobufSchema(
    "OpenGroupInvitation", [1: ("url", .text), 3: ("name", .text)])

  private static let profile = ProtobufSchema(
    "LokiProfile",
    [1: ("display_name", .text), 2: ("profile_picture", .text), 3: ("last_update_seconds", .seconds)])

  private static let callMessage = ProtobufSchema(
    "CallMessage",
    [
      1: (
        "type",
        .names([
          1: "OFFER", 2: "ANSWER", 3: "PROVISIONAL_ANSWER", 4: "ICE_CANDIDATES", 5: "END_CALL",
          6: "PRE_OFFER",
        ])
      ), 2: ("sdps", .text), 3: ("sdp_m_line_indexes", .numbers), 4: ("sdp_mids", .text), 5: ("uuid", .text),
    ])

  private static let receiptMessage = ProtobufSchema(
    "ReceiptMessage", [1: ("type", .names([0: "DELIVERY", 1: "READ"])), 2: ("timestamp", .times)])

  private static let typingMessage = ProtobufSchema(
    "TypingMessage", [1: ("timestamp", .time), 2: ("action", .names([0: "STARTED", 1: "STOPPED"]))])

  private static let dataExtraction = ProtobufSchema(
    "DataExtractionNotification",
    [1: ("type", .names([1: "SCREENSHOT", 2: "MEDIA_SAVED"])), 2: ("timestamp", .time)])

  private static let unsendRequest = ProtobufSchema(
    "UnsendRequest", [1: ("timestamp", .time), 2: ("author", .text)])

  private static let messageRequestResponse = ProtobufSchema(
    "MessageRequestResponse",
    [1: ("is_approved", .flag), 2: ("profile_key", .secret), 3: ("profile", .message(profile))])

  private static let sharedConfig = ProtobufSchema(
    "SharedConfigMessage",
    [
      1: (
        "kind", .names([1: "USER_PROFILE", 2: "CONTACTS", 3: "CONVO_INFO_VOLATILE", 4: "USER_GROUPS"])
      ), 2: ("seqno", .number), 3: ("data", .bytes),
    ])

  private static let groupUpdate = ProtobufSchema(
    "GroupUpdateMessage",
    [
      1: ("invite_message", .message(groupInvite)), 2: ("info_change_message", .message(groupInfoChange)),
      3: ("member_change_message", .message(groupMemberChange)),
      4: ("promote_message", .message(groupPromote)),
      5: ("member_left_message", .message(ProtobufSchema("GroupUpdateMemberLeftMessage", [:]))),
      6: ("invite_response", .message(groupInviteResponse)),
      7: ("delete_member_content", .message(groupContentDeletion)),
      8: (
        "member_left_notification_message",
        .message(ProtobufSchema("GroupUpdateMemberLeftNotificationMessage", [:]))
      ),
    ])

  private static let groupInvite = ProtobufSchema(
    "GroupUpdateInviteMessage",
    [
      1: ("group_session_id", .text), 2: ("name", .text), 3: ("member_auth_data", .secret),
      4: ("admin_signature", .bytes),
    ])

  private static let groupInfoChange = ProtobufSchema(
    "GroupUpdateInfoChangeMessage",
    [
      1: ("type", .names([1: "NAME", 2: "AVATAR", 3: "DISAPPEARING_MESSAGES"])), 2: ("updated_name", .text),
      3: ("updated_expiration", .number), 4: ("admin_signature", .bytes),
    ])

  private static let groupMemberChange = ProtobufSchema(
    "GroupUpdateMemberChangeMessage",
    [
      1: ("type", .names([1: "ADDED", 2: "REMOVED", 3: "PROMOTED"])), 2: ("member_session_ids", .text),
      3: ("history_shared", .flag), 4: ("admin_signature", .bytes),
    ])

  private static let groupPromote = ProtobufSchema(
    "GroupUpdatePromoteMessage", [1: ("group_identity_seed", .secret), 2: ("name", .text)])

  private static let groupInviteResponse = ProtobufSchema(
    "GroupUpdateInviteResponseMessage", [1: ("is_approved", .flag)])

  private static let groupContentDeletion = ProtobufSchema(
    "GroupUpdateDeleteMemberContentMessage",
    [1: ("member_session_ids", .text), 2: ("message_hashes", .text), 3: ("admin_signature", .bytes)])

  private static let pro = ProtobufSchema(
    "ProMessage",
    [1: ("proof", .message(proProof)), 2: ("profile_bitset", .number), 3: ("msg_bitset", .number)])

  private static let proProof = ProtobufSchema(
    "ProProof",
    [
      1: ("version", .number), 2: ("revocation_tag", .bytes), 3: ("rotating_public_key", .bytes),
      4: ("expiry_unix_ts", .number), 5: ("sig", .bytes),
    ])
}
