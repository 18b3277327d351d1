import SessionCore

/// A table of an account's database as it travels in an archive.
struct ArchiveTable: Sendable {
  /// What of an account travels.
  struct Scope: Sendable {
    var files = ArchiveManifest.Files.all
    /// True if messages travel that disappear.
    var hasDisappearing = false
  }

  let name: String
  /// The columns that the importer makes anew.
  var omitted: Set<String> = []
  /// What travels in the place of the value of a column.
  var changes: @Sendable (Scope) -> [String: String] = { _ in [:] }
  /// What rows have to fulfil; nil for all.
  var condition: @Sendable (Scope) -> String? = { _ in nil }
}

extension ArchiveTable {
  /// Those that travel; rows refer to earlier tables only.
  static let all: [ArchiveTable] = [
    ArchiveTable(
      name: "file", omitted: ["path", "localKey", "referenceCount"],
      condition: { scope in
        guard scope.files != .none else { return "0" }
        return scope.hasDisappearing && scope.files == .all ? nil : "id IN (\(files(scope)))"
      }),
    ArchiveTable(
      name: "attachment", omitted: ["referenceCount"],
      changes: { scope in
        let keeps = scope.files == .all ? "fileID IS NOT NULL" : "0"
        return [
          // A file that does not travel is downloaded again. What was under way begins anew.
          "state": """
          CASE WHEN state = \(State.uploading) THEN \(State.failedUpload) \
          WHEN state = \(State.downloading) \
          OR (state IN (\(State.downloaded), \(State.uploaded)) AND url IS NOT NULL AND NOT (\(keeps))) \
          THEN \(State.pendingDownload) ELSE state END
          """, "fileID": scope.files == .all ? "fileID" : "NULL",
        ]
      },
      condition: { scope in scope.hasDisappearing ? nil : "id IN (\(attachments))" }),
    ArchiveTable(
      name: "linkPreview",
      condition: { scope in
        scope.hasDisappearing
          ? nil
          : "id IN (SELECT linkPreviewID FROM interaction WHERE \(lasting) AND linkPreviewID IS NOT NULL)"
      }),
    ArchiveTable(name: "thread"),
    ArchiveTable(
      name: "interaction",
      changes: { _ in
        let (sending, syncing) = (Message.sending.rawValue, Message.syncing.rawValue)
        return [
          "state": """
          CASE state WHEN \(sending) THEN \(Message.failed.rawValue) \
          WHEN \(syncing) THEN \(Message.failedToSync.rawValue) ELSE state END
          """,
          "failure": "CASE WHEN state = \(sending) THEN 'interrupted by an archive' ELSE failure END",
        ]
      },
      condition: { scope in scope.hasDisappearing ? nil : lasting }),
    part("interactionAttachment"), part("quote"), part("reaction"),
    picture("profile", in: "pictureFileID"),
    ArchiveTable(name: "contact"),
    ArchiveTable(name: "blindedID"),
    picture("closedGroup", in: "pictureFileID"),
    ArchiveTable(name: "groupMember"),
    ArchiveTable(name: "communityServer"),
    picture("community", in: "imageFileID"),
    ArchiveTable(name: "capability"),
    ArchiveTable(name: "configDump"),
    ArchiveTable(name: "obsoleteHash"),
    ArchiveTable(name: "seenMessage"),
    ArchiveTable(name: "pendingReadReceipt"),
    ArchiveTable(
      name: "draft",
      changes: { scope in
        scope.hasDisappearing
          ? [:]
          : [
            "editTarget":
              "CASE WHEN editTarget IN (SELECT id FROM interaction WHERE \(lasting)) THEN editTarget END"
          ]
      }),
    ArchiveTable(name: "draftAttachment"),
    ArchiveTable(name: "setting"),
    ArchiveTable(name: "tombstone"),
    part("messageHash"),
    ArchiveTable(name: "communityModerator"),
    ArchiveTable(name: "communityPin"),
    ArchiveTable(name: "communityGap"),
    ArchiveTable(name: "tag"),
    ArchiveTable(name: "threadTag"),
    ArchiveTable(
      name: "scheduled", omitted: ["jobID", "interactionID", "settledAt"],
      changes: { _ in
        // The device where the archive was made still sends it: a second one must not.
        let (waiting, missed) = (
          ScheduledRecord.State.waiting.rawValue, ScheduledRecord.State.missed.rawValue
        )
        return [
          "state": "CASE state WHEN \(waiting) THEN \(missed) ELSE state END",
          "failure": "CASE state WHEN \(waiting) THEN 'it came from an archive' ELSE failure END",
        ]
      }),
    ArchiveTable(name: "scheduledAttachment"),
  ]

  /// Those that stay: what only this device has to do, what is fetched or made anew, and the keys of this device, which
  /// must not be in two places. Who was verified depends on them.
  static let staying: Set<String> = AccountTables.ratchetTables.union([
    "communityBadItem", "communityPending", "configPart", "event", "eventDead", "eventReader", "fullReading",
    "job", "jobDependency", "jobEffect", "messageSearch", "messageText", "migration", "notification",
    "orphanFile", "proRevocation", "proState", "receivedHash", "sendKey", "swarmStep",
    "toldVerification", "verification",
  ])

  private typealias Message = InteractionRecord.State

  private enum State {
    static let uploading = AttachmentRecord.State.uploading.rawValue
    static let uploaded = AttachmentRecord.State.uploaded.rawValue
    static let failedUpload = AttachmentRecord.State.failedUpload.rawValue
    static let downloading = AttachmentRecord.State.downloading.rawValue
    static let downloaded = AttachmentRecord.State.downloaded.rawValue
    static let pendingDownload = AttachmentRecord.State.pendingDownload.rawValue
  }

  /// The messages without a timer.
  private static let lasting = "(expiryMode = 0 OR expirySeconds = 0)"

  /// The attachments of those messages, of drafts, and of messages that are sent later.
  private static let attachments = """
    SELECT attachmentID FROM interactionAttachment \
    WHERE interactionID IN (SELECT id FROM interaction WHERE \(lasting)) \
    UNION SELECT attachmentID FROM draftAttachment \
    UNION SELECT attachmentID FROM scheduledAttachment \
    UNION SELECT attachmentID FROM linkPreview WHERE attachmentID IS NOT NULL \
    AND id IN (SELECT linkPreviewID FROM interaction WHERE \(lasting))
    """

  /// The files that travel.
  private static func files(_ scope: Scope) -> String {
    let pictures = """
      SELECT pictureFileID FROM profile WHERE pictureFileID IS NOT NULL \
      UNION SELECT pictureFileID FROM closedGroup WHERE pictureFileID IS NOT NULL \
      UNION SELECT imageFileID FROM community WHERE imageFileID IS NOT NULL
      """
    guard scope.files == .all else { return pictures }
    let kept = scope.hasDisappearing ? "" : " AND id IN (\(attachments))"
    return "\(pictures) UNION SELECT fileID FROM attachment WHERE fileID IS NOT NULL\(kept)"
  }

  /// A table whose rows belong to messages.
  private static func part(_ name: String) -> ArchiveTable {
    ArchiveTable(
      name: name,
      condition: { scope in
        scope.hasDisappearing ? nil : "interactionID IN (SELECT id FROM interaction WHERE \(lasting))"
      })
  }

  /// A table whose rows may have a picture.
  private static func picture(_ name: String, in column: String) -> ArchiveTable {
    ArchiveTable(name: name, changes: { scope in scope.files == .none ? [column: "NULL"] : [:] })
  }
}
