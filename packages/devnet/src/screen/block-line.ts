export interface BlockFacts {
  readonly number: number
  readonly hash: string
  readonly transactions: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFeeWei: number
  readonly elapsedMs: number
}

export interface Heads {
  readonly unsafe: number
  readonly safe: number
  readonly finalized: number
}

const MGAS = 1_000_000

export function formatFee(wei: number): string {
  if (wei < 1e5) return `${wei} wei`
  return `${Number((wei / 1e9).toPrecision(4))} Gwei`
}

function shortHash(hash: string): string {
  return `${hash.slice(0, 10)}..${hash.slice(-4)}`
}

export function blockLine(block: BlockFacts, heads: Heads): string {
  const mgas = block.gasUsed / MGAS
  const rate = block.elapsedMs > 0 ? mgas / (block.elapsedMs / 1000) : 0
  const full = (100 * block.gasUsed) / block.gasLimit
  return [
    `block ${String(block.number).padStart(6)}`,
    shortHash(block.hash),
    `txs ${String(block.transactions).padStart(4)}`,
    `gas ${mgas.toFixed(2).padStart(6)} M`,
    `${rate.toFixed(1).padStart(6)} Mgas/s`,
    `${full.toFixed(1).padStart(5)}% full`,
    `base fee ${formatFee(block.baseFeeWei)}`,
    `${block.elapsedMs.toFixed(1)} ms`,
    `safe ${heads.safe} (-${Math.max(0, block.number - heads.safe)})`,
    `finalized ${heads.finalized}`,
  ].join('  ')
}

export function blockJson(block: BlockFacts, heads: Heads): string {
  return JSON.stringify({ event: 'block', ...block, heads: { ...heads, unsafe: Math.max(heads.unsafe, block.number) } })
}
