import SessionBase

/// The right to be the one process that works on an account: held until it is released, the last reference goes, or the
/// process ends in whatever way.
public final class AccountLock: Sendable {
  /// The holder of an account's lock, as it describes itself.
  public struct Holder: Hashable, Sendable {
    public let process: Int32
    /// The purpose of the process, such as "session daemon".
    public let purpose: String
    /// The path of the socket on which it carries out the calls of other programs; nil if it does not.
    public let socket: String?
  }

  private let file: FileLock

  /// Takes the lock of an account. One that was replaced never had a lock: the folder of the lock is made. `locked`, with the name of the holder, when another process
  /// has it; this does not wait.
  public init(_ account: AccountFolder, purpose: String) throws(StorageError) {
    file = try StorageError.files { () throws(FileError) in
      try PrivateFolder.prepare(account.state)
      return try FileLock(account.lock, of: "the account \(account.name)", purpose: purpose)
    }
  }

  /// The current holder of the lock of an account, if any.
  public static func holder(of account: AccountFolder) -> Holder? {
    FileLock.holder(of: account.lock).map {
      Holder(process: $0.process, purpose: $0.purpose, socket: $0.socket)
    }
  }

  /// Releases the lock now, whatever still refers to it.
  public func release() { file.release() }

  /// Keeps the lock for the same program started anew in this process.
  package func keep() { file.keep() }

  /// Tells other programs the socket on which this one carries out their calls; nil for none.
  package func tell(socket: String?) { file.tell(socket: socket) }
}
