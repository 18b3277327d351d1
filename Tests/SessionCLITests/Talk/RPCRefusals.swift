import SessionBase
import Testing

@testable import SessionDaemon

/// Expects that a daemon refuses a call, with an error of this kind.
func expectRefusal(
  _ kind: String, _ client: RPCClient, _ method: String, _ params: JSONValue,
  _ location: SourceLocation = #_sourceLocation
) async {
  await #expect("\(method) \(params)", sourceLocation: location) {
    try await client.call(method, params)
  } throws: {
    ($0 as? RPCError)?.kind == kind
  }
}
