import assert from 'node:assert/strict'
import { type Hash, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { createSeededRandom, type KeyValueStore } from '@keelson/runtime'
import { blockPlaceOf } from '../../packages/consensus/src/blocks/block-place.ts'
import { BUCKETS } from '../../packages/consensus/src/store/buckets.ts'
import { createMortal, type Mortal } from '../support/mortal.ts'
import { createWorld, type Wire, type World } from '../support/world.ts'

const WALKS = 12
const STEPS = 40

interface Ledger {
  readonly signed: PayloadEnvelope[]
  readonly wire: Wire
  store(): KeyValueStore
  life: Mortal
}

function createLedger(): Ledger {
  let current: KeyValueStore | null = null
  const ledger: Ledger = {
    signed: [],
    life: createMortal(),
    store: () => current as KeyValueStore,
    wire(real) {
      const { life } = ledger
      current = real.store
      const { gossip } = real
      assert.ok(gossip !== null)
      return {
        ...real,
        store: life.store(real.store),
        gossip: {
          ...gossip,
          async publish(envelope) {
            if (!life.alive) return
            ledger.signed.push(envelope)
            await gossip.publish(envelope)
          },
        },
      }
    },
  }
  return ledger
}

function assertOneBlockAtAPlace({ signed }: Ledger): void {
  const places = new Map<string, Hash>()
  for (const envelope of signed) {
    const place = JSON.stringify(blockPlaceOf(envelope))
    const known = places.get(place) ?? envelope.payload.blockHash
    assert.equal(envelope.payload.blockHash, known, `two blocks signed at ${place}`)
    places.set(place, known)
  }
}

async function addTransaction(world: World, from: number): Promise<void> {
  const { execution } = world.sequencer
  const tx = execution.transfer(from, `0x${'aa'.repeat(20)}`, 1_000n)
  await execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`).catch(() => undefined)
}

async function loseBlocksAbove(world: World, number: number): Promise<void> {
  const { engine, l2Source } = world.sequencer.execution
  const head = (await l2Source.payload(number))?.payload.blockHash
  assert.ok(head !== undefined)
  await engine.forkchoiceUpdated({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
  await world.sequencer.restart()
}

const numbers = (blocks: readonly PayloadEnvelope[]) => blocks.map(({ payload }) => payload.blockNumber)

describe('a sequencer that signs blocks', () => {
  it('restores blocks that the execution client lost exactly as it signed them', async () => {
    const ledger = createLedger()
    const world = await createWorld({ wire: ledger.wire })
    const follower = await world.addFollower('validator')
    await world.advance(6)
    await addTransaction(world, 1)
    await world.advance(4)
    const before = await Promise.all([3, 4, 5].map((number) => world.sequencer.hashAt(number)))
    await loseBlocksAbove(world, 2)
    await addTransaction(world, 2)
    await world.advance(4)
    assert.deepEqual(await Promise.all([3, 4, 5].map((number) => world.sequencer.hashAt(number))), before)
    assert.equal(world.sequencer.log.matching('resuming a block that this node signed').length, 3)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
    assert.equal(await follower.hashAt(7), await world.sequencer.hashAt(7))
    assertOneBlockAtAPlace(ledger)
    await world.stop()
  })

  it('rebuilds signed blocks that no longer exist without signing them, and logs it once', async () => {
    const ledger = createLedger()
    const world = await createWorld({ wire: ledger.wire })
    await world.advance(4)
    for (let from = 1; from <= 3; from++) {
      await addTransaction(world, from)
      await world.advance(2)
    }
    const signed = ledger.signed.length
    const whole = Uint8Array.of(BUCKETS.signedPayload)
    const keys: Uint8Array[] = []
    for await (const [key] of ledger.store().range(whole, Uint8Array.of(BUCKETS.signedPayload + 1))) keys.push(key)
    assert.equal(keys.length, 5)
    await ledger.store().batch(keys.map((del) => ({ del })))
    await loseBlocksAbove(world, 2)
    await addTransaction(world, 4)
    await world.advance(6)
    assert.equal(world.sequencer.heads().unsafe, 8)
    const after = numbers(ledger.signed.slice(signed))
    assert.ok(
      [3, 4, 5].some((number) => !after.includes(number)),
      `signed ${after}`,
    )
    assert.equal(after.at(-1), 8)
    assert.equal(world.sequencer.log.matching('neither signed nor gossiped').length, 1)
    assert.equal(world.sequencer.log.matching('signed and gossiped again').length, 1)
    assertOneBlockAtAPlace(ledger)
    await world.stop()
  })

  it('does not sign earlier heights again with an empty or old store, whatever L1 does', async () => {
    const ledger = createLedger()
    const world = await createWorld({ wire: ledger.wire })
    await world.advance(20)
    assert.equal(world.sequencer.heads().unsafe, 10)
    await world.sequencer.loseConsensusStore()
    await world.advance(2)
    const signed = ledger.signed.length
    world.l1.reorg(3, { newBlocks: 4 })
    await world.advance(10)
    const after = ledger.signed.slice(signed)
    assert.ok(after.length > 0)
    assert.ok(Math.min(...numbers(after)) > 10, `signed ${numbers(after)}`)
    assertOneBlockAtAPlace(ledger)
    await world.stop()
  })

  it('does not sign heights again with an empty store and an execution client that lost its newest blocks', async () => {
    const ledger = createLedger()
    const world = await createWorld({ wire: ledger.wire })
    await world.advance(20)
    const { engine, l2Source } = world.sequencer.execution
    const head = (await l2Source.payload(8))?.payload.blockHash
    assert.ok(head !== undefined)
    await engine.forkchoiceUpdated({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
    await world.sequencer.loseConsensusStore()
    await addTransaction(world, 1)
    const signed = ledger.signed.length
    await world.advance(20)
    assert.equal(world.sequencer.heads().unsafe, 20)
    const after = numbers(ledger.signed.slice(signed))
    assert.ok(Math.min(...after) > 10 && after.at(-1) === 20, `signed ${after}`)
    assertOneBlockAtAPlace(ledger)
    await world.stop()
  })

  it('builds and signs new blocks when the L1 origin of signed ones was replaced', async () => {
    const ledger = createLedger()
    const world = await createWorld({ wire: ledger.wire })
    const follower = await world.addFollower('validator')
    await world.advance(20)
    const signed = ledger.signed.length
    world.l1.reorg(2, { newBlocks: 3 })
    await world.advance(8)
    assert.ok(Math.min(...numbers(ledger.signed.slice(signed))) <= 10)
    assert.equal(world.sequencer.log.matching('resuming a block that this node signed').length, 0)
    assert.equal(await follower.hashAt(follower.heads().unsafe), await world.sequencer.hashAt(follower.heads().unsafe))
    assertOneBlockAtAPlace(ledger)
    await world.stop()
  })

  it('does not sign when its record cannot be written', async () => {
    const ledger = createLedger()
    let broken = false
    const world = await createWorld({
      wire(real) {
        const wired = ledger.wire(real)
        const batch: KeyValueStore['batch'] = async (ops, options) => {
          if (broken && options?.sync === true) throw new Error('no space left on device')
          return wired.store.batch(ops, options)
        }
        return { ...wired, store: { ...wired.store, batch } }
      },
    })
    await world.advance(4)
    broken = true
    await world.advance(4)
    assert.deepEqual(numbers(ledger.signed), [1, 2])
    broken = false
    await world.advance(4)
    assert.deepEqual(numbers(ledger.signed), [1, 2, 5, 6])
    await world.stop()
  })

  for (let seed = 1; seed <= WALKS; seed++) {
    it(`never signs twice when it is killed repeatedly, walk ${seed}`, async () => {
      const random = createSeededRandom(seed)
      const pick = (n: number) => Math.floor(random.next() * n)
      const ledger = createLedger()
      const world = await createWorld({ wire: ledger.wire })
      const node = world.sequencer
      let kills = 0
      const comeBack = async () => {
        ledger.life = createMortal()
        const head = node.execution.node.chain.label('unsafe').header.number
        if (pick(2) === 0 && head > 2) await loseBlocksAbove(world, head - 1 - pick(2))
        else await node.restart()
        kills++
      }
      for (let step = 0; step < STEPS; step++) {
        if (pick(2) === 0) await addTransaction(world, pick(10))
        if (pick(4) === 0) ledger.life.dieAt(1 + pick(4), pick(2) === 0)
        if (pick(12) === 0 && world.l1.head.number > 4) world.l1.reorg(1 + pick(2), { newBlocks: 3 })
        await world.clock.advance(2_000)
        world.l1.mineUntil(Math.floor(world.clock.nowMs() / 1000))
        await Promise.race([node.settle(), ledger.life.death])
        if (!ledger.life.alive) await comeBack()
      }
      assert.ok(kills > 2, `${kills} kills`)
      ledger.life = createMortal()
      await node.restart()
      const [signed, before] = [ledger.signed.length, node.heads().unsafe]
      await world.advance(40)
      assert.ok(ledger.signed.length > signed, 'it signs again')
      assert.ok(node.heads().unsafe > before)
      assertOneBlockAtAPlace(ledger)
      await world.stop()
    })
  }
})
