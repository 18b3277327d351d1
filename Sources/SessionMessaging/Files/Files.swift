import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// The files of an account: attachments and profile pictures.
final class Files: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  /// The encrypted files next to the database; nil for an in-memory database.
  let vault: AccountFiles?
  /// Receives the progress of files.
  let transfers = TransferBoard()

  var handlers: [JobHandler] {
    [
      makeAttachmentUpload(), makeAttachmentDownload(), makeFileSweeping(), makePictureUpload(),
      makePictureDownload(), makePictureKeeping(), makeGroupPictureDownload(),
      makeRoomPictureDownload(),
    ]
  }

  init(_ context: AccountContext, _ author: ConfigAuthor, folder: String?) {
    self.context = context
    self.author = author
    vault = folder.map { AccountFiles(context.database, in: $0) }
  }

  /// Returns the encrypted files of the account.
  func requireVault() throws -> AccountFiles {
    guard let vault else {
      throw MessengerError(.fileUnavailable, "an account in memory has no files")
    }
    return vault
  }

  /// Returns the encrypted files of the account, and the client for servers.
  func require() throws -> (vault: AccountFiles, client: FileClient) {
    guard let vault, let client = environment.files else {
      throw MessengerError(
        .fileUnavailable, "the network has no file server: files can be neither sent nor downloaded")
    }
    return (vault, client)
  }
}
