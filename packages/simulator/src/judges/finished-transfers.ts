/** Which transfers of the bridge users are finished for so long that the bridge status must say so. */
import { findWithdrawal, findWithdrawalFinalized, withdrawalHash } from '@keelson/contracts'
import { l1InfoOf } from '@keelson/derivation'
import type { Hash } from '@keelson/primitives'
import type { RollupWorld } from '../roles/rollup-world.ts'

/** Each is asked for once a minute. */
const NOTICED_WITHIN_MS = 5 * 60_000
/** The safe head passed the deposit's L1 block so long ago that somebody asked since. */
const SAFE_FOR_L1_BLOCKS = 25
const DEPOSITED = ['complete', 'failed']
const WITHDRAWN = ['finalized']

/** The transactions that began them, with the states that say so. Empty unless the sequencer runs. */
export function finishedTransfers({ bridgeUsers, l1, nodes, simulation }: RollupWorld): ReadonlyMap<Hash, readonly string[]> {
  const finished = new Map<Hash, readonly string[]>()
  const running = nodes[0]?.running
  const safe = running?.consensus.driver.heads?.safe
  if (running == null || safe === undefined) return finished
  const { chain } = running.execution
  const beforeSec = (simulation.nowMs - NOTICED_WITHIN_MS) / 1000
  const [first] = chain.block(safe.hash)?.transactions ?? []
  const originNumber = safe.number === 0 ? 0 : l1InfoOf(first).number
  const paid = new Set<Hash>()
  for (let number = 1; number <= l1.head.header.number; number++) {
    const block = l1.block(number)
    if (block === null || block.header.timestampSec > beforeSec) break
    for (const log of block.receipts.flatMap(({ logs }) => logs)) {
      const finalization = findWithdrawalFinalized(log)
      if (finalization !== null) paid.add(finalization.withdrawalHash)
    }
  }
  const withdrawn = new Map<Hash, Hash>()
  for (let number = 1; number <= safe.number; number++) {
    const hash = chain.canonicalHash(number) as Hash
    const transactions = chain.block(hash)?.transactions ?? []
    for (const [i, { receipt }] of (chain.receipts(hash) ?? []).entries()) {
      for (const withdrawal of receipt.logs.map(findWithdrawal)) {
        const tx = transactions[i]
        if (withdrawal !== null && tx !== undefined) withdrawn.set(tx.hash, withdrawalHash(withdrawal))
      }
    }
  }
  for (const { kind, txHash } of bridgeUsers.transfers) {
    const inclusion = l1.find(txHash)
    const isOld = inclusion !== null && inclusion.block.header.timestampSec <= beforeSec
    if (kind === 'deposit' && isOld && inclusion.block.header.number <= originNumber - SAFE_FOR_L1_BLOCKS) finished.set(txHash, DEPOSITED)
    const payment = withdrawn.get(txHash)
    if (kind === 'withdrawal' && payment !== undefined && paid.has(payment)) finished.set(txHash, WITHDRAWN)
  }
  return finished
}
