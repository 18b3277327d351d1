/// Does work, and afterwards something else, also where the work fails.
package func doing<R>(_ work: () async throws -> R, andThen end: () async -> Void) async throws -> R {
  let result: Result<R, any Error>
  do { result = .success(try await work()) } catch { result = .failure(error) }
  await end()
  return try result.get()
}
