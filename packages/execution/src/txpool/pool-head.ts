import type { BlockRules } from '@keelson/chainspec'
import {
  isDelegation,
  type L1BlockValues,
  maxCostWei,
  nextBaseFeeWei,
  readL1BlockValues,
  rollupFeesWei,
  validateTransaction,
} from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import type { StateStore, StateView } from '@keelson/state'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import { ExecutionError } from '../errors.ts'
import { codeOf } from '../rpc/state-view.ts'
import type { PoolHead } from './pool-types.ts'

export interface PoolHeadDependencies {
  readonly chain: ChainReader
  readonly state: StateStore
  readonly rules: ChainRules
  readonly chainId: bigint
  readonly clock: Clock
}

export function createPoolHead(deps: PoolHeadDependencies): () => PoolHead {
  let current: { readonly hash: string; readonly head: PoolHead } | null = null
  return () => {
    const { hash, header } = deps.chain.label('unsafe')
    if (current?.hash === hash) return current.head
    const view = deps.state.viewAt(hash)
    if (view === null)
      throw new ExecutionError('execution/missing-state', `the state of the head, block ${header.number} (${hash}), is not available`, {
        hash,
      })
    const timestampSec = Math.max(header.timestampSec + 1, Math.floor(deps.clock.nowMs() / 1000))
    const rules = deps.rules.rulesAt({ number: header.number + 1, timestampSec })
    const next = { number: header.number + 1, timestampSec: header.timestampSec + 1 }
    current = { hash, head: { next, ...headOn(view, rules, nextBaseFeeWei(header, rules), header.gasLimit, deps.chainId) } }
    return current.head
  }
}

function headOn(view: StateView, rules: BlockRules, baseFeeWei: bigint, gasLimit: bigint, chainId: bigint): Omit<PoolHead, 'next'> {
  let values: L1BlockValues | null = null
  const l1Values = () => {
    if (rules.l1Cost !== null) values ??= readL1BlockValues((address, slot) => view.storage(address, slot), rules)
    return values
  }
  return {
    rules,
    baseFeeWei,
    gasLimit,
    account(address) {
      const account = view.account(address)
      if (account === null) return { nonce: 0n, balanceWei: 0n, kind: 'plain' }
      const code = codeOf(view, account)
      const kind = code.length === 0 ? 'plain' : isDelegation(code) ? 'delegated' : 'contract'
      return { nonce: account.nonce, balanceWei: account.balanceWei, kind }
    },
    priceKey: Object.values(l1Values() ?? {}).join(),
    costWei: (tx) => maxCostWei(tx, rollupFeesWei(tx, tx.raw, rules, l1Values())),
    check(tx) {
      const rejected = validateTransaction(tx, rules, chainId)
      if (rejected !== null) return rejected
      if (tx.gasLimit > gasLimit) return { reason: 'block-gas-limit', message: `gas limit ${tx.gasLimit}, block gas limit ${gasLimit}` }
      return null
    },
  }
}
