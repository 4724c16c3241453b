/** Reverts recorded blocks only when L1 contradicts them: their L1 origin was replaced, or derivation produced other blocks. */
import type { BlockId, Clock, Logger, PayloadEnvelope } from '@keelson/primitives'
import { describe } from '../health.ts'
import type { L1Origins } from '../l1-origins.ts'
import type { CandidateStatus, Ledger, TimedBlock } from '../ports.ts'
import type { RunInTurn } from '../turns.ts'
import { createRevertedWait } from './reverted-wait.ts'

export type OriginOf = (envelope: PayloadEnvelope) => BlockId

export interface RecordCheck {
  /** Compares the record with L1 while blocks may be recorded, and corrects it in a turn if it is still the one compared. */
  correct(statuses: readonly (CandidateStatus | null)[]): Promise<void>
}

export interface RecordCheckDependencies {
  readonly origins: L1Origins
  readonly originOf: OriginOf
  /** Serializes all changes of the ledger. */
  readonly inTurn: RunInTurn
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
}

interface Correction {
  readonly head: BlockId
  log(): void
}

export function createRecordCheck(ledger: Ledger, { origins, originOf, inTurn, clock, log }: RecordCheckDependencies): RecordCheck {
  const revertedWait = createRevertedWait(clock)
  let saidWaiting = false

  /** Waits for all candidates: a silent one might have a higher block. */
  async function begin(statuses: readonly (CandidateStatus | null)[]): Promise<Correction | null> {
    const known = statuses.filter((status) => status !== null)
    if (known.length < statuses.length || known.length === 0) {
      if (!saidWaiting) log.warn('nothing is recorded yet: waiting for all candidates to answer, to begin with the highest block of any')
      saidWaiting = true
      return null
    }
    const reverted = await Promise.all(known.map((status) => origins.isReverted(status)))
    const heads = known.filter((_, i) => reverted[i] === false).map(({ unsafe }) => unsafe)
    if (revertedWait.lasts(heads.length < known.length) || heads.length === 0) return null
    const highest = heads.reduce((a, b) => (b.number > a.number ? b : a))
    return { head: highest, log: () => log.info('the record begins', { head: describe(highest) }) }
  }

  /** Returns a safe head that contradicts the record, unless another agrees with it at or above that height. */
  function contradiction(heads: readonly TimedBlock[], head: BlockId): TimedBlock | null {
    const agrees = (block: TimedBlock) => (block.number === head.number ? head.hash : ledger.blockAt(block.number)?.hash) === block.hash
    const known = heads.filter(
      (block) => block.number <= head.number && (block.number === head.number || ledger.blockAt(block.number) !== null),
    )
    const against = known.filter((block) => !agrees(block)).sort((a, b) => b.number - a.number)[0]
    if (against === undefined || known.some((block) => agrees(block) && block.number >= against.number)) return null
    return against
  }

  /** Returns null when the head's L1 origin is still on L1 or unknown. */
  async function lastOnL1(head: BlockId): Promise<BlockId | null> {
    let replaced: BlockId | null = null
    for (let number = head.number; ; number--) {
      const envelope = await ledger.payloadAt(number)
      if (envelope === null) return null
      const origin = originOf(envelope)
      // Successive blocks have the same origin.
      const isOnL1 = origin.hash === replaced?.hash ? false : await origins.has(origin)
      if (isOnL1 === null) return null
      if (isOnL1) return number === head.number ? null : { number, hash: envelope.payload.blockHash }
      replaced = origin
      const { parentHash } = envelope.payload
      if (ledger.blockAt(number - 1) === null) return { number: number - 1, hash: parentHash }
    }
  }

  /** The head came from a candidate, nothing was recorded since, and no candidate has it any more. */
  function isLost(head: BlockId, statuses: readonly (CandidateStatus | null)[]): boolean {
    if (ledger.blockAt(head.number) !== null) return false
    return statuses.every((status) => status !== null && status.unsafe.number <= head.number && status.unsafe.hash !== head.hash)
  }

  async function findCorrection(head: BlockId | null, statuses: readonly (CandidateStatus | null)[]): Promise<Correction | null> {
    if (head === null || isLost(head, statuses)) return begin(statuses)
    const safe = statuses.flatMap((status) => (status === null ? [] : [status.safe]))
    const ahead = safe.filter((block) => block.number > head.number).sort((a, b) => b.number - a.number)[0]
    const derived = ahead ?? contradiction(safe, head)
    if (derived !== null) {
      const fields = { safe: describe(derived), recorded: describe(head) }
      return { head: derived, log: () => log.warn('blocks derived from L1 replace recorded blocks', fields) }
    }
    const last = await lastOnL1(head)
    if (last === null) return null
    const fields = { recorded: describe(head), back: describe(last) }
    return { head: last, log: () => log.warn('L1 replaced the origin of recorded blocks: reverting them', fields) }
  }

  return {
    async correct(statuses) {
      const { head, lease } = ledger
      const correction = await findCorrection(head, statuses)
      if (correction === null) return
      await inTurn(async () => {
        if (ledger.head?.hash !== head?.hash || ledger.lease?.term !== lease?.term) return
        correction.log()
        await ledger.adopt(lease?.term ?? 0, correction.head)
      })
    },
  }
}
