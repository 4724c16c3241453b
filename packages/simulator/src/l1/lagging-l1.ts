/** L1 as a node sees it that is some blocks behind. */
import type { L1Block } from './l1-block.ts'
import type { L1Reader } from './l1-methods.ts'
import type { SimulatedL1 } from './simulated-l1.ts'

export function laggingL1(l1: SimulatedL1, blocks: number): L1Reader {
  const headNumber = Math.max(0, l1.head.header.number - blocks)
  const known = (block: L1Block | null) => (block === null || block.header.number > headNumber ? null : block)
  return {
    options: l1.options,
    pool: l1.pool,
    engine: l1.engine,
    head: l1.block(headNumber) as L1Block,
    senderOf: l1.senderOf,
    submit: (form) => l1.submit(form),
    block(at) {
      if (at !== 'latest' && at !== 'safe' && at !== 'finalized') return known(l1.block(at))
      const number = l1.block(at)?.header.number ?? 0
      return l1.block(Math.max(0, number - blocks))
    },
    find(hash) {
      const found = l1.find(hash)
      return found === null || known(found.block) === null ? null : found
    },
  }
}
