/** Reverts recorded blocks only when L1 contradicts them: their L1 origin was replaced, or derivation produced other blocks. */
import type { BlockId, Logger, PayloadEnvelope } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { describe } from './health.ts'
import type { CandidateStatus, L1Hashes, Ledger, TimedBlock } from './ports.ts'

export type OriginOf = (envelope: PayloadEnvelope) => BlockId

export interface RecordCheck {
  correct(statuses: readonly (CandidateStatus | null)[]): Promise<void>
}

export interface RecordCheckDependencies {
  readonly l1: L1Hashes
  readonly originOf: OriginOf
  readonly log: Logger
}

export function createRecordCheck(ledger: Ledger, { l1, originOf, log }: RecordCheckDependencies): RecordCheck {
  let saidWaiting = false
  const adopt = (head: BlockId) => ledger.adopt(ledger.lease?.term ?? 0, head)

  /** Waits for all candidates: a silent one might have a higher block. */
  async function begin(statuses: readonly (CandidateStatus | null)[]): Promise<void> {
    const heads = statuses.flatMap((status) => (status === null ? [] : [status.unsafe]))
    if (heads.length < statuses.length || heads.length === 0) {
      if (!saidWaiting) log.warn('nothing is recorded yet: waiting for all candidates to answer, to begin with the highest block of any')
      saidWaiting = true
      return
    }
    const highest = heads.reduce((a, b) => (b.number > a.number ? b : a))
    log.info('the record begins', { head: describe(highest) })
    await adopt(highest)
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
    for (let number = head.number; ; number--) {
      const envelope = await ledger.payloadAt(number)
      if (envelope === null) return null
      const origin = originOf(envelope)
      const hash = await l1.hashAt(origin.number)
      if (hash === null) return null
      if (hash === origin.hash) return number === head.number ? null : { number, hash: envelope.payload.blockHash }
      const { parentHash } = envelope.payload
      if (ledger.blockAt(number - 1) === null) return { number: number - 1, hash: parentHash }
    }
  }

  /** The head came from a candidate, nothing was recorded since, and no candidate has it any more. */
  function isLost(head: BlockId, statuses: readonly (CandidateStatus | null)[]): boolean {
    if (ledger.blockAt(head.number) !== null) return false
    return statuses.every((status) => status !== null && status.unsafe.number <= head.number && status.unsafe.hash !== head.hash)
  }

  return {
    async correct(statuses) {
      const { head } = ledger
      if (head === null || isLost(head, statuses)) return begin(statuses)
      const safe = statuses.flatMap((status) => (status === null ? [] : [status.safe]))
      const ahead = safe.filter((block) => block.number > head.number).sort((a, b) => b.number - a.number)[0]
      const derived = ahead ?? contradiction(safe, head)
      if (derived !== null) {
        log.warn('blocks derived from L1 replace recorded blocks', { safe: describe(derived), recorded: describe(head) })
        await adopt(derived)
        return
      }
      const last = await lastOnL1(head).catch((error: unknown) => {
        log.debug('L1 does not answer', { reason: messageOf(error) })
        return null
      })
      if (last === null) return
      log.warn('L1 replaced the origin of recorded blocks: reverting them', { recorded: describe(head), back: describe(last) })
      await adopt(last)
    },
  }
}
