import assert from 'node:assert/strict'
import type { L2BlockSource, ViolationBundle } from '@keelson/consensus'
import { keccak256, type PayloadEnvelope, toHash } from '@keelson/primitives'
import { createWorld, type Wire, type World } from '../support/world.ts'

function forged(envelope: PayloadEnvelope): PayloadEnvelope {
  const stateRoot = toHash(keccak256(Uint8Array.of(1)))
  return { ...envelope, payload: { ...envelope.payload, stateRoot, blockHash: toHash(keccak256(Uint8Array.of(2))) } }
}

function lyingAbout(number: () => number | null): { wire: Wire; bundles: ViolationBundle[] } {
  const bundles: ViolationBundle[] = []
  const lie = (real: L2BlockSource): L2BlockSource => ({
    async payload(at) {
      const envelope = await real.payload(at)
      return envelope !== null && typeof at === 'number' && at === number() ? forged(envelope) : envelope
    },
    messagePasserStorageRoot: (block) => real.messagePasserStorageRoot(block),
  })
  const wire: Wire = (real) => ({
    ...real,
    l2: lie(real.l2),
    violations: {
      async write(bundle) {
        bundles.push(bundle)
        return `/data/violations/${bundles.length}`
      },
    },
  })
  return { wire, bundles }
}

async function worldWithSafeBlocks(): Promise<World> {
  const world = await createWorld()
  await world.advance(12)
  await world.batch()
  await world.advance(8)
  return world
}

describe('an execution client that lies', () => {
  it('stops the node when it reports another head than the one it accepted', async () => {
    const world = await worldWithSafeBlocks()
    let lieAt: number | null = null
    const { wire, bundles } = lyingAbout(() => lieAt)
    const follower = await world.addFollower('validator', { wire })
    await world.advance(4)
    lieAt = follower.heads().unsafe
    follower.consensus.driver.submit({ kind: 'reset', reason: 'a look at what the execution client has' })
    await assert.rejects(follower.settle(), {
      code: 'consensus/invariant',
      severity: 'critical',
      message: /accepted the heads, but has .* as block \d+ \(unsafe\).*heads-on-one-chain.*report written to \/data\/violations\/1/,
    })
    const [bundle] = bundles
    assert.equal(bundle?.name, 'heads-on-one-chain')
    assert.deepEqual(bundle?.move.kind === 'reset' && bundle.move.reason.kind, 'operator')
    assert.equal(bundle?.after.unsafe.number, lieAt)
    assert.equal(bundle?.l1.head?.hash, world.l1.head.hash)
    assert.match(bundle?.configHash ?? '', /^0x[0-9a-f]{64}$/)
    const actions = bundle?.trace.map(({ what }) => what) ?? []
    for (const what of ['input l1-head', 'input reset', 'newPayload', 'forkchoiceUpdated', 'reset begins'])
      assert.ok(actions.includes(what), what)
    await world.stop()
  })

  it('stops the node before it calls a block safe whose content changed after L1 confirmed it', async () => {
    const world = await createWorld()
    let lieAt: number | null = null
    const { wire, bundles } = lyingAbout(() => lieAt)
    const follower = await world.addFollower('validator', { wire })
    await world.advance(12)
    assert.equal(follower.heads().unsafe, 6)
    lieAt = 4
    await world.batch()
    world.l1.mine()
    await assert.rejects(follower.settle(), { code: 'consensus/invariant', message: /safe head 4 .* is not on the unsafe chain/ })
    assert.equal(bundles[0]?.before?.pendingSafe.number, 3)
    assert.equal(bundles[0]?.after.pendingSafe.number, 4)
    assert.equal(follower.heads().unsafe, 6)
    await world.stop()
  })

  it('stops the node also when no trace can be written', async () => {
    const world = await worldWithSafeBlocks()
    const { wire } = lyingAbout(() => 3)
    const follower = await world.addFollower('validator', {
      wire: (real) => ({ ...wire(real), violations: { write: () => Promise.reject(new Error('no space left on device')) } }),
    })
    await assert.rejects(
      async () => {
        await world.advance(4)
        follower.consensus.driver.submit({ kind: 'reset', reason: 'again' })
        await follower.settle()
        world.l1.reorg(6)
        await follower.settle()
      },
      { code: 'consensus/invariant', message: /could not be written: no space left on device/ },
    )
    await world.stop()
  })

  it('gets the finalized label again when it lost it in a crash', async () => {
    const world = await worldWithSafeBlocks()
    let forgets = false
    const follower = await world.addFollower('validator', {
      wire: (real) => ({
        ...real,
        l2: {
          payload: async (at) => (forgets && (at === 'finalized' || at === 'safe') ? null : real.l2.payload(at)),
          messagePasserStorageRoot: (block) => real.l2.messagePasserStorageRoot(block),
        },
      }),
    })
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(8)
    const { finalized } = follower.heads()
    assert.ok(finalized > 0)
    forgets = true
    follower.consensus.driver.submit({ kind: 'reset', reason: 'the execution client came back' })
    await follower.settle()
    assert.equal(follower.heads().finalized, finalized)
    await world.advance(4)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
    await world.stop()
  })
})
