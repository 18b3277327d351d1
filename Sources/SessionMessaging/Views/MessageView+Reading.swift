import SessionCore
import SessionStorage

/// The parts of a page of messages, each kind read with one statement.
private struct MessageParts {
  let threads: [ThreadRecord.ID: ThreadRecord]
  let attachments: [InteractionRecord.ID: [AttachmentRecord]]
  let quotes: [InteractionRecord.ID: QuoteRecord]
  /// The visible original messages, by the message that replies to them.
  let originals: [InteractionRecord.ID: InteractionRecord]
  let originalAttachments: [InteractionRecord.ID: [AttachmentRecord]]
  let links: [LinkPreviewRecord.ID: LinkPreviewRecord]
  let linkImages: [AttachmentRecord.ID: AttachmentRecord]
  let reactions: [InteractionRecord.ID: [ReactionRecord]]
  /// Those that wait for keys.
  let waiting: Set<InteractionRecord.ID>
}

extension Reading where Self: ~Copyable {
  /// Returns messages with all of their parts, in order, without those that have expired or that this version cannot
  /// show.
  func views(of records: [InteractionRecord], at now: MessageTime) throws -> [MessageView] {
    let shown = records.filter { !$0.isOver(at: now) }
    guard !shown.isEmpty else { return [] }
    let parts = try parts(of: shown, at: now)
    return shown.compactMap { MessageView($0, parts) }
  }

  /// Returns the messages with these ids.
  func views(_ ids: some Sequence<MessageView.ID>, at now: MessageTime) throws -> [MessageView] {
    try views(of: interactions(RowList(ids.map(\.record))), at: now)
  }

  /// Returns the newest visible messages before a position, newest first.
  func visiblePage(
    of thread: ThreadRecord, before place: InteractionPlace = .end, limit: Int, at now: MessageTime
  ) throws -> [MessageView] {
    var (views, place) = ([MessageView](), place)
    while views.count < limit {
      let page = try page(of: thread.id, before: place, limit: limit - views.count)
      guard let last = page.last else { break }
      views += try self.views(of: page, at: now)
      place = last.place
    }
    return views
  }

  /// Returns the visible messages after a position, oldest first.
  func visiblePage(
    of thread: ThreadRecord, after place: InteractionPlace, limit: Int, at now: MessageTime
  ) throws -> [MessageView] {
    var (views, place) = ([MessageView](), place)
    while views.count < limit {
      let page = try page(of: thread.id, after: place, limit: limit - views.count)
      guard let last = page.last else { break }
      views += try self.views(of: page, at: now)
      place = last.place
    }
    return views
  }

  private func parts(of records: [InteractionRecord], at now: MessageTime) throws -> MessageParts {
    let messages = RowList(records.map(\.id))
    let quotes = try quotes(of: messages)
    let originals = quotes.isEmpty ? [:] : try interactions(quotedBy: messages)
    let seen = originals.filter { !$0.value.isDeleted && !$0.value.isOver(at: now) }
    let linkIDs = records.compactMap(\.linkPreviewID)
    let links = linkIDs.isEmpty ? [] : try linkPreviews(RowList(linkIDs))
    let imageIDs = links.compactMap(\.attachmentID)
    let images = imageIDs.isEmpty ? [] : try attachments(RowList(imageIDs))
    return MessageParts(
      threads: Dictionary(
        uniqueKeysWithValues: try threads(RowList(Set(records.map(\.threadID)))).map { ($0.id, $0) }),
      attachments: try attachments(of: messages),
      quotes: Dictionary(uniqueKeysWithValues: quotes.map { ($0.interactionID, $0) }), originals: seen,
      originalAttachments: seen.isEmpty ? [:] : try attachments(of: RowList(seen.values.map(\.id))),
      links: Dictionary(uniqueKeysWithValues: links.map { ($0.id, $0) }),
      linkImages: Dictionary(uniqueKeysWithValues: images.map { ($0.id, $0) }),
      reactions: Dictionary(grouping: try reactions(to: messages), by: \.interactionID),
      waiting: try waitingForKeys(among: records))
  }
}

extension MessageView {
  fileprivate init?(_ record: InteractionRecord, _ parts: MessageParts) {
    guard let thread = parts.threads[record.threadID], let conversation = Conversation.ID(thread.address),
      let author = SessionID(record.author), let kind = Kind(record)
    else { return nil }
    self.init(
      id: ID(record.id), conversation: conversation, author: author,
      isOutgoing: record.isOutgoing, kind: kind, body: record.shownBody, fullBody: record.body ?? "",
      attachments: (parts.attachments[record.id] ?? []).map { AttachmentView($0) }, sentAt: record.sentAt,
      state: State(record), changeFailure: record.changeFailure, editedAt: record.editedAt,
      whisper: Whisper(record), isRead: record.wasRead, mentionsUs: record.hasMention,
      readByRecipientAt: record.readByRecipientAt,
      disappearsAt: record.disappearsAt, timer: record.expiry.timer,
      quoted: Quoted(by: record, parts), link: Link(of: record, parts),
      reactions: Reaction.all(in: parts.reactions[record.id] ?? []),
      level: SecurityLevel(rawValue: record.level), waitsForKeys: parts.waiting.contains(record.id),
      isFromHeldDevice: record.isFromHeldDevice)
  }
}

extension MessageView.Whisper {
  fileprivate init?(_ record: InteractionRecord) {
    guard record.isWhisper else { return nil }
    self = record.whisperTo.flatMap { SessionID($0) }.map { .person($0) } ?? .moderators
  }
}

extension MessageView.Reaction {
  fileprivate static func all(in rows: [ReactionRecord]) -> [Self] {
    rows.compactMap { row in
      guard let author = SessionID(row.author) else { return nil }
      let named = row.count > 1 ? rows.count { $0.emoji == row.emoji } : 1
      return Self(emoji: row.emoji, author: author, others: max(0, row.count - named))
    }
  }
}

extension MessageView.Quoted {
  fileprivate init?(by record: InteractionRecord, _ parts: MessageParts) {
    guard let quote = parts.quotes[record.id], let author = SessionID(quote.author) else { return nil }
    let original = parts.originals[record.id]
    let files = original.flatMap { parts.originalAttachments[$0.id] }?.map { AttachmentView($0) } ?? []
    self.init(
      author: author, sentAt: quote.sentAt, message: original.map { MessageView.ID($0.id) },
      body: original?.shownBody, attachment: files.first { $0.kind == .image } ?? files.first)
  }
}

extension MessageView.Link {
  fileprivate init?(of record: InteractionRecord, _ parts: MessageParts) {
    guard let preview = record.linkPreviewID.flatMap({ parts.links[$0] }) else { return nil }
    self.init(
      url: preview.url, title: preview.title,
      image: preview.attachmentID.flatMap { parts.linkImages[$0] }.map { AttachmentView($0) },
      isInvitation: preview.kind == .communityInvitation)
  }
}
