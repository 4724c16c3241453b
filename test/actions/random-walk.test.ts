import assert from 'node:assert/strict'
import { createSeededRandom } from '@keelson/runtime'
import { sendDeposit } from '../support/deposit-log.ts'
import { assertSupply } from '../support/supply.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const STEPS = 20

async function transfer(world: World): Promise<void> {
  const tx = world.sequencer.execution.transfer(2, '0x00000000000000000000000000000000000000aa', 1n)
  await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
}

type Happening = readonly [string, (world: World, follower: WorldNode, pick: (n: number) => number) => Promise<void> | void]

const HAPPENINGS: readonly Happening[] = [
  ['nothing', () => undefined],
  ['a transfer', (world) => transfer(world)],
  ['a deposit', (world, _, pick) => sendDeposit(world.l1, BigInt(pick(1_000)), BigInt(pick(1_000)))],
  [
    'a reorg that keeps transactions',
    (world, _, pick) => {
      const depth = Math.min(1 + pick(5), world.l1.head.number)
      world.l1.reorg(depth, { newBlocks: depth + pick(2) })
    },
  ],
  [
    'a reorg that drops transactions',
    (world, _, pick) => {
      const depth = Math.min(1 + pick(3), world.l1.head.number)
      world.l1.reorg(depth, { newBlocks: depth + 1, keepTransactions: false })
    },
  ],
  ['the sequencer is killed', (world) => world.sequencer.restart()],
  ['the follower is killed', (_, follower) => follower.restart()],
  ['the follower loses its consensus store', (_, follower) => follower.loseConsensusStore()],
  ['the follower loses its execution store', (_, follower) => follower.loseExecutionStore()],
  [
    'gossip stops or comes back',
    (world) => {
      world.gossip.connected = !world.gossip.connected
    },
  ],
  [
    'L1 stops or comes back',
    (world) => {
      world.l1.unreachable = !world.l1.unreachable
    },
  ],
  [
    'the engine of the follower stops or comes back',
    (_, follower) => {
      follower.engineDown = !follower.engineDown
    },
  ],
  ['another batcher takes over', (world) => void world.startBatcher()],
]

describe('a random walk', () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`ends in agreement, seed ${seed}`, async () => {
      const random = createSeededRandom(seed)
      const pick = (n: number) => Math.floor(random.next() * n)
      const world = await createWorld({ sequencer: { l1Confirmations: pick(4) } })
      const follower = await world.addFollower('validator')
      world.startBatcher()
      const story: string[] = []
      for (let step = 0; step < STEPS; step++) {
        const [name, happen] = HAPPENINGS[pick(HAPPENINGS.length)] as Happening
        story.push(name)
        await happen(world, follower, pick)
        await world.advance(2 + 2 * pick(6))
      }
      world.gossip.connected = true
      world.l1.unreachable = false
      follower.engineDown = false
      const before = world.sequencer.heads().unsafe
      await world.advance(120)
      const fresh = await world.addFollower('fresh', { gossip: false })
      await world.advance(8)
      const told = story.join(', ')
      assert.ok(fresh.heads().safe > before, `safe ${fresh.heads().safe}, unsafe was ${before}: ${told}`)
      const safe = Math.min(...world.nodes.map((node) => node.heads().safe))
      assert.ok(safe > before, `safe heads ${world.nodes.map((node) => node.heads().safe)}: ${told}`)
      for (const node of world.nodes) {
        for (let number = 0; number <= safe; number++) {
          assert.equal(await node.hashAt(number), await fresh.hashAt(number), `${node.name}, block ${number}: ${told}`)
        }
        assert.deepEqual(node.consensus.driver.degraded, [], `${node.name}: ${told}`)
        await assertSupply(node.execution)
      }
      await world.stop()
    })
  }
})
