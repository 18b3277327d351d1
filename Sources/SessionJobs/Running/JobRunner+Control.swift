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

  /// Begins no more jobs of a queue until it is resumed, by this program or by one that is started later. What runs is
  /// left alone. For what holds only while the program runs there are conditions.
  public func pause(_ queue: JobQueue) throws {
    guard let number = desk.catalogue.number(ofQueue: queue.name) else { return }
    try keep(isPaused: true, number)
    desk.schedule.pause(number)
    changed()
  }

  public func resume(_ queue: JobQueue) throws {
    guard let number = desk.catalogue.number(ofQueue: queue.name) else { return }
    try keep(isPaused: false, number)
    desk.schedule.resume(number)
    changed()
  }

  private func keep(isPaused: Bool, _ queue: Int) throws {
    try database.write { transaction in try desk.keep(isPaused: isPaused, queue, transaction) }
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
