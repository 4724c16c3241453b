/** Decides whether a sealed block may be recorded: one per height, on the recorded head, from the leader only. */
import { describePayloadMismatch, type PayloadEnvelope, payloadMismatch } from '@keelson/primitives'
import type { Ledger } from './ports.ts'

export type BlockJudgement =
  | { readonly kind: 'next' }
  /** The block is recorded already; its sender did not receive the answer. */
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly reason: string }

export function judgeBlock(from: string, { payload, parentBeaconBlockRoot }: PayloadEnvelope, ledger: Ledger): BlockJudgement {
  const { head, lease } = ledger
  const { blockNumber: number, blockHash: hash, parentHash } = payload
  if (lease?.holder !== from) return refused(`${from} is not the leader (term ${lease?.term ?? 0} is ${lease?.holder ?? 'nobody'}'s)`)
  if (head === null) return refused('the head of the chain is not known yet')
  const mismatch = payloadMismatch(payload, parentBeaconBlockRoot)
  if (mismatch?.kind === 'block-hash-mismatch') return refused(`the block says its hash is ${hash}, its fields give ${mismatch.actual}`)
  if (mismatch !== null) return refused(describePayloadMismatch(mismatch, payload))
  const recorded = number === head.number ? head.hash : (ledger.blockAt(number)?.hash ?? null)
  if (recorded === hash) return { kind: 'known' }
  if (number <= head.number) return refused(`block ${number} is recorded as ${recorded ?? 'an older block'}, got ${hash}`)
  if (number === head.number + 1 && parentHash === head.hash) return { kind: 'next' }
  return refused(`block ${number} on ${parentHash} does not extend the recorded head ${head.number} (${head.hash})`)
}

function refused(reason: string): BlockJudgement {
  return { kind: 'refused', reason }
}
