/**
 * Which of many log filters match a log: filters are found by the log's address and topics, so that a log costs as much
 * as the filters that name its address or one of its topics, however many others there are.
 */
import type { Address, Hash, Log } from '@keelson/primitives'
import { type LogCriteria, matchesLog } from './log-query.ts'

export interface LogIndex<T> {
  add(entry: T, criteria: LogCriteria): void
  remove(entry: T, criteria: LogCriteria): void
  /**
   * The entries whose criteria the log meets, each once, in no order that means anything. `compared` hears of each entry
   * that was looked at, matching or not.
   */
  matching(log: Log, compared: (entry: T) => void): readonly T[]
}

type Bucket<T> = Map<T, LogCriteria>

const MAX_TOPICS = 4

export function createLogIndex<T>(): LogIndex<T> {
  const byAddress = new Map<Address, Bucket<T>>()
  const byTopic = Array.from({ length: MAX_TOPICS }, () => new Map<Hash, Bucket<T>>())
  /** Filters that name neither. */
  const unbound: Bucket<T> = new Map()

  /** An entry stands in one kind of bucket: those of its addresses, or else of the first position that it binds. */
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
      // a topic is looked up at its own position, and an entry stands at one position only: nothing is found twice
      for (const [position, topic] of log.topics.entries()) look(byTopic[position]?.get(topic))
      return found
    },
  }
}
