public import SessionStorage

extension JobRunner {
  /// The conditions that are met.
  public var conditions: JobConditions { scheduler.schedule.conditions }

  /// Reports that a condition is met or not. Jobs that need it continue or do not start; running jobs are not
  /// affected.
  public func set(_ condition: JobConditions, to isSo: Bool) {
    let before = scheduler.schedule.conditions
    scheduler.schedule.setConditions(isSo ? before.union(condition) : before.subtracting(condition))
    changed()
  }

  /// Starts no more jobs of a queue until it is resumed, by this program or a later one. Running jobs are not
  /// affected. For pauses that end with the program use conditions.
  public func pause(_ queue: JobQueue) throws {
    guard let number = scheduler.catalogue.number(ofQueue: queue.name) else { return }
    try keep(isPaused: true, number)
    scheduler.schedule.pause(number)
    changed()
  }

  public func resume(_ queue: JobQueue) throws {
    guard let number = scheduler.catalogue.number(ofQueue: queue.name) else { return }
    try keep(isPaused: false, number)
    scheduler.schedule.resume(number)
    changed()
  }

  private func keep(isPaused: Bool, _ queue: Int) throws {
    try database.write { transaction in try scheduler.keep(isPaused: isPaused, queue, transaction) }
  }

  /// Takes back that a job is to be done. Returns whether it was not over yet.
  @discardableResult
  public func cancel(_ id: JobRecord.ID, because reason: String = "it was cancelled") throws -> Bool {
    try database.write { transaction in try transaction.cancel(id, because: reason, at: now) }
  }

  /// Reports that the view of jobs may have changed, although their rows have not.
  private func changed() {
    database.observations.announce(.jobs)
    pump()
  }
}
