/** Nodes that were found and may be dialled, each after a pause that grows while dialling it fails. */
import type { Clock } from '@keelson/primitives'

export interface Candidate {
  readonly peerId: string
  /** Multiaddress with the peer id at its end. */
  readonly address: string
}

export interface Candidates {
  /** Adds a node, or gives a known one its new address. */
  add(candidate: Candidate): void
  /** Those to dial now, the ones that failed least first. */
  due(count: number, isWanted: (peerId: string) => boolean): readonly Candidate[]
  dialled(peerId: string, succeeded: boolean): void
  /** Not to be dialled for a while, because the operator sent it away. */
  rest(peerId: string): void
  readonly size: number
}

const MAX_CANDIDATES = 1_000
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 3_600_000
const REST_MS = 600_000
/** Failures in a row after which a node is forgotten, until it is found anew. */
const MAX_FAILURES = 12

interface Entry extends Candidate {
  readonly failures: number
  readonly notBeforeMs: number
}

export function createCandidates(clock: Pick<Clock, 'nowMs'>): Candidates {
  const entries = new Map<string, Entry>()

  function change(peerId: string, changes: Partial<Entry>): void {
    const entry = entries.get(peerId)
    if (entry !== undefined) entries.set(peerId, { ...entry, ...changes })
  }

  return {
    add({ peerId, address }) {
      const known = entries.get(peerId)
      // a new address deserves a new try
      if (known?.address === address) return
      entries.set(peerId, { peerId, address, failures: 0, notBeforeMs: 0 })
      if (entries.size > MAX_CANDIDATES) entries.delete(worst(entries.values()))
    },
    due(count, isWanted) {
      const nowMs = clock.nowMs()
      return [...entries.values()]
        .filter(({ peerId, notBeforeMs }) => notBeforeMs <= nowMs && isWanted(peerId))
        .sort((a, b) => a.failures - b.failures)
        .slice(0, count)
    },
    dialled(peerId, succeeded) {
      const failures = succeeded ? 0 : (entries.get(peerId)?.failures ?? 0) + 1
      if (failures > MAX_FAILURES) entries.delete(peerId)
      else
        change(peerId, {
          failures,
          notBeforeMs: clock.nowMs() + Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS),
        })
    },
    rest: (peerId) => change(peerId, { notBeforeMs: clock.nowMs() + REST_MS }),
    get size() {
      return entries.size
    },
  }
}

/** The one that failed most, of those the one known longest. */
function worst(entries: Iterable<Entry>): string {
  let found: Entry | null = null
  for (const entry of entries) if (found === null || entry.failures > found.failures) found = entry
  return found?.peerId ?? ''
}
