public import Foundation
import Glibc
import Spawning

/// A terminal without a screen: a program draws on its end, and what it drew can be read.
public final class PseudoTerminal: Sendable {
  /// The end that a program uses as its terminal.
  public let end: FileHandle
  private let screen: FileHandle

  public struct Unavailable: Error {}

  public init(columns: UInt16, rows: UInt16 = 24) throws {
    let screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard screen >= 0 else { throw Unavailable() }
    self.screen = FileHandle(fileDescriptor: screen, closeOnDealloc: true)
    var (lock, number) = (CInt(0), CInt(0))
    // TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not see.
    guard ioctl(screen, 0x4004_5431, &lock) == 0, ioctl(screen, 0x8004_5430, &number) == 0 else {
      throw Unavailable()
    }
    let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard end >= 0 else { throw Unavailable() }
    self.end = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    try resize(columns: columns, rows: rows)
  }

  /// Gives the terminal another size.
  public func resize(columns: UInt16, rows: UInt16) throws {
    // A winsize: rows, columns, and two numbers of pixels.
    var size: [UInt16] = [rows, columns, 0, 0]
    guard ioctl(end.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable() }
  }

  /// Types a text.
  public func type(_ text: String) throws { try screen.write(contentsOf: Data(text.utf8)) }

  /// What is drawn, piece by piece, for one reader. No thread that tasks run on is blocked.
  public func drawings() -> AsyncStream<String> {
    let (drawings, drawing) = AsyncStream.makeStream(of: String.self)
    let screen = screen
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var cut: [UInt8] = []
      // After the last writer closes, reading fails instead of ending.
      while case let count = read(screen.fileDescriptor, &buffer, buffer.count), count > 0 {
        cut += buffer[..<count]
        // A character that is cut comes with the next piece.
        let whole = String(validating: cut, as: UTF8.self)
        guard whole != nil || cut.count > 1 << 20 else { continue }
        drawing.yield(whole ?? String(decoding: cut, as: UTF8.self))
        cut = []
      }
      drawing.finish()
    }
    return drawings
  }

  /// Runs a program that has the end: how it ended, and what it drew.
  public func watching(_ process: Process) async throws -> (status: Int32, drawn: String) {
    let (ends, ending) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      ending.yield(process.terminationStatus)
      ending.finish()
    }
    try process.start()
    let drawings = drawings()
    var status: Int32 = -1
    for await ended in ends { status = ended }
    try end.close()
    var drawn = ""
    for await text in drawings { drawn += text }
    return (status, drawn)
  }
}
