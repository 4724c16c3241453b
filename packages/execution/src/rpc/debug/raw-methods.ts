import { encodeBlock, encodeHeader, encodeReceipt, formatData, parseHash } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { rpcError } from '../errors.ts'
import { argument, findBlock, parseBlockSelector } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

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
