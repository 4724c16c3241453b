import { finalityOf } from '../../data/finality.ts'
import type { IndexedBlock } from '../../data/index-types.ts'
import { useHeads } from '../../data/use-network.ts'
import { formatBytes, formatGasPrice, formatLarge, formatPercent } from '../../format/amounts.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { BlockLink } from '../../parts/hashes/hash.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { FinalityBadge } from '../../parts/status-badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

export function BlocksList() {
  const heads = useHeads().data?.heads ?? null
  const columns: readonly Column<IndexedBlock>[] = [
    {
      name: 'Block',
      show: ({ number }) => (
        <>
          <BlockLink number={number} /> <FinalityBadge finality={finalityOf(number, heads)} />
        </>
      ),
    },
    { name: 'Transactions', isNumber: true, show: ({ transactions }) => transactions },
    {
      name: 'Gas',
      isNumber: true,
      show: ({ gasUsed, gasLimit }) => `${formatLarge(Number(gasUsed))} (${formatPercent(Number(gasUsed) / Number(gasLimit))})`,
    },
    {
      name: 'Base fee',
      isNumber: true,
      show: ({ baseFeePerGas }) => (baseFeePerGas === null ? '' : formatGasPrice(BigInt(baseFeePerGas))),
    },
    { name: 'Fees', isNumber: true, show: ({ l2Fees, l1Fees }) => <NativeAmount wei={BigInt(l2Fees) + BigInt(l1Fees)} /> },
    { name: 'Size', isNumber: true, show: ({ sizeBytes }) => formatBytes(sizeBytes) },
    { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
  ]
  return <PagedList what="the blocks" path="/blocks" empty="There is no block yet." columns={columns} keyOf={({ hash }) => hash} />
}
