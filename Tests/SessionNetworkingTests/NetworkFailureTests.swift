import SessionCore
import SessionNetworking
import Testing

@Suite struct NetworkFailureTests {
  @Test(arguments: [
    (401, NetworkFailure.Kind.unauthorized), (400, .rejected), (403, .rejected), (404, .rejected),
    (406, .clock), (413, .tooLarge), (421, .transient), (425, .clock), (429, .rateLimited), (500, .transient),
    (502, .transient), (503, .busy), (504, .transient),
  ])
  func eachStatusCodeHasOneKind(code: Int, kind: NetworkFailure.Kind) {
    let failure = NetworkFailure(Storage.MemberFailure.refused(code: code, reason: "because"))
    #expect(failure.kind == kind)
    #expect(failure.message.contains("because"))
  }

  @Test func failuresOfASwarmNodeAreTransient() {
    for reason in [Storage.MemberFailure.timedOut, .badReply, .database] {
      #expect(NetworkFailure(reason).kind == .transient)
    }
  }

  @Test func invalidRequestsAreNotRetried() {
    let final = NetworkFailure.Kind.allCases.filter { !NetworkFailure($0, "").isWorthRepeating }
    #expect(Set(final) == [.rejected, .tooLarge, .gone, .unauthorized, .rateLimited])
    #expect(NetworkFailure(.busy, "").retryDelay != nil)
    #expect(NetworkFailure(.transient, "").retryDelay == nil)
  }

  @Test func errorsOfTheCoreMeanOneThing() throws {
    let error = #expect(throws: SessionError.self) { try SessionID(parsing: "05") }
    #expect(NetworkFailure(try #require(error)).kind == .rejected)
  }
}
