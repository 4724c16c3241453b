/** specs: protocol/deposits.md#deposit-receipt, protocol/canyon/overview.md */
import type { Log } from '@ethereumjs/evm'
import { RLP } from '@ethereumjs/rlp'
import { concatBytes, intToBytes } from '@ethereumjs/util'
import { Bloom } from '@ethereumjs/vm'
import type { BlockRules } from '@keelson/chainspec'

export interface ExecutedTransaction {
  readonly gasUsed: bigint
  readonly succeeded: boolean
  readonly logs: readonly Log[]
  /** The depositor's nonce before execution; null for a signed transaction. */
  readonly depositNonce: bigint | null
}

const LEGACY_FROM = 0xc0
const DEPOSIT_RECEIPT_VERSION = 1

export function logsBloom(logs: readonly Log[]): Bloom {
  const bloom = new Bloom()
  for (const [address, topics] of logs) for (const item of [address, ...topics]) bloom.add(item)
  return bloom
}

/** Before Canyon, the receipts root omits the deposit's nonce. */
export function encodeReceipt(raw: Uint8Array, executed: ExecutedTransaction, cumulativeGas: bigint, rules: BlockRules): Uint8Array {
  const type = raw[0] as number
  const { succeeded, logs, depositNonce } = executed
  const fields = [succeeded ? 1 : 0, cumulativeGas, logsBloom(logs).bitvector, logs as Log[]]
  const ofDeposit = depositNonce !== null && rules.depositReceiptVersion ? [depositNonce, DEPOSIT_RECEIPT_VERSION] : []
  const payload = RLP.encode([...fields, ...ofDeposit])
  return type >= LEGACY_FROM ? payload : concatBytes(intToBytes(type), payload)
}
