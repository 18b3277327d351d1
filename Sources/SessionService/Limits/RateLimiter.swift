import Synchronization

/// Limits the requests of each client: a bucket for each address, which refills with time.
package final class RateLimiter: Sendable {
  package struct Limits: Sendable {
    package let burst: Double
    package let perSecond: Double
    package let perSecondOfNodes: Double
    package let clients: Int

    package init(
      burst: Double = 600, perSecond: Double = 300, perSecondOfNodes: Double = 600, clients: Int = 10_000
    ) {
      (self.burst, self.perSecond) = (burst, perSecond)
      (self.perSecondOfNodes, self.clients) = (perSecondOfNodes, clients)
    }
  }

  private struct Bucket {
    var level: Double
    var filled: UInt64
  }

  private let limits: Limits
  private let buckets = Mutex<[[UInt8]: Bucket]>([:])

  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Takes one from the bucket of a client; false when it is empty, or when there are too many clients. `now` is in
  /// nanoseconds.
  package func admits(_ host: [UInt8], isNode: Bool, now: UInt64) -> Bool {
    let rate = isNode ? limits.perSecondOfNodes : limits.perSecond
    return buckets.withLock { buckets in
      if buckets[host] == nil, buckets.count >= limits.clients { forgetIdle(&buckets, now) }
      guard var bucket = buckets[host] ?? fresh(buckets.count, now) else { return false }
      bucket.level = min(limits.burst, bucket.level + seconds(from: bucket.filled, to: now) * rate)
      bucket.filled = max(now, bucket.filled)
      let isAdmitted = bucket.level >= 1
      if isAdmitted { bucket.level -= 1 }
      buckets[host] = bucket
      return isAdmitted
    }
  }

  /// True if the bucket of a client is not empty; takes nothing. `now` is in nanoseconds.
  package func hasRoom(for host: [UInt8], now: UInt64) -> Bool {
    buckets.withLock { buckets in
      guard let bucket = buckets[host] else { return true }
      return bucket.level + seconds(from: bucket.filled, to: now) * limits.perSecond >= 1
    }
  }

  private func fresh(_ count: Int, _ now: UInt64) -> Bucket? {
    count < limits.clients ? Bucket(level: limits.burst, filled: now) : nil
  }

  /// Buckets that are full again hold nothing to remember.
  private func forgetIdle(_ buckets: inout [[UInt8]: Bucket], _ now: UInt64) {
    buckets = buckets.filter { bucket in
      bucket.value.level + seconds(from: bucket.value.filled, to: now) * limits.perSecond < limits.burst
    }
  }

  private func seconds(from start: UInt64, to end: UInt64) -> Double {
    end > start ? Double(end - start) / 1e9 : 0
  }
}
