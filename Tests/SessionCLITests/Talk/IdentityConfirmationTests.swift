import SessionDaemon
import Testing

@testable import SessionCLI
@testable import SessionMessaging

/// The commands with `--confirm-identity` say so where they refuse to send to somebody who has changed.
@Suite struct IdentityConfirmationTests {
  private func failure(of code: MessengerError.Code) async throws -> any Error {
    do {
      try await confirmingIdentity { throw MessengerError(code, "refused") }
    } catch { return error }
    throw MessengerError(code, "it was not refused")
  }

  @Test func theAdviceNamesTheOption() async throws {
    let error = try await failure(of: .identity)
    let failure = CommandFailure(error)
    #expect(failure.message == "refused" && failure.status == .permission)
    #expect(failure.advice?.contains("--confirm-identity") == true)
    #expect(failure.advice?.contains("session verify show") == true)
    // Programs get the same kind of error as from every other command.
    #expect(RPCError(failureOf: error).kind == RPCError(failureOf: MessengerError(.identity, "refused")).kind)
  }

  @Test func otherFailuresStayAsTheyAre() async throws {
    let error = try await failure(of: .blocked)
    #expect(MessengerError.Code.blocked ~= error)
    #expect(CommandFailure(error).advice?.contains("--confirm-identity") == false)
  }
}
