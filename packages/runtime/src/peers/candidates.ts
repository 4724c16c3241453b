/** Anyone can invent nodes, so each subnet has a share of the table, and nodes that were reached once are evicted last. */
import type { Clock } from '@keelson/primitives'
import { subnetAt } from './address-scope.ts'
import { createSubnetTable } from './subnet-table.ts'

export interface Candidate {
  readonly peerId: string
  readonly address: string
  /** The address's host; null for a host name. */
  readonly ip: string | null
}

export interface Candidates {
  add(candidate: Candidate): void
  /** Returns nodes with the fewest failures first, at most one per subnet. */
  due(count: number, isWanted: (candidate: Candidate) => boolean): readonly Candidate[]
  dialled(peerId: string, succeeded: boolean): void
  rest(peerId: string): void
  has(peerId: string): boolean
  readonly size: number
}

const MAX_CANDIDATES = 1_000
/** Limit per /24 or IPv6 /48. */
const MAX_OF_SUBNET = 16
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 3_600_000
const REST_MS = 600_000
const MAX_FAILURES = 12

interface Entry extends Candidate {
  readonly subnet: string | null
  readonly wasReached: boolean
  readonly failures: number
  readonly notBeforeMs: number
}

export function createCandidates(clock: Pick<Clock, 'nowMs'>): Candidates {
  const entries = createSubnetTable<Entry>({
    most: MAX_CANDIDATES,
    mostOfSubnet: MAX_OF_SUBNET,
    rank: ({ wasReached, failures }) => (wasReached ? -1 : failures),
  })

  function change(peerId: string, changes: Partial<Entry>): void {
    const entry = entries.get(peerId)
    if (entry !== undefined) entries.change(peerId, { ...entry, ...changes })
  }

  return {
    add({ peerId, address, ip }) {
      if (entries.get(peerId)?.address === address) return
      const subnet = subnetAt(ip ?? '')
      entries.set(peerId, subnet, { peerId, address, ip, subnet, wasReached: false, failures: 0, notBeforeMs: 0 })
    },
    due(count, isWanted) {
      const nowMs = clock.nowMs()
      const ready = [...entries.values()]
        .filter((entry) => entry.notBeforeMs <= nowMs && isWanted(entry))
        .sort((a, b) => a.failures - b.failures)
      const taken = new Set<string | null>()
      return ready
        .filter(({ subnet }) => {
          const isTaken = subnet !== null && taken.has(subnet)
          taken.add(subnet)
          return !isTaken
        })
        .slice(0, count)
    },
    dialled(peerId, succeeded) {
      const entry = entries.get(peerId)
      if (entry === undefined) return
      const failures = succeeded ? 0 : entry.failures + 1
      if (failures > MAX_FAILURES) return entries.delete(peerId)
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS)
      change(peerId, { failures, wasReached: entry.wasReached || succeeded, notBeforeMs: clock.nowMs() + pauseMs })
    },
    has: (peerId) => entries.get(peerId) !== undefined,
    rest: (peerId) => change(peerId, { notBeforeMs: clock.nowMs() + REST_MS }),
    get size() {
      return entries.size
    },
  }
}
