import { rpcCall } from '../../support/json-rpc.ts'
import type { Program } from '../options.ts'
import type { Mode } from '../programs.ts'
import type { Row } from '../row.ts'
import { assertSameChain, type ChainView, heads, waitSafe, waitUnsafe } from '../same-chain.ts'
import type { MixedName, World } from '../world.ts'

const DERIVE_TIMEOUT_MS = 120_000
const GOSSIP_TIMEOUT_MS = 60_000
const FEWEST_BLOCKS = 8
const GOSSIPED_BLOCKS = 5

export function foreignOf(name: MixedName): readonly Program[] {
  return name.split(' on ').filter((part): part is Program => part !== 'ours')
}

export function sameGenesis(name: MixedName): Row {
  return {
    what: `${name}: \`keelson config export\` is accepted, the genesis block is ours`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run({ peers: null, sequencer: false })
      await assertSameChain(world.sequencer, node, 0, 0)
    },
  }
}

export function fromL1Alone(name: MixedName): Row {
  return {
    what: `${name}: derives the same chain from L1 alone`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run({ peers: null, sequencer: false })
      const safe = await waitSafe(world.sequencer, FEWEST_BLOCKS, DERIVE_TIMEOUT_MS)
      await waitSafe(node, safe, DERIVE_TIMEOUT_MS)
      await assertSameChain(world.sequencer, node, 1, safe)
    },
  }
}

export function byGossip(name: MixedName): Row {
  return {
    what: `${name}: follows our gossip`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run(await following(world))
      await assertAtTip(world.sequencer, node)
    },
  }
}

/** A standby sequencer must behave like any other node. */
export function gossipAndDerivation(name: MixedName, as: 'standby sequencer' | 'follower'): Row {
  return {
    what: `${name}: as a ${as}, follows our gossip and derives the same chain`,
    needs: foreignOf(name),
    async run(world) {
      const node = await world.node(name)
      await node.run(as === 'follower' ? await following(world) : await standby(world))
      const { unsafe } = await heads(world.sequencer)
      await assertAtTip(world.sequencer, node)
      await waitSafe(node, unsafe, DERIVE_TIMEOUT_MS)
      await assertSameChain(world.sequencer, node, 1, unsafe)
    },
  }
}

export async function following(world: World): Promise<Mode> {
  return { peers: [await addressOf(world.sequencer)], sequencer: false }
}

export async function standby(world: World): Promise<Mode> {
  return { peers: await Promise.all([world.sequencer, world.validator].map(addressOf)), sequencer: true }
}

export async function assertAtTip(leader: ChainView, follower: ChainView): Promise<void> {
  const start = (await heads(leader)).unsafe
  await waitUnsafe(follower, start + GOSSIPED_BLOCKS, GOSSIP_TIMEOUT_MS)
  const { unsafe, safe } = await heads(follower)
  if (unsafe <= safe) throw new Error(`${follower.name} knows nothing but safe blocks (${safe}): nothing came by gossip`)
  const behind = (await heads(leader)).unsafe - unsafe
  if (behind > GOSSIPED_BLOCKS) throw new Error(`${follower.name} is ${behind} blocks behind ${leader.name}`)
  await assertSameChain(leader, follower, Math.max(1, start), unsafe)
}

export async function addressOf(view: ChainView): Promise<string> {
  const { addresses } = await rpcCall<{ addresses: readonly string[] }>(view.rollupUrl, 'opp2p_self')
  const address = addresses.find((candidate) => candidate.includes('/p2p/'))
  if (address === undefined) throw new Error(`${view.name} says no address with a peer id: ${addresses.join(' ')}`)
  return address
}

export async function followAgain(world: World): Promise<void> {
  for (const node of world.nodes()) await node.run(await following(world))
}
