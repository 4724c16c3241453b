import type { Batch, Listed } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { useHeads, useNetwork } from '../../data/use-network.ts'
import { useRecentBlocks } from '../../data/use-recent-blocks.ts'
import { HealthCard } from '../../parts/health-card.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { BatchesCard } from './batches-card.tsx'
import { ChainFigures } from './chain-figures.tsx'
import { ChainPicture } from './chain-picture.tsx'
import { LatestBlocks } from './latest-blocks.tsx'
import { LatestTransactions } from './latest-transactions.tsx'
import './home.css'

const BATCHES_MS = 5_000

export function HomePage() {
  useTitle('')
  const { data } = useHeads()
  const heads = data?.heads ?? null
  const blocks = useRecentBlocks(heads?.unsafe.number ?? null)
  const batches = useIndex<Listed<Batch>>('/l1/batches?limit=25', BATCHES_MS)
  const network = useNetwork()
  return (
    <>
      <h1 className="visually-hidden">The chain at a glance</h1>
      <ChainPicture heads={heads} blocks={blocks} batches={batches.data?.items ?? []} />
      <ChainFigures heads={heads} blocks={blocks} />
      <HealthCard network={network.data} error={network.error} />
      <div className="columns">
        <LatestBlocks blocks={blocks} heads={heads} />
        <LatestTransactions />
      </div>
      <BatchesCard batches={batches.data?.items.slice(0, 6) ?? null} error={batches.error} />
    </>
  )
}
