import SessionCore
import SessionMessaging
import Testing

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: SessionError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async {
  await expectFailure(sourceLocation, of: body) { ($0 as? SessionError)?.code == code }
}

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: MessengerError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async {
  await expectFailure(sourceLocation, of: body) { ($0 as? MessengerError)?.code == code }
}

private func expectFailure(
  _ sourceLocation: SourceLocation, isolation: isolated (any Actor)? = #isolation,
  of body: () async throws -> Void, isExpected: (any Error) -> Bool
) async {
  do {
    try await body()
    Issue.record("it did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation)
  }
}
