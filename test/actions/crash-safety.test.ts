/** Batches are atomic, so truncation after each gives every state that a kill can leave. */
import assert from 'node:assert/strict'
import { type Block, blockToPayload, equalBytes, type Hash, ZERO_HASH } from '@keelson/primitives'
import { type Journey, runJourney } from '../support/crash-journey.ts'
import { createRecordingStore, ReplayedContents } from '../support/crash-store.ts'
import { assertWholeState, examine, reopen } from '../support/examine-store.ts'
import { createExecutionWorld } from '../support/execution-world.ts'

const BLOCKS = 1_000
const WHOLE_STATE_EVERY = 61
const GO_ON_EVERY = 97
const DISK_MARKER = Uint8Array.of(0x10, ...new TextEncoder().encode('disk'))

describe('execution: crash safety', () => {
  let journey: Journey
  const heads: Hash[] = []

  before(async () => {
    journey = await runJourney(BLOCKS)
  })
  after(() => journey.world.stop())

  it('opens after every batch with consistent chain, labels and state, and executes nothing again', async () => {
    const { chain, crypto } = journey.world
    const { batches } = journey.store
    const contents = new ReplayedContents()
    for (let count = 0; count <= batches.length; count++) {
      try {
        const store = contents.fork()
        const node = await reopen({ store, chain, crypto })
        heads.push(await examine(node))
        if (count % WHOLE_STATE_EVERY === 0 || wentBack(journey, count)) await assertWholeState(store, node)
        if (count % GO_ON_EVERY === 0) await goOn(journey, count, contents)
      } catch (error) {
        throw new Error(`cut after ${count} of ${batches.length} batches`, { cause: error })
      }
      contents.apply(batches[count]?.ops ?? [])
    }
    assert.equal(heads.at(-1), journey.world.node.chain.label('unsafe').hash)
  })

  it('loses no head that was answered before the kill', () => {
    const { answered, store } = journey
    for (const [i, { batches, head }] of answered.entries()) {
      const next = answered[i + 1]
      for (let count = batches; count < (next?.batches ?? store.batches.length); count++) {
        if (heads[count] === head || heads[count] === next?.head || wentBack(journey, count)) continue
        assert.fail(`after ${count} batches the head is ${heads[count]}; expected ${head}`)
      }
    }
  })

  it('has an ancestor of the last head while the state goes back', () => {
    assert.equal(journey.goingBack.length, 2)
    for (const [from, to] of journey.goingBack) {
      const before = lineage(journey, heads[from] as Hash)
      const lowered = heads.slice(from, to).filter((head) => head !== heads[from])
      assert.ok(lowered.length > 1)
      for (const head of lowered) assert.ok(before.has(head))
    }
  })

  it('loses no block of its own that others may have when the power fails', () => {
    let own = 0
    for (const { batches, head, own: built } of journey.answered) {
      if (!built) continue
      own++
      const synced = journey.store.batches.slice(0, batches).findLastIndex(({ sync }) => sync) + 1
      assert.equal(heads[synced], head)
    }
    assert.ok(own > BLOCKS / 2)
  })

  it('waits for the disk with a recent block of its own, and not with one too old to be published', async () => {
    const store = createRecordingStore()
    const world = await createExecutionWorld({ store })
    const syncsOf = async (ageMs: number) => {
      const from = store.batches.length
      await world.clock.advanceTo(world.clock.nowMs() + ageMs)
      await world.mine()
      return store.batches.slice(from).some(({ sync }) => sync)
    }
    assert.equal(await syncsOf(0), true)
    assert.equal(await syncsOf(50_000), true)
    assert.equal(await syncsOf(20_000), false)
    await world.stop()
  })

  it('covers every kind of write in the run', () => {
    const removed = journey.answered.filter(({ head }, i) => {
      const before = journey.answered[i - 1]
      return before !== undefined && journey.blocks.get(head)?.header.parentHash !== before.head
    })
    assert.ok(journey.blocks.size === BLOCKS && removed.length > 50)
    const flattened = journey.store.batches.filter(({ ops }) => ops.some((op) => 'put' in op && equalBytes(op.put, DISK_MARKER)))
    assert.ok(journey.store.batches.length > 2 * BLOCKS && flattened.length > BLOCKS / 20, 'batches A, C and B')
    assert.ok(journey.store.batches.some(({ sync }) => !sync))
  })
})

function wentBack({ goingBack }: Journey, count: number): boolean {
  return goingBack.some(([from, to]) => count >= from && count < to)
}

function lineage({ blocks }: Journey, head: Hash): ReadonlySet<Hash> {
  const found = new Set<Hash>()
  for (let at = blocks.get(head); at !== undefined; at = blocks.get(at.header.parentHash)) found.add(at.hash)
  return found
}

async function goOn(journey: Journey, count: number, contents: ReplayedContents): Promise<void> {
  const { chain, crypto } = journey.world
  const store = contents.fork()
  const node = await reopen({ store, chain, crypto })
  await node.start(new AbortController().signal)
  for (const { head } of journey.answered.filter(({ batches }) => batches > count).slice(0, 2)) {
    const missing: Block[] = []
    for (
      let at = journey.blocks.get(head);
      at !== undefined && node.chain.header(at.hash) === null;
      at = journey.blocks.get(at.header.parentHash)
    ) {
      missing.unshift(at)
    }
    for (const block of missing) {
      const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
      assert.equal((await node.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
    }
    const { status } = await node.engine.forkchoiceUpdated({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
    assert.equal(status.status, 'VALID')
    assert.equal(await examine(node), head)
  }
  await node.settled()
  await assertWholeState(store, node)
  await node.stop()
}
