import type { Heads } from '../../../shared/network-document.ts'
import type { BlockSummary } from '../../data/blocks.ts'
import { useConfig } from '../../data/config.ts'
import { rpcAll } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatGasPrice, formatLarge } from '../../format/amounts.ts'
import { formatDuration } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Figure, Figures } from '../../parts/figures.tsx'
import { throughputOf } from './throughput.ts'

const FEES_MS = 5_000
const TRANSFER_GAS = 21_000n
/** `getL1FeeUpperBound(uint256)` of a signed transfer of 110 bytes. */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f'
const L1_FEE_OF_TRANSFER = `0xf1c7a58b${(110).toString(16).padStart(64, '0')}`

export function ChainFigures({ heads, blocks }: { readonly heads: Heads | null; readonly blocks: readonly BlockSummary[] }) {
  const { l2 } = useConfig()
  const { transactionsPerSec, gasPerSec, blockTimeSec } = throughputOf(blocks)
  const fees = useQuery('fees', fetchFees, FEES_MS).data
  const newest = blocks.at(-1)
  const behind = (head: { readonly number: number; readonly timeSec: number } | undefined) =>
    heads === null || head === undefined
      ? '…'
      : `${Math.max(0, heads.unsafe.number - head.number)} blocks, ${formatDuration(1000 * (heads.unsafe.timeSec - head.timeSec))}`
  return (
    <Figures>
      <Figure name="Transactions" value={shown(transactionsPerSec)} unit="a second" hint="Of users, over the blocks above." />
      <Figure name="Gas" value={shown(gasPerSec)} unit="a second" hint="Over the blocks above." />
      <Figure
        name="Block time"
        value={blockTimeSec === null ? '…' : `${Number(blockTimeSec.toFixed(2))} s`}
        unit={`target ${l2.blockTimeSec} s`}
      />
      <Figure name="Base fee" value={newest === undefined ? '…' : formatGasPrice(newest.baseFeeWei)} unit="per gas" />
      <Figure
        name="A transfer costs"
        value={fees == null ? '…' : <NativeAmount wei={fees.transferWei} />}
        unit={fees?.includesL1 === false ? 'without the L1 fee' : 'L1 fee included'}
        hint="21,000 gas at the price the node suggests, and at most the L1 fee of 110 bytes."
      />
      <Figure name="Safe is behind by" value={behind(heads?.safe)} unit="the newest block" />
      <Figure name="Finalized is behind by" value={behind(heads?.finalized)} unit="the newest block" />
    </Figures>
  )
}

const shown = (value: number | null) => (value === null ? '…' : formatLarge(value))

async function fetchFees() {
  const [price, l1Fee] = await rpcAll([
    { method: 'eth_gasPrice', params: [] },
    { method: 'eth_call', params: [{ to: GAS_PRICE_ORACLE, data: L1_FEE_OF_TRANSFER }, 'latest'] },
  ])
  const includesL1 = typeof l1Fee === 'string' && l1Fee !== '0x'
  return { transferWei: TRANSFER_GAS * BigInt((price as string | null) ?? 0) + (includesL1 ? BigInt(l1Fee) : 0n), includesL1 }
}
