import Glibc
import Testing

@testable import SessionDaemon

/// Waiting for sockets.
@Suite(.timeLimit(.minutes(1))) struct SocketLoopTests {
  @Test func theLoopTurns() async {
    #expect(await SocketLoop.shared.turns(within: .seconds(60)))
  }

  /// A task may be about to wait for a socket that another one closes, and whose descriptor is used again.
  @Test func aWaitDoesNotMoveToAnotherSocketWithTheSameDescriptor() async throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let earlier = try SocketLoop.shared.add(pair[0])
    SocketLoop.shared.remove(pair[0])
    let later = try SocketLoop.shared.add(pair[0])
    let reading = Task { [descriptor = pair[0]] in
      await SocketLoop.shared.wait(.reading, of: descriptor, later)
    }
    // It returns at once, however long the other socket has nothing to read.
    await SocketLoop.shared.wait(.reading, of: pair[0], earlier)
    #expect(write(pair[1], [1], 1) == 1)
    await reading.value
    SocketLoop.shared.remove(pair[0])
    for descriptor in pair { close(descriptor) }
  }
}
