/** An inclusion is removed only by another canonical block, which must be safe if the inclusion's block was. */
import { FAILED_RELAYED_MESSAGE_TOPIC } from '@keelson/contracts'
import { type Hash, L2_CROSS_DOMAIN_MESSENGER } from '@keelson/primitives'
import type { L2Receipt, L2Snapshot } from './ports.ts'
import type { DepositInclusion, DepositRecord } from './record.ts'

type Heads = Pick<L2Snapshot, 'safe' | 'finalized'>

/** `canonical` is null when the node lacks the block. */
export function applyCanonical(deposit: DepositRecord, asked: DepositInclusion, canonical: Hash | null, heads: Heads): DepositRecord {
  const { inclusion } = deposit
  if (inclusion === null || inclusion.hash !== asked.hash || inclusion.final || canonical === null) return deposit
  const isSafe = (heads.safe?.number ?? -1) >= inclusion.number
  if (canonical !== inclusion.hash) return inclusion.safe && !isSafe ? deposit : { ...deposit, inclusion: null }
  const final = (heads.finalized?.number ?? -1) >= inclusion.number
  const safe = inclusion.safe || isSafe || final
  return safe === inclusion.safe && final === inclusion.final ? deposit : { ...deposit, inclusion: { ...inclusion, safe, final } }
}

export function applyReceipt(deposit: DepositRecord, receipt: L2Receipt | null): DepositRecord {
  if (receipt === null || deposit.inclusion !== null) return deposit
  return {
    ...deposit,
    inclusion: {
      number: receipt.blockNumber,
      hash: receipt.blockHash,
      succeeded: receipt.succeeded,
      gasUsed: receipt.gasUsed.toString(),
      messageFailed: receipt.logs.some(
        ({ address, topics }) =>
          address === L2_CROSS_DOMAIN_MESSENGER && topics[0] === FAILED_RELAYED_MESSAGE_TOPIC && topics[1] === deposit.messageHash,
      ),
      safe: false,
      final: false,
      reason: null,
      replayed: false,
    },
  }
}
