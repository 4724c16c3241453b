/** net_*, web3_*, txpool_*, debug_getRaw*, rpc_modules, and rollup_* forwarded to the consensus client. */
import {
  encodeBlock,
  encodeHeader,
  encodeReceipt,
  formatData,
  formatQuantity,
  keccak256,
  parseAddress,
  parseData,
  parseHash,
  toAddress,
  toChecksumAddress,
} from '@keelson/primitives'
import type { RpcHandler, RpcMethods } from '@keelson/runtime'
import type { PooledTransaction } from '../txpool/pool-types.ts'
import type { SenderTransactions } from '../txpool/tx-pool.ts'
import { pendingTransactionToJson } from './block-json.ts'
import { rpcError } from './errors.ts'
import { argument, findBlock, parseBlockSelector } from './params.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'

export function netMethods(deps: RpcDependencies): RpcMethods {
  const client = `Keelson/v${deps.version}/${process.platform}-${process.arch}/node${process.versions.node}`
  return {
    net_version: () => deps.chainId.toString(),
    net_listening: () => true,
    net_peerCount: () => '0x0',
    web3_clientVersion: () => client,
    web3_sha3: (params) => formatData(keccak256(argument(params, 0, (value) => parseData(value, 'data')))),
  }
}

export function poolMethods({ pool }: RpcDependencies): RpcMethods {
  const group = (part: 'pending' | 'queued', show: (pooled: PooledTransaction) => unknown) =>
    Object.fromEntries(
      pool
        .senders()
        .filter((account) => account[part].length > 0)
        .map((account) => [toChecksumAddress(account.sender), byNonce(account[part], show)]),
    )
  const full = (pooled: PooledTransaction) => pendingTransactionToJson(pooled.tx, pooled.sender)
  return {
    txpool_status() {
      const { pending, queued } = pool.counts()
      return { pending: formatQuantity(pending), queued: formatQuantity(queued) }
    },
    txpool_content: () => ({ pending: group('pending', full), queued: group('queued', full) }),
    txpool_contentFrom(params) {
      const account: SenderTransactions = pool.ofSender(argument(params, 0, parseAddress))
      return { pending: byNonce(account.pending, full), queued: byNonce(account.queued, full) }
    },
    txpool_inspect: () => ({ pending: group('pending', summary), queued: group('queued', summary) }),
  }
}

function byNonce(txs: readonly PooledTransaction[], show: (pooled: PooledTransaction) => unknown) {
  return Object.fromEntries(txs.map((pooled) => [pooled.tx.nonce.toString(), show(pooled)]))
}

function summary({ tx }: PooledTransaction): string {
  const price = 'gasPriceWei' in tx ? tx.gasPriceWei : tx.maxFeePerGasWei
  const to = tx.to === null ? 'contract creation' : toChecksumAddress(toAddress(tx.to))
  return `${to}: ${tx.valueWei} wei + ${tx.gasLimit} gas × ${price} wei`
}

export function debugMethods({ chain, pool }: RpcDependencies): RpcMethods {
  const block = (params: readonly unknown[]) => {
    const found = findBlock(chain, argument(params, 0, parseBlockSelector))
    const stored = found === null ? null : chain.block(found.hash)
    if (stored === null) throw rpcError('blockNotFound')
    return stored
  }
  return {
    debug_getRawHeader: (params) => formatData(encodeHeader(block(params).header)),
    debug_getRawBlock: (params) => formatData(encodeBlock(block(params))),
    debug_getRawReceipts: (params) => (chain.receipts(block(params).hash) ?? []).map(({ receipt }) => formatData(encodeReceipt(receipt))),
    debug_getRawTransaction(params) {
      const hash = argument(params, 0, parseHash)
      const place = chain.locate(hash)
      const at = place === null ? null : chain.canonicalHash(place.blockNumber)
      const tx = place === null || at === null ? pool.find(hash)?.tx : chain.block(at)?.transactions[place.index]
      return tx === undefined ? '0x' : formatData(tx.raw)
    },
  }
}

const ROLLUP_METHODS = ['syncStatus', 'rollupConfig', 'outputAtBlock', 'version', 'safeHeadAtL1Block'] as const

/** Served as rollup_* and optimism_*, forwarded as optimism_*. */
export function rollupMethods({ forwardRollup }: RpcDependencies): RpcMethods {
  if (forwardRollup === undefined) return {}
  const forward =
    (name: string): RpcHandler =>
    (params, context) =>
      forwardRollup(`optimism_${name}`, params, context.signal)
  return Object.fromEntries(ROLLUP_METHODS.flatMap((name) => ['rollup', 'optimism'].map((prefix) => [`${prefix}_${name}`, forward(name)])))
}

export function modulesMethod(methods: RpcMethods): RpcMethods {
  const names = new Set(Object.keys(methods).map((method) => method.slice(0, method.indexOf('_'))))
  const modules = Object.fromEntries([...names, 'rpc'].sort().map((name) => [name, '1.0']))
  return { rpc_modules: () => modules }
}
