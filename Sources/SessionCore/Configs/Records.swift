internal import CSessionCore

/// A record of a config, as users of this module see it.
protocol ConfigRecord {
  associatedtype Core: BitwiseCopyable
  /// Writes the differences from `old` over the stored record.
  func write(to core: inout Core, over old: Self, arena: CoreArena)
}

/// Reads and changes records of the core.
enum Records {
  /// Returns all records, in order.
  static func all<Record: BitwiseCopyable, Shown>(
    first: (UnsafeMutablePointer<Record>) -> sc_status, next: (UnsafeMutablePointer<Record>) -> sc_status,
    as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> [Shown] {
    try Core.withWiped(Record.self) { (record) throws(SessionError) in
      var found: [Shown] = []
      var status = first(record)
      while status == SC_OK {
        found.append(try shown(record.pointee))
        status = next(record)
      }
      guard status == SC_ERR_NOT_FOUND else { throw SessionError(status) }
      return found
    }
  }

  /// Returns a record, or nil if there is none.
  static func one<Record: BitwiseCopyable, Shown>(
    get: (UnsafeMutablePointer<Record>) -> sc_status, as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> Shown? {
    try Core.withWiped(Record.self) { (record) throws(SessionError) in
      let status = get(record)
      if status == SC_ERR_NOT_FOUND { return nil }
      try SessionError.check(status)
      return try shown(record.pointee)
    }
  }

  /// Changes the record that `get` returns or makes. Returns it before and after the change.
  @discardableResult
  static func update<Shown: ConfigRecord>(
    get: (UnsafeMutablePointer<Shown.Core>) -> sc_status, set: (UnsafePointer<Shown.Core>) -> sc_status,
    as shown: (Shown.Core) throws(SessionError) -> Shown, _ change: (inout Shown) -> Void
  ) throws(SessionError) -> (old: Shown, new: Shown) {
    try Core.withWiped(Shown.Core.self) { (record) throws(SessionError) in
      try SessionError.check(get(record))
      let old = try shown(record.pointee)
      var new = old
      change(&new)
      try CoreArena.lend { (arena) throws(SessionError) in
        new.write(to: &record.pointee, over: old, arena: arena)
        try SessionError.check(set(record))
      }
      return (old, new)
    }
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
