import SessionJobs

/// A job with nothing to do.
struct TrivialJob: JobKind {
  static let kind = "trivial"
  static let queue = JobQueue("trivial")
}
