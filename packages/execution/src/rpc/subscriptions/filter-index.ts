/** Matching a log costs time only for the filters with its address or topics. */
import type { Address, Hash, Log } from '@keelson/primitives'
import { type LogCriteria, matchesLog } from '../eth/log-query.ts'

export interface LogIndex<T> {
  add(entry: T, criteria: LogCriteria): void
  remove(entry: T, criteria: LogCriteria): void
  matching(log: Log, compared: (entry: T) => void): readonly T[]
}

type Bucket<T> = Map<T, LogCriteria>

const MAX_TOPICS = 4

export function createLogIndex<T>(): LogIndex<T> {
  const byAddress = new Map<Address, Bucket<T>>()
  const byTopic = Array.from({ length: MAX_TOPICS }, () => new Map<Hash, Bucket<T>>())
  const unbound: Bucket<T> = new Map()

  function* bucketsOf({ addresses, topics }: LogCriteria): Iterable<readonly [Map<string, Bucket<T>>, string] | null> {
    if (addresses.length > 0) {
      for (const address of addresses) yield [byAddress, address]
      return
    }
    const position = topics.findIndex((alternatives) => alternatives.length > 0)
    if (position === -1) yield null
    else for (const topic of topics[position] as readonly Hash[]) yield [byTopic[position] as Map<Hash, Bucket<T>>, topic]
  }

  return {
    add(entry, criteria) {
      for (const place of bucketsOf(criteria)) {
        if (place === null) {
          unbound.set(entry, criteria)
          continue
        }
        const [buckets, term] = place
        const bucket = buckets.get(term) ?? new Map<T, LogCriteria>()
        bucket.set(entry, criteria)
        buckets.set(term, bucket)
      }
    },
    remove(entry, criteria) {
      for (const place of bucketsOf(criteria)) {
        if (place === null) {
          unbound.delete(entry)
          continue
        }
        const [buckets, term] = place
        const bucket = buckets.get(term)
        bucket?.delete(entry)
        if (bucket?.size === 0) buckets.delete(term)
      }
    },
    matching(log, compared) {
      const found: T[] = []
      const look = (bucket: Bucket<T> | undefined) => {
        if (bucket === undefined) return
        for (const [entry, criteria] of bucket) {
          compared(entry)
          if (matchesLog(log, criteria)) found.push(entry)
        }
      }
      look(unbound)
      look(byAddress.get(log.address))
      for (const [position, topic] of log.topics.entries()) look(byTopic[position]?.get(topic))
      return found
    },
  }
}
