/** Judges the health of a candidate as op-conductor does. */
import type { BlockId } from '@keelson/primitives'
import { counted } from '@keelson/primitives'
import type { ConductorOptions } from './options.ts'
import type { CandidateStatus, RecordedBlock } from './ports.ts'

export interface Observation {
  readonly status: CandidateStatus | null
  readonly reason: string | null
  readonly silentLooks: number
}

export type HealthLimits = Pick<ConductorOptions, 'safeIntervalMs' | 'minPeers' | 'unsafeIntervalMs'>

/** Returns a fault other than an old unsafe head. */
export function findFault({ status, reason }: Observation, limits: HealthLimits, nowMs: number): string | null {
  if (status === null) return `it does not answer: ${reason}`
  const safeAgeMs = nowMs - status.safe.timestampSec * 1000
  if (limits.safeIntervalMs !== null && safeAgeMs > limits.safeIntervalMs) {
    return `its safe head ${status.safe.number} is ${Math.floor(safeAgeMs / 1000)} s old, at most ${limits.safeIntervalMs / 1000} s are allowed`
  }
  if (status.peers < limits.minPeers) return `it has ${counted(status.peers, 'peer')}, at least ${limits.minPeers} are needed`
  return null
}

export function findIllness(observation: Observation, limits: HealthLimits, nowMs: number): string | null {
  const fault = findFault(observation, limits, nowMs)
  if (fault !== null || observation.status === null) return fault
  const { unsafe } = observation.status
  const ageMs = nowMs - unsafe.timestampSec * 1000
  if (ageMs <= limits.unsafeIntervalMs) return null
  return `its unsafe head ${unsafe.number} is ${Math.floor(ageMs / 1000)} s old, at most ${limits.unsafeIntervalMs / 1000} s are allowed`
}

export interface Records {
  readonly head: BlockId | null
  blockAt(number: number): RecordedBlock | null
}

/** A candidate is `behind` only if the ledger still keeps all the blocks it lacks. */
export type Standing =
  | { readonly kind: 'at-head' }
  | { readonly kind: 'behind'; readonly missing: number }
  | { readonly kind: 'elsewhere'; readonly reason: string }

export function standingOf({ unsafe }: CandidateStatus, { head, blockAt }: Records): Standing {
  if (head === null) return { kind: 'elsewhere', reason: 'the head of the chain is not known yet' }
  if (unsafe.hash === head.hash) return { kind: 'at-head' }
  if (unsafe.number >= head.number) {
    return {
      kind: 'elsewhere',
      reason: `its unsafe head is ${describe(unsafe)}, which is not the recorded head ${describe(head)} nor below it`,
    }
  }
  const next = blockAt(unsafe.number + 1)
  if (next === null) {
    return {
      kind: 'elsewhere',
      reason: `it is not caught up: its unsafe head is ${unsafe.number}, the recorded head is ${head.number}, and block ${unsafe.number + 1} is not kept here any more`,
    }
  }
  if (next.parentHash === unsafe.hash) return { kind: 'behind', missing: head.number - unsafe.number }
  return { kind: 'elsewhere', reason: `its unsafe head ${describe(unsafe)} is not of the recorded chain` }
}

export function describe({ number, hash }: BlockId): string {
  return `${number} (${hash.slice(0, 10)})`
}
