import SessionCore
import SessionMessaging
import Testing

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: SessionError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("it did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect((error as? SessionError)?.code == code, sourceLocation: sourceLocation)
  }
}

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: MessengerError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("it did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect((error as? MessengerError)?.code == code, sourceLocation: sourceLocation)
  }
}
