/**
 * Adopts blocks that a sequencer made while the conductor was down, if they extend the recorded head. Others are left to L1 and
 * the operator.
 */
import type { BlockId, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { describe } from './health.ts'
import type { Ledger } from './ledger.ts'
import type { Candidate, CandidateStatus } from './ports.ts'

export interface SeenCandidate {
  readonly candidate: Candidate
  readonly status: CandidateStatus | null
}

export type Resumption =
  | { readonly kind: 'settled' }
  /** `waiting` for candidates; `disputed`: L1 must decide between contradicting chains. */
  | { readonly kind: 'waiting' | 'disputed'; readonly reason: string }

const SETTLED: Resumption = { kind: 'settled' }

async function holds({ candidate }: SeenCandidate, block: BlockId): Promise<boolean> {
  return (await candidate.hashAt(block.number)) === block.hash
}

/**
 * Adopts a candidate's highest chain if it extends the record and all other chains above it. `patient` waits for silent
 * candidates. Call it only before a leader records blocks and while nothing else changes the ledger.
 */
export async function resumeRecord(ledger: Ledger, seen: readonly SeenCandidate[], patient: boolean, log: Logger): Promise<Resumption> {
  const { head } = ledger
  if (head === null) return { kind: 'waiting', reason: 'nothing is recorded yet' }
  const silent = seen.filter(({ status }) => status === null).map(({ candidate }) => candidate.id)
  if (patient && silent.length > 0) {
    return { kind: 'waiting', reason: `${silent.join(', ')} may hold blocks above the recorded head: no answer yet` }
  }
  const above = seen.filter(({ status }) => status !== null && status.unsafe.number > head.number)
  const unsafeOf = ({ status }: SeenCandidate) => (status as CandidateStatus).unsafe
  const [highest, ...others] = above.sort((a, b) => unsafeOf(b).number - unsafeOf(a).number)
  if (highest === undefined) return SETTLED
  const { id } = highest.candidate
  for (const below of [head, ...others.map(unsafeOf)]) {
    const shown = await holds(highest, below).catch((error: unknown) => messageOf(error))
    if (shown === true) continue
    const why = shown === false ? `does not contain block ${describe(below)}` : `is not known to contain block ${describe(below)}: ${shown}`
    return { kind: 'disputed', reason: `${id} has a chain up to ${describe(unsafeOf(highest))}, which ${why}` }
  }
  log.warn('blocks were made without this conductor: the record continues from them', {
    recorded: describe(head),
    head: describe(unsafeOf(highest)),
    of: id,
  })
  await ledger.adopt(unsafeOf(highest))
  return SETTLED
}
