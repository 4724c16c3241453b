import { type Block, formatQuantity, paidGasPriceWei, parseHash, parseQuantityNumber } from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'
import { blockToJson, type Json, transactionToJson } from '../block-json.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { argument } from '../params.ts'
import { receiptToJson } from '../receipt-json.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { parseCount } from './parse-count.ts'

const MAX_PAGE = 100

/** There are no block rewards on a rollup. */
const NO_ISSUANCE = { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' }

export function blockDetailMethods(
  deps: ReadDependencies,
): Pick<ReadMethods, 'ots_getBlockDetails' | 'ots_getBlockDetailsByHash' | 'ots_getBlockTransactions'> {
  const { chain } = deps
  const byNumber = (params: readonly unknown[]): Block | null => {
    const hash = chain.canonicalHash(argument(params, 0, parseNumber))
    return hash === null ? null : chain.block(hash)
  }
  return {
    ots_getBlockDetails: (params) => details(deps, byNumber(params)),
    ots_getBlockDetailsByHash: (params) => details(deps, chain.block(argument(params, 0, parseHash))),
    ots_getBlockTransactions(params) {
      const block = byNumber(params)
      if (block === null) return null
      const page = argument(params, 1, parseCount)
      const size = argument(params, 2, parseCount)
      if (size === 0 || size > MAX_PAGE) throw invalidParams(`invalid argument 2: expected a page size from 1 to ${MAX_PAGE}, got ${size}`)
      return transactionPage(deps, block, page, size)
    },
  }
}

function parseNumber(value: unknown): number {
  return typeof value === 'number' ? parseCount(value) : parseQuantityNumber(value, 'block')
}

function details({ chain }: ReadDependencies, block: Block | null): Json | null {
  if (block === null) return null
  const { transactions: _, ...shown } = blockToJson(block, null)
  return {
    block: { ...shown, transactionCount: block.transactions.length },
    issuance: NO_ISSUANCE,
    totalFees: formatQuantity(feesOf(block, chain.receipts(block.hash) ?? [])),
  }
}

/** What the senders paid for gas and for L1. */
function feesOf(block: Block, receipts: NonNullable<ReturnType<ReadDependencies['chain']['receipts']>>): bigint {
  let before = 0n
  return block.transactions.reduce((sum, tx, i) => {
    const stored = receipts[i]
    if (stored === undefined) return sum
    const gasUsed = stored.receipt.cumulativeGasUsed - before
    before = stored.receipt.cumulativeGasUsed
    const price = paidGasPriceWei(tx, block.header.baseFeeWei ?? 0n)
    return sum + gasUsed * price + (stored.l1Fee?.l1FeeWei ?? 0n)
  }, 0n)
}

/** Pages count from the end of the block; inputs are cut to the selector, and receipts have no logs. */
function transactionPage({ chain, rules }: ReadDependencies, block: Block, page: number, size: number): Json {
  const receipts = chain.receipts(block.hash) ?? []
  const end = Math.max(0, block.transactions.length - page * size)
  const indexes = block.transactions.map((_, i) => i).slice(Math.max(0, end - size), end)
  const at = (index: number) => ({
    blockHash: block.hash,
    header: block.header,
    index,
    receipt: receipts[index] as (typeof receipts)[number],
  })
  const { transactions: _, ...shown } = blockToJson(block, null)
  const blockRules = rules.rulesAt(block.header)
  return {
    fullblock: {
      ...shown,
      transactionCount: block.transactions.length,
      transactions: indexes.map((i) => {
        const tx = transactionToJson(block.transactions[i] as Block['transactions'][number], at(i))
        return { ...tx, input: String(tx.input).slice(0, SELECTOR_CHARS) }
      }),
    },
    receipts: indexes.map((i) => ({ ...receiptToJson(block, receipts, i, blockRules), logs: null, logsBloom: null })),
  }
}

const SELECTOR_CHARS = 10
