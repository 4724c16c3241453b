/**
 * Adopts blocks that a sequencer made while the conductor was down, if they extend the recorded head. Others are left to L1 and
 * the operator.
 */
import type { BlockId, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { describe } from '../health.ts'
import type { L1Origins } from '../l1-origins.ts'
import type { Candidate, CandidateStatus, Ledger } from '../ports.ts'

export interface SeenCandidate {
  readonly id: string
  readonly status: CandidateStatus | null
  /** Null if it belongs to another conductor. */
  readonly own: Candidate | null
}

export type Resumption =
  | { readonly kind: 'settled' }
  /**
   * `waiting` for candidates; `reverting`: for one that has yet to give up blocks that L1 reverted; `disputed`: L1 must decide
   * between contradicting chains.
   */
  | { readonly kind: 'waiting' | 'reverting' | 'disputed'; readonly reason: string }
  /** The highest chain is a candidate's of another conductor, which can compare it with the record. */
  | { readonly kind: 'held-by-another'; readonly id: string; readonly reason: string }

const SETTLED: Resumption = { kind: 'settled' }

async function holds(candidate: Candidate, block: BlockId): Promise<boolean> {
  return (await candidate.hashAt(block.number)) === block.hash
}

export interface Contenders {
  /** Without those with a head above the record that L1 reverted. */
  readonly contending: readonly SeenCandidate[]
  /** Those of them whose valid blocks may extend the record. */
  readonly reverting: readonly string[]
}

export async function findContenders(seen: readonly SeenCandidate[], head: BlockId, origins: L1Origins): Promise<Contenders> {
  const reverted = await Promise.all(
    seen.map(async ({ status }) => status !== null && status.unsafe.number > head.number && (await origins.isReverted(status))),
  )
  const extending = await Promise.all(
    seen.map(async ({ own }, i) => reverted[i] === true && (own === null || (await holds(own, head).catch(() => true)))),
  )
  return {
    contending: seen.filter((_, i) => !reverted[i]),
    reverting: seen.filter((_, i) => extending[i]).map(({ id }) => id),
  }
}

/**
 * Adopts a candidate's highest chain if it extends the record and all other chains above it. `patient` waits for silent
 * candidates. Call it only before a leader records blocks and while nothing else changes the ledger.
 */
export async function resumeRecord(ledger: Ledger, seen: readonly SeenCandidate[], patient: boolean, log: Logger): Promise<Resumption> {
  const { head } = ledger
  if (head === null) return { kind: 'waiting', reason: 'nothing is recorded yet' }
  const silent = seen.filter(({ status }) => status === null).map(({ id }) => id)
  if (patient && silent.length > 0) {
    return { kind: 'waiting', reason: `${silent.join(', ')} may hold blocks above the recorded head: no answer yet` }
  }
  const above = seen.filter(({ status }) => status !== null && status.unsafe.number > head.number)
  const unsafeOf = ({ status }: SeenCandidate) => (status as CandidateStatus).unsafe
  const [highest, ...others] = above.sort((a, b) => unsafeOf(b).number - unsafeOf(a).number)
  if (highest === undefined) return SETTLED
  const { id, own } = highest
  if (own === null) return { kind: 'held-by-another', id, reason: `it holds blocks above the record, up to ${describe(unsafeOf(highest))}` }
  for (const below of [head, ...others.map(unsafeOf)]) {
    const shown = await holds(own, below).catch((error: unknown) => messageOf(error))
    if (shown === true) continue
    const why = shown === false ? `does not contain block ${describe(below)}` : `is not known to contain block ${describe(below)}: ${shown}`
    return { kind: 'disputed', reason: `${id} has a chain up to ${describe(unsafeOf(highest))}, which ${why}` }
  }
  log.warn('blocks were made without this conductor: the record continues from them', {
    recorded: describe(head),
    head: describe(unsafeOf(highest)),
    of: id,
  })
  const adopted = await ledger.adopt(ledger.lease?.term ?? 0, unsafeOf(highest))
  return adopted ? SETTLED : { kind: 'waiting', reason: 'leadership moved to another conductor' }
}
