import SessionCore
import SessionNetworking
import SessionStorage

// Attachments of received messages.

extension MessageReceiver {
  /// Stores the attachments of a message, and requests automatic downloads.
  func takeAttachments(
    _ attachments: [MessageAttachment], of message: InteractionRecord,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard !attachments.isEmpty else { return }
    let records = try attachments.map { attachment in try keep(attachment, transaction) }
    try transaction.attach(records.map(\.id), to: message.id)
    for record in records { try fetchIfWanted(record, of: message, transaction) }
  }

  /// The image of a link; nil if there is none.
  func takeImage(
    of preview: LinkPreview, _ transaction: borrowing WriteTransaction
  ) throws -> AttachmentRecord? {
    try preview.image.map { image in try keep(image, transaction) }
  }

  /// Requests the image of a message's link, if it is downloaded automatically.
  func fetchImage(of message: InteractionRecord, _ transaction: borrowing WriteTransaction) throws {
    guard let link = try message.linkPreviewID.flatMap({ id in try transaction.linkPreview(id) }),
      let image = try link.attachmentID.flatMap({ id in try transaction.attachment(id) })
    else { return }
    try fetchIfWanted(image, of: message, transaction)
  }

  /// Requests a file if automatic downloads are on for its sender, and the rules allow it. A file on a stranger's server
  /// waits until the user asks for it.
  func fetchIfWanted(
    _ record: AttachmentRecord, of message: InteractionRecord, _ transaction: borrowing WriteTransaction
  ) throws {
    guard try isTrusted(message.author, transaction) else { return }
    try transaction.requestAutomaticDownload(record, at: now, context)
  }

  private func isTrusted(_ author: String, _ transaction: borrowing WriteTransaction) throws -> Bool {
    guard author != own.address else { return true }
    guard let contact = try transaction.contact(author) else { return false }
    return contact.isTrusted && contact.isApproved && !contact.isBlocked
  }

  private func keep(
    _ attachment: MessageAttachment, _ transaction: borrowing WriteTransaction
  ) throws -> AttachmentRecord {
    var record = AttachmentRecord(attachment, at: now.stored)
    if case .room(let room) = source {
      // The server of the room learns who downloads it, and no other.
      if record.address?.lies(in: room) != true { record.state = .invalid }
      (record.key, record.digest) = (nil, nil)
    } else if let servers = context.environment.files?.servers, record.refusal(by: servers) != nil {
      record.state = .invalid
    }
    return try transaction.insert(record)
  }
}
