internal import CSessionCore

/// A snapshot of a config's content, to find later changes.
package final class ConfigMark {
  private let mark: OpaquePointer

  package init(of config: borrowing ConfigHandle) {
    mark = config.remember { sc_config_mark_new($0, $1) }
  }

  deinit { sc_config_mark_free(mark) }

  /// Repeats the changes between two marks in the config, except where others have changed the same value since.
  /// Without `from`, repeats the changes of the last revision before `to`. Returns true if the config changed.
  package static func redo(
    from: ConfigMark?, to: ConfigMark, in config: borrowing ConfigHandle
  ) throws(SessionError) -> Bool {
    var changed = false
    try SessionError.check(sc_config_redo(&changed, config.config, from?.mark, to.mark))
    return changed
  }

  /// The key paths of all values that changed since, in ascending order.
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

/// A snapshot of a config that can be restored.
package final class ConfigSavepoint {
  private let savepoint: OpaquePointer

  package init(of config: borrowing ConfigHandle) {
    savepoint = config.remember { sc_config_savepoint_new($0, $1) }
  }

  deinit { sc_config_savepoint_free(savepoint) }

  /// Restores the config. Call once.
  package func rollBack(_ config: borrowing ConfigHandle) {
    sc_config_savepoint_roll_back(savepoint, config.config)
  }
}
