import { type BlockRules, type EthParameters, ethParameters } from '@keelson/chainspec'
import type { Bytes20, Crypto } from '@keelson/primitives'
import { type L1BlockValues, readL1BlockValues } from '../fees/l1-block-values.ts'
import type { BlockSession, TransactionEnv } from '../ports.ts'

export interface ExecutionContext {
  readonly session: BlockSession
  readonly rules: BlockRules
  readonly eth: EthParameters
  readonly crypto: Crypto
  readonly chainId: bigint
  /** Null on L1. Call it only after the L1 info deposit has been executed. */
  l1Values(): L1BlockValues | null
}

export function createExecutionContext(session: BlockSession, rules: BlockRules, crypto: Crypto): ExecutionContext {
  let values: L1BlockValues | null = null
  return {
    session,
    rules,
    eth: ethParameters(rules.ethFork),
    crypto,
    chainId: session.env.chainId,
    l1Values() {
      if (rules.l1Cost === null) return null
      values ??= readL1BlockValues((address, slot) => session.storage(address, slot), rules)
      return values
    },
  }
}

export function transactionEnv(
  context: ExecutionContext,
  origin: Bytes20,
  to: Bytes20 | null,
  more: Partial<Pick<TransactionEnv, 'gasPriceWei' | 'blobVersionedHashes' | 'accessList'>>,
): TransactionEnv {
  const warmAddresses = to === null ? [origin] : [origin, to]
  if (context.eth.warmFeeRecipient) warmAddresses.push(context.session.env.feeRecipient)
  return {
    origin,
    warmAddresses,
    gasPriceWei: more.gasPriceWei ?? 0n,
    blobVersionedHashes: more.blobVersionedHashes ?? [],
    accessList: more.accessList ?? [],
  }
}

export interface ExecutedTx {
  readonly kind: 'executed'
  readonly status: 'success' | 'revert' | 'halt'
  /** Without `gasRefund`. */
  readonly gasUsed: bigint
  /** Gas that the block gives back (specs: protocol/lagoon/sdm.md), unlike refunds of the EVM. */
  readonly gasRefund: bigint
  readonly output: Uint8Array
  readonly created: Bytes20 | null
  readonly error: string | null
  readonly tipWei: bigint
}
