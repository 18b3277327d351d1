import Glibc
import SessionBase
import SessionCore
import SessionMessaging
import Synchronization

extension CommandIO {
  /// The environment of a served command: it has no streams, and people are given by id.
  static func serving(
    _ messenger: Messenger, _ attached: AttachedFiles = AttachedFiles(),
    settling event: EventAcknowledgement? = nil
  ) -> CommandIO {
    var io = CommandIO(
      read: { (path, limit) throws(SessionError) in
        try SessionError.files { () throws(FileError) in
          guard let path else { return [] }
          guard path.hasPrefix("/") else {
            throw FileError(.unreadable, "give a file by a path that begins with /")
          }
          // Opening a FIFO would wait for its writer.
          guard try OpenFile.mode(ofReadable: path) & S_IFMT == S_IFREG else {
            throw FileError(.unreadable, "\(path) is not a regular file")
          }
          return try OpenFile(reading: path).readAll(upTo: limit)
        }
      },
      create: { (path, _) throws(SessionError) in
        throw SessionError(FileError(.uncreatable, "cannot create \(path)"))
      },
      write: { _ in }, tell: { _ in }, askSecret: { _ in nil }, environment: [:],
      now: { MachineClock.wallMilliseconds }, isTerminal: false)
    io.settings.recipients = .ids
    io.served = messenger
    io.settled = event
    io.attached = attached
    return io
  }

  /// The environment of a command that works next to the server: there is no person to ask.
  static func beside(_ io: CommandIO, _ written: Written) -> CommandIO {
    var io = io
    // Programs that print keys run only where the user allows them.
    let keyCommands = io.settings.keyCommands
    io.settings = UserSettings()
    io.settings.recipients = .ids
    io.settings.keyCommands = keyCommands
    io.read = { [read = io.read] (path, limit) throws(SessionError) in
      guard let path else { return [] }
      return try read(path, limit)
    }
    io.create = { (path, _) throws(SessionError) in
      throw SessionError(FileError(.uncreatable, "cannot create \(path)"))
    }
    io.write = { (bytes) throws(SessionError) in written.add(bytes) }
    (io.tell, io.draw, io.askSecret) = ({ _ in }, { _ in }, { _ in nil })
    (io.askLine, io.isInputTerminal) = ({ _ in nil }, false)
    (io.messageColumns, io.outputColumns, io.isTerminal) = ({ nil }, { nil }, false)
    return io
  }
}

/// What a command wrote while it ran.
final class Written: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  func add(_ piece: Span<UInt8>) {
    let copy = piece.withUnsafeBufferPointer { Array($0) }
    bytes.withLock { $0 += copy }
  }
}
