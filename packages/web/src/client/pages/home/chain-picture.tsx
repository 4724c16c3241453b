import { useRef } from 'react'
import type { Heads } from '../../../shared/network-document.ts'
import type { BlockSummary } from '../../data/blocks.ts'
import { useConfig } from '../../data/config.ts'
import { finalityOf } from '../../data/finality.ts'
import type { Batch } from '../../data/index-types.ts'
import { counted, formatCount, formatPercent } from '../../format/amounts.ts'
import type { Finality } from '../../parts/status-badge.tsx'
import { Link } from '../../shell/link.tsx'
import { originsOf } from './origins.ts'

export interface ChainPictureProps {
  readonly heads: Heads | null
  readonly blocks: readonly BlockSummary[]
  readonly batches: readonly Batch[]
}

/** Distance of two blocks in CSS pixels. */
const PITCH = 30
const LEAST_FILL = 0.08

const LEGEND: readonly (readonly [Finality, string])[] = [
  ['unsafe', 'from the sequencer'],
  ['safe', 'on L1'],
  ['finalized', 'final on L1'],
]

/** Blocks move to the left as new ones come; below them the L1 blocks they belong to. */
export function ChainPicture({ heads, blocks, batches }: ChainPictureProps) {
  const { l2 } = useConfig()
  const newest = blocks.at(-1)
  // Positions are relative to the first block shown, because browsers place nothing beyond 33 million pixels.
  const base = useRef<number | null>(null)
  if (base.current === null && newest !== undefined) base.current = newest.number
  const at = (number: number) => (number - (base.current ?? 0)) * PITCH
  const move = newest === undefined ? 0 : -at(newest.number)
  const posted = new Set(batches.map(({ l1Block }) => l1Block))
  return (
    <section className="card picture" aria-label="The newest blocks and how far they are settled on L1">
      <div className="picture-heads">
        {LEGEND.map(([finality, words]) => (
          <div key={finality} className={`picture-head is-${finality}`}>
            <span className="picture-head-name">
              {finality} <span className="muted">{words}</span>
            </span>
            <strong className="number">{heads === null ? '…' : formatCount(heads[finality].number)}</strong>
          </div>
        ))}
        <div className="picture-head is-l1">
          <span className="picture-head-name">
            L1 <span className="muted">newest block</span>
          </span>
          <strong className="number">{heads === null ? '…' : formatCount(heads.l1.head.number)}</strong>
        </div>
      </div>
      <div className="picture-window">
        <div
          className="picture-lane"
          style={{ transform: `translateX(${move}px)`, transitionDuration: `${Math.min(1, l2.blockTimeSec) * 0.9}s` }}
        >
          {blocks.map((block) => (
            <BlockBar key={block.hash} block={block} x={at(block.number)} finality={finalityOf(block.number, heads)} />
          ))}
          {originsOf(blocks).map(({ l1Block, first, last }) => (
            <div
              key={`${l1Block}-${first}`}
              className={`picture-origin ${posted.has(l1Block) ? 'has-batch' : ''}`}
              style={{ left: at(first), width: (last - first + 1) * PITCH - 6 }}
              title={`L1 block ${l1Block} is the origin of L2 blocks ${first} to ${last}${posted.has(l1Block) ? '; it carries a batch' : ''}`}
            >
              <span>{l1Block}</span>
            </div>
          ))}
        </div>
      </div>
      <p className="picture-caption">
        Each column is an L2 block, filled as far as its gas limit; below it the L1 block it builds on. A dot marks L1 blocks that carry a
        batch.
      </p>
    </section>
  )
}

function BlockBar({ block, x, finality }: { readonly block: BlockSummary; readonly x: number; readonly finality: Finality }) {
  const share = block.gasUsed / block.gasLimit
  const words = `Block ${block.number}: ${finality}, ${counted(block.transactions, 'transaction')}, ${formatPercent(share)} of its gas limit`
  return (
    <Link
      href={`/block/${block.number}`}
      className={`picture-block is-${finality}`}
      style={{ left: x }}
      title={words}
      aria-label={words}
      tabIndex={-1}
    >
      {/* A cubic root keeps small blocks visible beside full ones. */}
      <span className="picture-fill" style={{ height: `${100 * Math.max(LEAST_FILL, Math.cbrt(share))}%` }} />
    </Link>
  )
}
