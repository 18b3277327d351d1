import Glibc
import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// Content that a client with limited rights reads through a pipe.
@Suite(.timeLimit(.minutes(1))) struct PipeWriterTests {
  private struct Pieces: AsyncSequence, Sendable {
    var count = 3
    var fails = false

    struct Iterator: AsyncIteratorProtocol {
      var rest: Int
      let fails: Bool

      mutating func next() async throws -> [UInt8]? {
        guard rest > 0 else {
          if fails { throw RPCError.invalidParams("damaged") }
          return nil
        }
        rest -= 1
        return [UInt8](repeating: UInt8(truncatingIfNeeded: rest), count: 100_000)
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: count, fails: fails) }
  }

  /// All that comes, read on a thread of its own.
  private func content(of file: PassedFile) async -> [UInt8] {
    await WorkerQueue("pipe.reading").run {
      var all: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let count = read(file.descriptor, &piece, piece.count), count > 0 { all += piece[..<count] }
      return all
    }
  }

  @Test(arguments: [false, true]) func allThatCanBeReadArrivesAndThenThePipeEnds(_ fails: Bool) async throws {
    let account = try await ReadAccount()
    let access = RPCAccess([.read], owner: "bots")
    let file = try access.pipe(Pieces(fails: fails), of: account.messenger)
    let all = await content(of: file)
    #expect(all.count == 300_000 && all.first == 2 && all.last == 0)
    await account.messenger.stop()
  }

  @Test func clientsOfASocketHaveAFewPipesAtATime() async throws {
    let account = try await ReadAccount()
    let access = RPCAccess([.read], owner: "bots")
    // There is no reader.
    var files = try (0..<RPCLimits.pipes).map { _ in try access.pipe(Pieces(), of: account.messenger) }
    #expect { try access.pipe(Pieces(), of: account.messenger) } throws: {
      ($0 as? RPCError)?.kind == "limit-reached"
    }
    // A reader that closes its end makes room.
    files.removeLast()
    while true {
      do {
        files.append(try access.pipe(Pieces(), of: account.messenger))
        break
      } catch let error as RPCError where error.kind == "limit-reached" { await Task.yield() }
    }
    await account.messenger.stop()
  }

  /// An account that is locked or deleted is read no further.
  @Test func thePipeEndsWithItsAccount() async throws {
    let account = try await ReadAccount()
    let file = try RPCAccess([.read], owner: "bots").pipe(Pieces(count: .max), of: account.messenger)
    await account.messenger.stop()
    #expect(await content(of: file).count < 10 << 20)
  }
}
