import type { Heads } from '../../../shared/network-document.ts'
import type { BlockSummary } from '../../data/blocks.ts'
import { finalityOf } from '../../data/finality.ts'
import { formatLarge, formatPercent } from '../../format/amounts.ts'
import { Card } from '../../parts/card.tsx'
import { BlockLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { FinalityBadge } from '../../parts/status-badge.tsx'
import { Ago } from '../../parts/time.tsx'

const SHOWN = 8

export function LatestBlocks({ blocks, heads }: { readonly blocks: readonly BlockSummary[]; readonly heads: Heads | null }) {
  return (
    <Card title="Latest blocks">
      {blocks.length === 0 ? (
        <Notice error={null} what="the latest blocks" />
      ) : (
        <ol className="rows">
          {blocks
            .slice(-SHOWN)
            .reverse()
            .map((block) => (
              <li key={block.hash}>
                <span className="row-main">
                  <BlockLink number={block.number} /> <FinalityBadge finality={finalityOf(block.number, heads)} />
                </span>
                <span className="row-detail">
                  {block.transactions} {block.transactions === 1 ? 'transaction' : 'transactions'}, {formatLarge(block.gasUsed)} gas (
                  {formatPercent(block.gasUsed / block.gasLimit)})
                </span>
                <Ago ms={block.timeMs} />
              </li>
            ))}
        </ol>
      )}
    </Card>
  )
}
