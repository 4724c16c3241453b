import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../row.ts'
import { assertSameChain, waitSafe } from '../same-chain.ts'
import type { MixedName, World } from '../world.ts'
import { addressOf, foreignOf } from './following.ts'

const TIMEOUT_MS = 400_000
const BLOCKS_AFTER = 5

export function throughForks(name: MixedName, by: 'gossip' | 'L1 alone', forks: string): Row {
  return {
    what: `${name}: the same blocks through ${forks}, by ${by}`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run({ peers: by === 'gossip' ? [await addressOf(world.sequencer)] : null, sequencer: false })
      const last = lastForkBlock(world) + BLOCKS_AFTER
      await waitSafe(world.sequencer, last, TIMEOUT_MS)
      await waitSafe(node, last, TIMEOUT_MS)
      await assertSameChain(world.sequencer, node, 1, last)
    },
  }
}

function lastForkBlock({ network }: World): number {
  const rollup = JSON.parse(readFileSync(join(network, 'rollup.json'), 'utf8')) as Record<string, unknown>
  const { l2_time } = rollup.genesis as { l2_time: number }
  const times = Object.entries(rollup).flatMap(([key, value]) => (key.endsWith('_time') && typeof value === 'number' ? [value] : []))
  const later = times.filter((time) => time > l2_time)
  return Math.ceil((Math.max(...later) - l2_time) / (rollup.block_time as number))
}
