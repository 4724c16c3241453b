import assert from 'node:assert/strict'
import { type ForkTimes, forksAtGenesis, type LaterFork } from '@keelson/chainspec'
import { CONFIG_UPDATE_TOPIC } from '@keelson/derivation'
import {
  bigintToBytes,
  bytesToHex,
  type ExecutionPayload,
  type Hash,
  type PayloadEnvelope,
  payloadHash,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { SYSTEM_CONFIG } from '../support/rollup-config.ts'
import { createWorld, type Wire, type World, type WorldNode } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const FORK_BLOCK = 10
const FORK_SEC = GENESIS_SEC + 2 * FORK_BLOCK
const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const STOPPED = 'stopped before block 10: the chain has moved past this release'

/** Each fork, and the one before it, which is the last that the older build knows. */
const FORKS: readonly (readonly [fork: LaterFork, before: LaterFork])[] = [
  ['lagoon', 'karst'],
  ['karst', 'jovian'],
  ['jovian', 'isthmus'],
  ['holocene', 'granite'],
]

async function newWorld(fork: LaterFork, before: LaterFork): Promise<{ world: World; old: ForkTimes }> {
  const old = forksAtGenesis(before)
  const world = await createWorld({ forks: { ...old, [fork]: FORK_SEC } })
  world.startBatcher({ dataAvailability: 'calldata' })
  return { world, old }
}

async function underLoad(world: World, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 4) {
    const tx = world.sequencer.execution.transfer(1, RECIPIENT, 1n)
    await world.sequencer.execution.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    await world.advance(4)
  }
}

async function complaints(node: WorldNode): Promise<readonly string[]> {
  const results = await Promise.all(node.consensus.checks.map((check) => check.check()))
  return results.flatMap((result) => (result.ok ? [] : [result.reason]))
}

async function assertStopped(node: WorldNode, world: World): Promise<void> {
  const { pendingSafeL2 } = await node.consensus.rollupApi.syncStatus()
  assert.equal(pendingSafeL2.number, FORK_BLOCK - 1)
  for (let number = 1; number < FORK_BLOCK; number++) {
    assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
  }
  const [first, ...others] = await complaints(node)
  assert.deepEqual([first?.slice(0, STOPPED.length), others], [STOPPED, []])
}

/** Delivers `change` of the block with this number, as if the holder of the sequencer's key had signed it too. */
function hearing(change: (envelope: PayloadEnvelope) => readonly PayloadEnvelope[]): Wire {
  return (real) => ({
    ...real,
    gossip: real.gossip && {
      ...real.gossip,
      onPayload: (hear) =>
        real.gossip?.onPayload((envelope, from) => {
          for (const each of change(envelope)) hear(each, from)
        }),
    },
  })
}

function changed({ payload, parentBeaconBlockRoot }: PayloadEnvelope, change: Partial<ExecutionPayload>): PayloadEnvelope {
  const other = { ...payload, ...change }
  return { payload: { ...other, blockHash: payloadHash(other, parentBeaconBlockRoot) }, parentBeaconBlockRoot }
}

const forged = (envelope: PayloadEnvelope) => changed(envelope, { stateRoot: toHash(new Uint8Array(32).fill(9)) })
/** A node that hears the forged block, and no block after it. */
const misled = hearing((envelope) =>
  isAtFork(envelope) ? [forged(envelope)] : envelope.payload.blockNumber < FORK_BLOCK ? [envelope] : [],
)
const isAtFork = ({ payload }: PayloadEnvelope) => payload.blockNumber === FORK_BLOCK

describe('a chain that has moved past this release', () => {
  for (const [fork, before] of FORKS) {
    it(`stops a node that hears ${fork} blocks and knows forks up to ${before}, at the last block that both share`, async () => {
      const { world, old } = await newWorld(fork, before)
      const follower = await world.addFollower('old', { forks: old })
      await underLoad(world, 40)
      await assertStopped(follower, world)
      const [said, ...more] = follower.log.matching('the chain has moved past this release')
      assert.deepEqual([said?.message, more], [STOPPED, []])
      const { why, remedy } = (said?.fields ?? {}) as Partial<Record<string, string>>
      assert.match(why ?? '', new RegExp(`^the sequencer signed block 10 \\(0x[0-9a-f]{64}\\), which .* configuration is ${before}$`))
      assert.match(remedy ?? '', /start a newer release/)
      await follower.restart()
      await underLoad(world, 12)
      await assertStopped(follower, world)
      await world.stop()
    })
  }

  it('is noticed by the result of a block whose batch this release can read', async () => {
    const world = await createWorld()
    world.startBatcher({ dataAvailability: 'calldata' })
    const old = await world.addFollower('old', { wire: misled })
    await underLoad(world, 40)
    await assertStopped(old, world)
    assert.match(String(old.log.matching(STOPPED)[0]?.fields.why), /which is invalid by the rules of this release \(block 10: state-root: /)
    await world.stop()
  })

  it('is noticed by an update of the system configuration of a type that this release does not know', async () => {
    const world = await createWorld()
    const node = await world.addFollower('node')
    world.startBatcher({ dataAvailability: 'calldata' })
    await underLoad(world, 20)
    const { number } = world.l1.head
    const topics = [CONFIG_UPDATE_TOPIC, ZERO_HASH, toHash(bigintToBytes(9n, 32))]
    world.l1.send({
      privateKey: new Uint8Array(32).fill(3),
      to: SYSTEM_CONFIG,
      logs: [{ address: SYSTEM_CONFIG, topics, data: new Uint8Array(64) }],
    })
    await underLoad(world, 40)
    const [said, ...more] = node.log.matching('the chain has moved past this release')
    assert.deepEqual([said?.message, more], ['derivation stopped: the chain has moved past this release', []])
    assert.match(
      String(said?.fields.why),
      new RegExp(`^L1 block ${number + 1} updates the system configuration .*\\(ConfigUpdate of type 9 is not known\\)`),
    )
    const { currentL1, safeL2 } = await node.consensus.rollupApi.syncStatus()
    assert.equal(currentL1.number, number + 1)
    assert.equal(await node.hashAt(safeL2.number), await world.sequencer.hashAt(safeL2.number))
    await world.stop()
  })

  it('is not claimed by a second block of the key, when the block of the chain is heard too, before or after it', async () => {
    const world = await createWorld()
    world.startBatcher({ dataAvailability: 'calldata' })
    const orders: readonly (readonly [string, Wire])[] = [
      ['before', hearing((envelope) => (isAtFork(envelope) ? [forged(envelope), envelope] : [envelope]))],
      ['after', hearing((envelope) => (isAtFork(envelope) ? [envelope, forged(envelope)] : [envelope]))],
    ]
    const nodes = await Promise.all(orders.map(([name, wire]) => world.addFollower(name, { wire })))
    await underLoad(world, 40)
    for (const node of nodes) {
      assert.deepEqual(node.heads(), world.sequencer.heads(), node.name)
      assert.deepEqual(node.log.matching('moved past'), [])
    }
    await world.stop()
  })

  it('is not claimed by a block whose batch is not on L1', async () => {
    const world = await createWorld()
    world.startBatcher({ dataAvailability: 'calldata' })
    const other = (envelope: PayloadEnvelope) =>
      changed(envelope, { transactions: [...envelope.payload.transactions, Uint8Array.of(0x7c, 0xc0)] })
    const node = await world.addFollower('node', { wire: hearing((envelope) => [isAtFork(envelope) ? other(envelope) : envelope]) })
    await underLoad(world, 40)
    assert.ok(node.heads().safe > FORK_BLOCK)
    assert.equal(node.heads().safe, world.sequencer.heads().safe)
    assert.deepEqual(node.log.matching('moved past'), [])
    await world.stop()
  })

  it('does not stop a node whose operator calls the block a mistake', async () => {
    const mistakes: Hash[] = []
    for (const run of ['stopped', 'told'] as const) {
      const world = await createWorld()
      world.startBatcher({ dataAvailability: 'calldata' })
      const [distrustedBlock = null] = mistakes
      const node = await world.addFollower(run, { wire: misled, consensus: { distrustedBlock } })
      await underLoad(world, 40)
      if (run === 'stopped') await assertStopped(node, world)
      else assert.equal(node.heads().safe, world.sequencer.heads().safe)
      mistakes.push(forged(await world.sequencer.payloadAt(FORK_BLOCK)).payload.blockHash)
      await world.stop()
    }
    assert.equal(mistakes[0], mistakes[1], 'both runs have the same blocks')
  })
})
