public import Testing

/// The reason why there is no PostgreSQL to test with; nil if there is one.
private let absence: String? = {
  do {
    _ = try PostgreSQLInstance.shared.get()
    return nil
  } catch {
    return "\(error)"
  }
}()

extension Trait where Self == ConditionTrait {
  /// Skips a suite, and says why, where PostgreSQL cannot be started.
  public static var onPostgreSQL: Self {
    .enabled("PostgreSQL cannot be started: \(absence ?? "")") { absence == nil }
  }
}
