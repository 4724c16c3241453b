import {
  bigintToBytes,
  type Crypto,
  concatBytes,
  encodeSignedTransaction,
  hexToBytes,
  padLeft,
  signingDigest,
  TX_FEE_MARKET,
} from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import type { BenchAccounts } from '../accounts.ts'

export interface Workload {
  readonly name: string
  readonly transactions: number
  readonly kind: 'native' | 'erc20'
}

export const WORKLOADS: readonly Workload[] = [
  { name: '1,400 transfers', transactions: 1_400, kind: 'native' },
  { name: '600 ERC-20 transfers', transactions: 600, kind: 'erc20' },
]

const WARM_UP_SHARE = 0.3
export const WARM_UP_ROUNDS = 3
export const BENCH_CHAIN_ID = 901n
const TRANSFER_SELECTOR = hexToBytes('0xa9059cbb')

export interface TransactionSource {
  next(planned: PlannedTransactions): readonly Uint8Array[]
}

export interface PlannedTransactions {
  readonly workload: Workload
  readonly transactions: number
}

export function planRounds(rounds: number): readonly (readonly PlannedTransactions[])[] {
  const round = (share: number) => WORKLOADS.map((workload) => ({ workload, transactions: Math.ceil(workload.transactions * share) }))
  return Array.from({ length: WARM_UP_ROUNDS + rounds }, (_, i) => round(i < WARM_UP_ROUNDS ? WARM_UP_SHARE : 1))
}

export function createTransactionSource(accounts: BenchAccounts, crypto: Crypto): TransactionSource {
  const random = createSeededRandom(7)
  let sender = 0
  const sign = (from: number, kind: Workload['kind']): Uint8Array => {
    const recipient = accounts.address(Math.floor(random.next() * accounts.count))
    const native = kind === 'native'
    const unsigned = {
      type: TX_FEE_MARKET,
      chainId: BENCH_CHAIN_ID,
      nonce: 0n,
      gasLimit: native ? 21_000n : 60_000n,
      to: native ? recipient : accounts.token,
      valueWei: native ? 1_000n + BigInt(from) : 0n,
      data: native ? new Uint8Array(0) : concatBytes(TRANSFER_SELECTOR, padLeft(recipient, 32), bigintToBytes(1_000n + BigInt(from), 32)),
      accessList: [],
      maxPriorityFeePerGasWei: 1_000_000n,
      maxFeePerGasWei: 100_000_000_000n,
    } as const
    return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), accounts.privateKey(from))).raw
  }
  return { next: ({ transactions, workload }) => Array.from({ length: transactions }, () => sign(sender++, workload.kind)) }
}
