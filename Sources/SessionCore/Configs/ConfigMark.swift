internal import CSessionCore

/// What a config held at a moment, to tell later what is another.
package final class ConfigMark {
  private let mark: OpaquePointer

  package init(of config: borrowing ConfigHandle) {
    mark = config.remember { sc_config_mark_new($0, $1) }
  }

  deinit { sc_config_mark_free(mark) }

  /// Changes the config as it was changed between two marks, as far as others have not changed the same since; without
  /// the first, as its last revision before the other one was. Whether that changed anything.
  package static func redo(
    from: ConfigMark?, to: ConfigMark, in config: borrowing ConfigHandle
  ) throws(SessionError) -> Bool {
    var changed = false
    try SessionError.check(sc_config_redo(&changed, config.config, from?.mark, to.mark))
    return changed
  }

  /// The keys that lead to each value that is another now, in ascending order.
  package func changes(in config: borrowing ConfigHandle) -> [[[UInt8]]] {
    var changes: [[[UInt8]]] = []
    withUnsafeMutablePointer(to: &changes) { changes in
      sc_config_changes_since(
        mark, config.config,
        { changes, keys, count in
          changes?.assumingMemoryBound(to: [[[UInt8]]].self).pointee.append(
            UnsafeBufferPointer(start: keys, count: count).map { Array($0.content) })
        }, changes)
    }
    return changes
  }
}

/// What a config was, to go back to.
package final class ConfigSavepoint {
  private let savepoint: OpaquePointer

  package init(of config: borrowing ConfigHandle) {
    savepoint = config.remember { sc_config_savepoint_new($0, $1) }
  }

  deinit { sc_config_savepoint_free(savepoint) }

  /// Makes the config what it was; once.
  package func rollBack(_ config: borrowing ConfigHandle) {
    sc_config_savepoint_roll_back(savepoint, config.config)
  }
}
