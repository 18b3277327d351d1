internal import CSessionCore

/// What a config held at a moment, to tell later what is another.
final class ConfigMark {
  let mark: OpaquePointer

  init(of config: borrowing ConfigHandle) {
    mark = config.remember { sc_config_mark_new($0, $1) }
  }

  deinit { sc_config_mark_free(mark) }

  /// Changes the config as it was changed between two marks, as far as others have not changed the same since; without
  /// the first, as its last revision before the other one was. Whether that changed anything.
  static func redo(
    from: ConfigMark?, to: ConfigMark, in config: borrowing ConfigHandle
  ) throws(SessionError) -> Bool {
    var changed = false
    try SessionError.check(sc_config_redo(&changed, config.config, from?.mark, to.mark))
    return changed
  }

  /// The records that are another now, in ascending order.
  func changes(in config: borrowing ConfigHandle, of kind: ConfigKind) -> [ConfigPath] {
    var paths = ConfigPaths(of: kind)
    withUnsafeMutablePointer(to: &paths) { paths in
      sc_config_changes_since(
        mark, config.config,
        { paths, keys, count in
          paths?.assumingMemoryBound(to: ConfigPaths.self).pointee.note(
            UnsafeBufferPointer(start: keys, count: count))
        }, paths)
    }
    return paths.paths
  }
}
