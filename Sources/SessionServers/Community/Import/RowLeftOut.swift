/// Why a row of an old server is left out.
struct RowLeftOut: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
