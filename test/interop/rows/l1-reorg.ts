import { blockAt } from '../../support/chain-reading.ts'
import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import { l1Head } from '../l1-batches.ts'
import type { Program } from '../options.ts'
import type { Row } from '../row.ts'
import { assertSameChain, heads, waitSafe } from '../same-chain.ts'
import { followAgain } from './following.ts'

/** Exceeds the sequencer's confirmation depth, so that L2 blocks lose their origin. */
const DEPTH = 6
const TIMEOUT_MS = 150_000

export const l1Reorg = (needs: Program): Row => ({
  what: `an L1 reorg of ${DEPTH} blocks: all agree again`,
  needs: [needs],
  async run(world) {
    const { l1 } = world.devnet.facts
    await followAgain(world)
    const before = await heads(world.sequencer)
    const lowest = (await l1Head(world)) - DEPTH + 1
    const replaced = await blockAt(l1.rpcUrl, lowest)
    await rpcCall(l1.rpcUrl, 'anvil_reorg', [DEPTH, []])
    if ((await blockAt(l1.rpcUrl, lowest))?.hash === replaced?.hash) throw new Error('L1 was not reorganised')
    await eventually(
      'blocks of L2 on the new L1 chain',
      async () => {
        const status = await rpcCall<{ unsafe_l2: { l1origin: { hash: string; number: number } } }>(
          world.sequencer.rollupUrl,
          'optimism_syncStatus',
        )
        const { l1origin } = status.unsafe_l2
        return l1origin.number > lowest && (await blockAt(l1.rpcUrl, l1origin.number))?.hash === l1origin.hash
      },
      TIMEOUT_MS,
    )
    const target = Math.max(before.unsafe, (await heads(world.sequencer)).unsafe)
    await waitSafe(world.sequencer, target, TIMEOUT_MS)
    for (const node of [world.validator, ...world.nodes()]) {
      await waitSafe(node, target, TIMEOUT_MS)
      await assertSameChain(world.sequencer, node, Math.max(1, before.safe - DEPTH), target)
    }
  },
})
