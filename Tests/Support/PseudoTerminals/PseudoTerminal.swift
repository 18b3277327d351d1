import Foundation
import Glibc

/// A terminal without a screen: a program draws on its end, and what it drew can be read.
final class PseudoTerminal: Sendable {
  /// The end that a program uses as its terminal.
  let end: FileHandle
  private let screen: FileHandle

  struct Unavailable: Error {}

  init(columns: UInt16) throws {
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
    // A winsize: rows, columns, and two numbers of pixels.
    var size: [UInt16] = [24, columns, 0, 0]
    guard ioctl(end, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable() }
  }

  /// Runs a program that has the end: how it ended, and what it drew. No thread that tasks run on is blocked.
  func watching(_ process: Process) async throws -> (status: Int32, drawn: String) {
    let (ends, ending) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      ending.yield(process.terminationStatus)
      ending.finish()
    }
    try process.run()
    let (drawings, drawing) = AsyncStream.makeStream(of: String.self)
    let descriptor = screen.fileDescriptor
    Thread.detachNewThread {
      var (drawn, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
      // After the last writer closes, reading fails instead of ending.
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 { drawn += buffer[..<count] }
      drawing.yield(String(decoding: drawn, as: UTF8.self))
      drawing.finish()
    }
    var status: Int32 = -1
    for await ended in ends { status = ended }
    try end.close()
    var drawn = ""
    for await text in drawings { drawn = text }
    withExtendedLifetime(screen) {}
    return (status, drawn)
  }
}
