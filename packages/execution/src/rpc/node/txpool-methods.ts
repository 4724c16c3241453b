import { formatQuantity, parseAddress, toAddress, toChecksumAddress } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import type { PooledTransaction } from '../../txpool/pool-types.ts'
import type { SenderTransactions } from '../../txpool/tx-pool.ts'
import { pendingTransactionToJson } from '../block-json.ts'
import { argument } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

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
