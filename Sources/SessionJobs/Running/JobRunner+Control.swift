public import SessionStorage

extension JobRunner {
  /// What is the case now.
  public var conditions: JobConditions { desk.schedule.conditions }

  /// Tells that something is the case, or is not any more. Jobs that need it go on, or are not begun; those that run are
  /// left alone.
  public func set(_ condition: JobConditions, to isSo: Bool) {
    let before = desk.schedule.conditions
    desk.schedule.setConditions(isSo ? before.union(condition) : before.subtracting(condition))
    changed()
  }

  /// Begins no more jobs of a queue. What runs is left alone.
  public func pause(_ queue: JobQueue) {
    guard let number = desk.catalogue.number(ofQueue: queue.name) else { return }
    desk.schedule.pause(number)
    changed()
  }

  public func resume(_ queue: JobQueue) {
    guard let number = desk.catalogue.number(ofQueue: queue.name) else { return }
    desk.schedule.resume(number)
    changed()
  }

  /// Takes back that a job is to be done. Returns whether it was not over yet.
  @discardableResult
  public func cancel(_ id: JobRecord.ID, because reason: String = "it was cancelled") throws -> Bool {
    try database.write { transaction in try transaction.cancel(id, because: reason, at: now) }
  }

  /// What is shown of jobs may have changed, though their rows have not.
  private func changed() {
    database.observations.announce(.jobs)
    pump()
  }
}
