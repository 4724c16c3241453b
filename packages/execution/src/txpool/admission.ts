import {
  type Address,
  isDeposit,
  isPostExec,
  MAX_NONCE,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  type SignedTransaction,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import type { AccountQueue } from './account-queue.ts'
import type { PooledTransaction, PoolHead, PoolOrigin, PoolRejected, PoolRejection, TxPoolOptions } from './pool-types.ts'

export function reject(reason: PoolRejection, detail = ''): PoolRejected {
  return { kind: 'rejected', reason, detail }
}

export function checkAlone(
  tx: Transaction,
  origin: PoolOrigin,
  head: PoolHead,
  options: TxPoolOptions,
  chainId: bigint,
): PoolRejected | null {
  if (isDeposit(tx)) return reject('deposit')
  if (isPostExec(tx)) return reject('type-not-supported')
  if (tx.type === TX_BLOB) return reject('type-not-supported')
  if (tx.raw.length > options.maxTransactionBytes) {
    return reject('oversized', `transaction size ${tx.raw.length}, limit ${options.maxTransactionBytes}`)
  }
  if (tx.chainId === null ? !options.allowUnprotected : tx.chainId !== chainId) {
    return tx.chainId === null ? reject('unprotected') : reject('chain-id-mismatch', `have ${tx.chainId} want ${chainId}`)
  }
  if (tx.nonce === MAX_NONCE) return reject('nonce-max')
  const failed = head.check(tx)
  if (failed !== null) return reject(failed.reason, failed.message)
  const tip = maxPriorityFeePerGasWei(tx)
  if (tip < options.minTipWei) return reject('underpriced', `gas tip cap ${tip}, minimum needed ${options.minTipWei}`)
  const mostFeeWei = maxFeePerGasWei(tx) * tx.gasLimit
  if (origin === 'local' && options.feeCapWei > 0n && mostFeeWei > options.feeCapWei) {
    return reject('fee-above-cap', `(${ether(mostFeeWei)} ether) exceeds the configured cap (${ether(options.feeCapWei)} ether)`)
  }
  return null
}

/** A new transaction never makes an executable one wait for funds. */
export function checkAgainstAccount(
  pooled: PooledTransaction,
  origin: PoolOrigin,
  account: AccountQueue,
  options: TxPoolOptions,
): PoolRejected | null {
  const { tx, sender } = pooled
  const { nonce, kind } = account.state
  if (kind === 'contract') return reject('sender-not-eoa', `address ${sender}`)
  if (tx.nonce < nonce) return reject('nonce-too-low', `next nonce ${nonce}, tx nonce ${tx.nonce}`)
  const rival = account.find(tx.nonce)
  if (rival !== null && !outbids(tx, rival.tx, options.replacementBumpPercent)) return reject('replacement-underpriced')
  // A returned transaction was accepted before and may wait for funds.
  const unfunded = origin === 'returned' ? null : checkFunds(pooled, rival, account)
  if (unfunded !== null || rival !== null) return unfunded
  if (account.size >= options.maxPerAccount) return reject('account-limit', `${account.size} transactions of ${sender}`)
  const waits = tx.nonce > account.nextNonce
  if (waits && origin !== 'returned' && account.queuedCount >= options.maxQueuedPerAccount) {
    return reject('account-limit', `${account.queuedCount} transactions of ${sender} wait for nonce ${account.nextNonce}`)
  }
  return null
}

function checkFunds({ costWei }: PooledTransaction, rival: PooledTransaction | null, account: AccountQueue): PoolRejected | null {
  const { balanceWei } = account.state
  if (balanceWei < costWei) {
    return reject('insufficient-funds', `balance ${balanceWei}, tx cost ${costWei}, overshot ${costWei - balanceWei}`)
  }
  const held = rival !== null && account.isPending(rival) ? rival.costWei : 0n
  const together = account.pendingCostWei - held + costWei
  if (balanceWei >= together) return null
  const mine = held === 0n ? `tx cost ${costWei}` : `tx bumped ${costWei - held}`
  return reject(
    'insufficient-funds',
    `balance ${balanceWei}, queued cost ${account.pendingCostWei}, ${mine}, overshot ${together - balanceWei}`,
  )
}

/**
 * Another key can empty an account with a delegation (EIP-7702) and so invalidate all of its transactions at once. Such an
 * account, or one with a pending authorization, may have only one transaction in the pool.
 */
export function checkDelegation(
  tx: SignedTransaction,
  account: AccountQueue,
  authorized: boolean,
  authorities: readonly { readonly address: Address; readonly inFlight: number }[],
): PoolRejected | null {
  if (account.state.kind === 'delegated' || authorized) {
    const first = account.pendingCount === 0
    if (first && tx.nonce !== account.nextNonce) return reject('delegated-gap')
    const rival = account.find(tx.nonce)
    if (!first && (rival === null || !account.isPending(rival))) return reject('delegated-in-flight')
  }
  return authorities.some(({ inFlight }) => inFlight > 1) ? reject('authority-reserved') : null
}

/** Both the fee cap and the tip must increase. */
function outbids(tx: SignedTransaction, rival: SignedTransaction, bumpPercent: bigint): boolean {
  const enough = (offered: bigint, held: bigint) => offered > held && offered * 100n >= held * (100n + bumpPercent)
  return enough(maxFeePerGasWei(tx), maxFeePerGasWei(rival)) && enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(rival))
}

function ether(wei: bigint): string {
  return (Number(wei) / 1e18).toFixed(2)
}
