internal import CSessionCore

/// What a config was, to go back to.
final class ConfigSavepoint {
  private let savepoint: OpaquePointer

  init(of config: borrowing ConfigHandle) {
    savepoint = config.remember { sc_config_savepoint_new($0, $1) }
  }

  deinit { sc_config_savepoint_free(savepoint) }

  /// Makes the config what it was; once.
  func rollBack(_ config: borrowing ConfigHandle) {
    sc_config_savepoint_roll_back(savepoint, config.config)
  }
}
