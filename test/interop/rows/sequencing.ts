import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import type { Row } from '../row.ts'
import { assertSameChain, type ChainView, heads, waitSafe, waitUnsafe } from '../same-chain.ts'
import { assertDeposited, assertIncluded, sendDeposit, sendEveryType } from '../transactions.ts'
import type { MixedName } from '../world.ts'
import { foreignOf, standby } from './following.ts'

const TIMEOUT_MS = 120_000
const BLOCKS = 6

export function asSequencer(name: MixedName): Row {
  return {
    what: `${name}: sequences transactions of every type, our validator follows`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run(await standby(world))
      const first = (await handOver(world.sequencer, node)) + 1
      try {
        const to = await sendDeposit(world)
        const sent = await sendEveryType(world, node.rpcUrl)
        const included = await assertIncluded([node.rpcUrl, world.validator.rpcUrl], sent)
        await assertDeposited(node.rpcUrl, to)
        await assertDeposited(world.validator.rpcUrl, to)
        const last = Math.max(included, first + BLOCKS, (await heads(node)).unsafe)
        await waitUnsafe(world.validator, last, TIMEOUT_MS)
        await waitUnsafe(node, last, TIMEOUT_MS)
        await assertSameChain(node, world.validator, first, last)
        await waitSafe(world.validator, last, TIMEOUT_MS)
        await waitSafe(node, last, TIMEOUT_MS)
        await assertSameChain(node, world.validator, first, last)
      } finally {
        await handOver(node, world.sequencer)
      }
    },
  }
}

async function handOver(from: ChainView, to: ChainView): Promise<number> {
  const hash = await rpcCall<string>(from.rollupUrl, 'admin_stopSequencer')
  const { number } = await eventually(
    `${to.name} having ${from.name}'s last block`,
    async () => {
      const status = await rpcCall<{ unsafe_l2: { hash: string; number: number } }>(to.rollupUrl, 'optimism_syncStatus')
      return status.unsafe_l2.hash === hash ? status.unsafe_l2 : null
    },
    TIMEOUT_MS,
  )
  await rpcCall(to.rollupUrl, 'admin_startSequencer', [hash])
  await waitUnsafe(to, number + 1, TIMEOUT_MS)
  return number
}
