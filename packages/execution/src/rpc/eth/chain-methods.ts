import { type Block, formatData, formatQuantity, type Hash, parseHash, parseQuantityNumber } from '@keelson/primitives'
import type { RpcContext, RpcMethods } from '@keelson/runtime'
import { blockToJson, type Json, sealedHeaderToJson, transactionToJson } from '../block-json.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import {
  argument,
  type BlockSelector,
  findBlock,
  optionalArgument,
  parseBlockNumberOrTag,
  parseBlockSelector,
  parseBoolean,
} from '../params.ts'
import { receiptToJson } from '../receipt-json.ts'
import type { ChainDependencies } from '../rpc-dependencies.ts'

const TRANSACTIONS_PER_TOKEN = 5

export function chainMethods(deps: ChainDependencies): RpcMethods {
  const { chain } = deps

  const load = (selector: BlockSelector): Block | null => {
    const found = findBlock(chain, selector)
    return found === null ? null : chain.block(found.hash)
  }
  const byNumber = (params: readonly unknown[]) => load(argument(params, 0, parseBlockNumberOrTag))
  const byHash = (params: readonly unknown[]) => chain.block(argument(params, 0, parseHash))

  const show = (block: Block | null, full: boolean, { caller }: RpcContext): Json | null => {
    if (block === null) return null
    if (!full) return blockToJson(block, null)
    caller?.charge(block.transactions.length / TRANSACTIONS_PER_TOKEN)
    return blockToJson(block, chain.receipts(block.hash) ?? [])
  }

  const showHeader = (block: Block | null): Json | null => (block === null ? null : sealedHeaderToJson(block))

  const indexOf = (params: readonly unknown[]) => argument(params, 1, (value) => parseQuantityNumber(value, 'index'))

  const count = (block: Block | null) => (block === null ? null : formatQuantity(block.transactions.length))
  const uncles = (block: Block | null) => (block === null ? null : '0x0')
  /** Rollup blocks have no uncles; only the parameters are validated. */
  const noUncle = (_block: Block | null, params: readonly unknown[]): null => {
    indexOf(params)
    return null
  }

  return {
    eth_blockNumber: () => formatQuantity(chain.label('unsafe').header.number),
    eth_chainId: () => formatQuantity(deps.chainId),
    eth_getBlockByNumber: (params, context) => show(byNumber(params), optionalArgument(params, 1, false, parseBoolean), context),
    eth_getBlockByHash: (params, context) => show(byHash(params), optionalArgument(params, 1, false, parseBoolean), context),
    eth_getHeaderByNumber: (params) => showHeader(byNumber(params)),
    eth_getHeaderByHash: (params) => showHeader(byHash(params)),
    eth_getBlockTransactionCountByNumber: (params) => count(byNumber(params)),
    eth_getBlockTransactionCountByHash: (params) => count(byHash(params)),
    eth_getUncleCountByBlockNumber: (params) => uncles(byNumber(params)),
    eth_getUncleCountByBlockHash: (params) => uncles(byHash(params)),
    eth_getUncleByBlockNumberAndIndex: (params) => noUncle(byNumber(params), params),
    eth_getUncleByBlockHashAndIndex: (params) => noUncle(byHash(params), params),
    eth_getTransactionByBlockNumberAndIndex: (params) => transactionAt(deps, byNumber(params), indexOf(params)),
    eth_getTransactionByBlockHashAndIndex: (params) => transactionAt(deps, byHash(params), indexOf(params)),
    eth_getRawTransactionByBlockNumberAndIndex: (params) => rawAt(byNumber(params), indexOf(params)),
    eth_getRawTransactionByBlockHashAndIndex: (params) => rawAt(byHash(params), indexOf(params)),
    eth_getTransactionReceipt: (params) => findReceipt(deps, argument(params, 0, parseHash)),
  }
}

export function transactionAt({ chain }: ChainDependencies, block: Block | null, index: number): Json | null {
  const tx = block?.transactions[index]
  const receipt = block === null ? undefined : chain.receipts(block.hash)?.[index]
  if (block === null || tx === undefined || receipt === undefined) return null
  return transactionToJson(tx, { blockHash: block.hash, header: block.header, index, receipt })
}

export function rawAt(block: Block | null, index: number): string | null {
  const tx = block?.transactions[index]
  return tx === undefined ? null : formatData(tx.raw)
}

export function blockReceiptsMethod(deps: ChainDependencies): Pick<ReadMethods, 'eth_getBlockReceipts'> {
  const { chain } = deps
  return {
    eth_getBlockReceipts(params) {
      const found = findBlock(chain, argument(params, 0, parseBlockSelector))
      const block = found === null ? null : chain.block(found.hash)
      return block === null ? null : block.transactions.map((_, index) => receiptAt(deps, block, index))
    },
  }
}

export function locate({ chain }: ChainDependencies, hash: Hash): { readonly block: Block; readonly index: number } | null {
  const place = chain.locate(hash)
  const blockHash = place === null ? null : chain.canonicalHash(place.blockNumber)
  const block = blockHash === null ? null : chain.block(blockHash)
  return place === null || block === null ? null : { block, index: place.index }
}

function receiptAt({ chain, rules }: ChainDependencies, block: Block, index: number): Json | null {
  const stored = chain.receipts(block.hash)
  return stored?.[index] === undefined ? null : receiptToJson(block, stored, index, rules.rulesAt(block.header))
}

export function findReceipt(deps: ChainDependencies, hash: Hash): Json | null {
  const at = locate(deps, hash)
  return at === null ? null : receiptAt(deps, at.block, at.index)
}
