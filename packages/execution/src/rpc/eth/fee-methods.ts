/** As in op-geth, the suggested tip is the minimum unless the last block was nearly full. */
import { nextBaseFeeWei } from '@keelson/evm'
import { type Block, effectiveGasPriceWei, formatQuantity, isSigned, parseQuantityNumber } from '@keelson/primitives'
import { invalidParams, nextTurn, type RpcMethods } from '@keelson/runtime'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import type { StoredReceipt } from '../../chain/records.ts'
import { rpcError } from '../errors.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { argument, getBlock, optionalArgument, parseBlockNumberOrTag } from '../params.ts'
import type { ChainDependencies, ReadDependencies } from '../rpc-dependencies.ts'

const BLOB_BASE_FEE = '0x1'
const MAX_SUGGESTED_TIP_WEI = 500_000_000_000n
const MAX_PERCENTILES = 100
const TURN_EVERY_BLOCKS = 32

interface PaidTip {
  readonly tipWei: bigint
  readonly gasUsed: bigint
}

export function feeMethods(deps: ChainDependencies): RpcMethods {
  const { chain } = deps
  const suggestedTip = () => suggestTipWei(deps)

  return {
    eth_gasPrice: () => formatQuantity(suggestedTip() + (chain.label('unsafe').header.baseFeeWei ?? 0n)),
    eth_maxPriorityFeePerGas: () => formatQuantity(suggestedTip()),
    eth_baseFee() {
      const { header } = chain.label('unsafe')
      return formatQuantity(
        nextBaseFeeWei(header, deps.rules.rulesAt({ number: header.number + 1, timestampSec: header.timestampSec + 1 })),
      )
    },
    eth_blobBaseFee: () => BLOB_BASE_FEE,
  }
}

export function feeHistoryMethod(deps: ReadDependencies): Pick<ReadMethods, 'eth_feeHistory'> {
  const { chain, options } = deps
  return {
    async eth_feeHistory(params, { signal }) {
      const count = argument(params, 0, parseCount)
      const percentiles = optionalArgument(params, 2, [], parsePercentiles)
      const selector = argument(params, 1, parseBlockNumberOrTag)
      const head = chain.label('unsafe').header.number
      if (selector.kind === 'number' && selector.number > head) {
        throw rpcError('beyondHead', `: requested ${selector.number}, head ${head}`)
      }
      const newest = getBlock(chain, selector)
      const wanted = Math.min(count, options.maxFeeHistoryBlocks, newest.header.number - chain.genesis.header.number + 1)
      if (wanted < 1) return { oldestBlock: '0x0', gasUsedRatio: [], baseFeePerGas: [], baseFeePerBlobGas: [], blobGasUsedRatio: [] }
      return history(deps, newest, wanted, percentiles, signal)
    },
  }
}

async function history(deps: ReadDependencies, newest: SealedHeader, count: number, percentiles: readonly number[], signal: AbortSignal) {
  const { chain } = deps
  const first = newest.header.number - count + 1
  const blocks = Array.from({ length: count }, (_, i) => getBlock(chain, { kind: 'number', number: first + i }))
  const next = nextBaseFeeWei(
    newest.header,
    deps.rules.rulesAt({ number: newest.header.number + 1, timestampSec: newest.header.timestampSec + 1 }),
  )
  const ratio = (used: bigint, limit: bigint) => (limit === 0n ? 0 : Number(used) / Number(limit))
  return {
    oldestBlock: formatQuantity(first),
    baseFeePerGas: [...blocks.map((block) => formatQuantity(block.header.baseFeeWei ?? 0n)), formatQuantity(next)],
    gasUsedRatio: blocks.map(({ header }) => ratio(header.gasUsed, header.gasLimit)),
    baseFeePerBlobGas: Array.from({ length: count + 1 }, () => BLOB_BASE_FEE),
    blobGasUsedRatio: blocks.map(({ header }) => ratio(header.blobGasUsed ?? 0n, header.gasLimit)),
    ...(percentiles.length === 0 ? {} : { reward: await allRewards(deps, blocks, percentiles, signal) }),
  }
}

async function allRewards(
  deps: ReadDependencies,
  blocks: readonly SealedHeader[],
  percentiles: readonly number[],
  signal: AbortSignal,
): Promise<string[][]> {
  const all: string[][] = []
  for (const [i, block] of blocks.entries()) {
    if (i % TURN_EVERY_BLOCKS === TURN_EVERY_BLOCKS - 1) {
      await nextTurn()
      signal.throwIfAborted()
    }
    all.push(rewards(deps, block, percentiles))
  }
  return all
}

function rewards(deps: ReadDependencies, at: SealedHeader, percentiles: readonly number[]): string[] {
  const tips = paidTips(deps, at).sort((a, b) => (a.tipWei < b.tipWei ? -1 : a.tipWei > b.tipWei ? 1 : 0))
  if (tips.length === 0) return percentiles.map(() => '0x0')
  let index = 0
  let gas = (tips[0] as PaidTip).gasUsed
  return percentiles.map((percentile) => {
    const threshold = (Number(at.header.gasUsed) * percentile) / 100
    while (Number(gas) < threshold && index < tips.length - 1) gas += (tips[++index] as PaidTip).gasUsed
    return formatQuantity((tips[index] as PaidTip).tipWei)
  })
}

function paidTips(deps: ChainDependencies, at: SealedHeader): PaidTip[] {
  const block: Block | null = deps.chain.block(at.hash)
  const receipts: readonly StoredReceipt[] = deps.chain.receipts(at.hash) ?? []
  const baseFeeWei = at.header.baseFeeWei ?? 0n
  let before = 0n
  return (block?.transactions ?? []).map((tx, i) => {
    const total = receipts[i]?.receipt.cumulativeGasUsed ?? before
    const gasUsed = total - before
    before = total
    return { tipWei: isSigned(tx) ? effectiveGasPriceWei(tx, baseFeeWei) - baseFeeWei : 0n, gasUsed }
  })
}

function suggestTipWei(deps: ChainDependencies): bigint {
  const head = deps.chain.label('unsafe')
  const floor = deps.options.minSuggestedTipWei
  const tips = paidTips(deps, head)
  const largest = tips.reduce((most, tip) => (tip.gasUsed > most ? tip.gasUsed : most), 0n)
  if (head.header.gasUsed + largest <= head.header.gasLimit) return floor
  const sorted = tips.map((tip) => tip.tipWei).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const median = sorted[sorted.length >> 1] ?? 0n
  const raised = median + median / 10n
  const suggestion = raised > floor ? raised : floor
  return suggestion < MAX_SUGGESTED_TIP_WEI ? suggestion : MAX_SUGGESTED_TIP_WEI
}

function parseCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return parseQuantityNumber(value, 'block count')
}

function parsePercentiles(value: unknown): readonly number[] {
  if (!Array.isArray(value)) throw invalidParams('invalid argument 2: expected a list of percentiles')
  if (value.length > MAX_PERCENTILES) throw rpcError('invalidPercentile', `: over the query limit ${MAX_PERCENTILES}`)
  value.forEach((percentile, i) => {
    if (typeof percentile !== 'number') throw invalidParams(`invalid argument 2: invalid reward percentile: ${JSON.stringify(percentile)}`)
    if (!(percentile >= 0 && percentile <= 100)) {
      throw rpcError('invalidPercentile', `: ${JSON.stringify(percentile)}`)
    }
    if (i > 0 && percentile <= (value[i - 1] as number)) {
      throw rpcError('invalidPercentile', `: #${i - 1}:${value[i - 1]} >= #${i}:${percentile}`)
    }
  })
  return value as number[]
}
