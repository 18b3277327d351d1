internal import CSessionCore

/// Iterates over records of the core, in order.
enum Records {
  static func all<Record, Shown>(
    _ record: Record, first: (inout Record) -> sc_status, next: (inout Record) -> sc_status,
    as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> [Shown] {
    var record = record
    var found: [Shown] = []
    var status = first(&record)
    while status == SC_OK {
      found.append(try shown(record))
      status = next(&record)
    }
    guard status == SC_ERR_NOT_FOUND else { throw SessionError(status) }
    return found
  }

  /// Returns a record, or nil if there is none.
  static func one<Record, Shown>(
    _ record: Record, get: (inout Record) -> sc_status, as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> Shown? {
    var record = record
    let status = get(&record)
    if status == SC_ERR_NOT_FOUND { return nil }
    try SessionError.check(status)
    return try shown(record)
  }

  static func count(_ count: (inout Int) -> sc_status) throws(SessionError) -> Int {
    var number = 0
    try SessionError.check(count(&number))
    return number
  }

  /// Erases a record. Returns true if there was one.
  static func erase(_ erase: (inout Bool) -> sc_status) throws(SessionError) -> Bool {
    var erased = false
    try SessionError.check(erase(&erased))
    return erased
  }
}
