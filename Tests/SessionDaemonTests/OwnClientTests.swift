import Folders
import SessionBase
import Testing

@testable import SessionDaemon

/// The connection of a program to its own server.
@Suite struct OwnClientTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(.timeLimit(.minutes(1))) func itsCallsCountAsUnderWay() async throws {
    let (begun, gate) = (Latch(), Latch())
    let method = RPCMethod("test.wait", needs: nil) { _ in
      begun.open()
      await gate.wait()
      return "{}"
    }
    let server = try RPCServer(
      at: folder.path("own"), NoAccounts(), dataRoot: "/", version: "1", methods: [method])
    let client = try server.client { _, _ in }
    let calling = Task { try await client.call("test.wait") }
    await begun.wait()
    #expect(server.noCallSince == nil)
    gate.open()
    _ = try await calling.value
    #expect(server.noCallSince != nil)
    client.close()
    await server.stop()
  }
}
