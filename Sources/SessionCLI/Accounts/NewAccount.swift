import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

/// An account that is to be made on this machine.
struct NewAccount: Sendable {
  let folder: AccountFolder
  let network: AccountNetwork
  /// The name that others see; nil where it comes from other devices.
  var displayName: String?
  /// Protects the key of the database.
  var slot = NewKeySlot.open
  /// True if forward secrecy is on from the beginning.
  private(set) var hasForwardSecrecy = false
  private let book: AccountBook
  private let isInPrivateNetwork: Bool

  /// Throws if there is an account of this name, or the network cannot be reached. `network` is nil for that of the settings.
  init(_ name: String, network: AccountNetwork?, _ io: CommandIO) throws {
    book = try AccountBook(io)
    folder = try book.folder(name)
    guard !folder.exists else {
      throw CommandFailure(
        status: .configuration, message: "the account \(name) already exists on this machine",
        advice: "Choose another name.", detail: .accountExists)
    }
    self.network = network ?? AccountNetwork(io.settings.network ?? "main", folder: book.roots.config)
    // Fail for a bad network before creating anything.
    isInPrivateNetwork = try self.network.reach(io: io).isPrivate
  }

  /// Decides on forward secrecy for an account that no device had before; nil leaves that to the network. In a private
  /// network there are no official apps, which would miss messages. A restored account may have devices without it.
  mutating func decideForwardSecrecy(_ isWanted: Bool?) { hasForwardSecrecy = isWanted ?? isInPrivateNetwork }

  /// Makes it. After a failure, or when the program is killed, nothing of it is left.
  func make(from account: Account) async throws {
    do {
      try await Messenger.make(
        account, name: displayName, in: folder, protecting: slot,
        hasForwardSecrecy: hasForwardSecrecy,
        MessengerEnvironment(swarms: UnreachableSwarms())
      ) { [book, network, folder] in try book.setNetwork(network, of: folder) }
    } catch let error as MessengerError where error.code == .accountExists {
      // Another process was faster: what is there is its own.
      throw error
    } catch let error as StorageError where [.locked, .duplicate].contains(error.code) {
      throw error
    } catch {
      await WorkerQueue("session.command").run { book.forget(folder) }
      throw error
    }
  }

  /// For programs, once it is made.
  func json(of account: Account) -> JSONObject {
    [
      "id": .string(account.id.description), "name": .string(folder.name),
      "forward_secrecy": .boolean(hasForwardSecrecy),
    ]
  }
}
