import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import { createManualClock, createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, SILENT_LOG } from '../../../../../test/support/execution-world.ts'
import { type HeaderAnswer, headerPeer, headersOn, serveHeaders, type TestHeader } from '../../../../../test/support/header-chain.ts'
import { createPeerList } from '../../../../../test/support/sync-peers.ts'
import { createPeerPool } from '../peers/peer-pool.ts'
import { Skeleton } from './skeleton.ts'
import { SkeletonStore } from './skeleton-store.ts'

const { signal } = new AbortController()
const last = (headers: readonly TestHeader[]) => headers.at(-1) as TestHeader

describe('the skeleton of a sync', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await createExecutionWorld()
  })
  after(() => world.stop())

  const genesis = () => world.node.chain.genesis

  function open(answers: Readonly<Record<string, HeaderAnswer>>, options: { store?: KeyValueStore; invalid?: Hash } = {}) {
    const store = options.store ?? createMemoryStore()
    const peers = createPeerList(Object.entries(answers).map(([id, answer]) => headerPeer(id, answer)))
    const clock = createManualClock()
    const pool = createPeerPool({ peers, clock, log: SILENT_LOG })
    const isInvalid = (hash: Hash) => hash === options.invalid
    return { store, peers, clock, skeleton: new Skeleton({ store: new SkeletonStore(store), pool, chain: world.node.chain, isInvalid }) }
  }

  function assertHolds(skeleton: Skeleton, chain: readonly TestHeader[]): void {
    for (const { hash, header } of chain) assert.equal(skeleton.header(header.number)?.hash, hash, `header ${header.number}`)
    assert.deepEqual(
      skeleton.segments.map(({ head, tail }) => [tail, head]),
      [[chain[0]?.header.number, last(chain).header.number]],
    )
  }

  it('reaches from the target to the genesis block, with headers of several peers', async () => {
    const chain = headersOn(genesis(), 6_000)
    const served: Record<string, number> = { a: 0, b: 0, c: 0 }
    const counting = (id: string): HeaderAnswer => {
      const serve = serveHeaders(chain)
      return (request, over) => {
        served[id] = (served[id] ?? 0) + 1
        return serve(request, over)
      }
    }
    const { skeleton } = open({ a: counting('a'), b: counting('b'), c: counting('c') })
    await skeleton.setHead(last(chain))
    const filled = await skeleton.fill(signal)
    assert.deepEqual(filled, { kind: 'linked', parent: genesis() })
    assertHolds(skeleton, chain)
    for (const [id, requests] of Object.entries(served)) assert.ok(requests > 0, `peer ${id} served nothing`)
  })

  it('takes the next block without a request', async () => {
    const chain = headersOn(genesis(), 20)
    const { skeleton, peers } = open({ a: serveHeaders(chain) })
    await skeleton.setHead(chain[18] as TestHeader)
    await skeleton.fill(signal)
    peers.leave('a')
    await skeleton.setHead(last(chain))
    assert.equal((await skeleton.fill(signal)).kind, 'linked')
    assertHolds(skeleton, chain)
  })

  it('fills the gap below a target that moved on by several blocks, and fetches nothing twice', async () => {
    const chain = headersOn(genesis(), 100)
    const asked: number[] = []
    const serve = serveHeaders(chain)
    const { skeleton } = open({
      a: (request, over) => {
        asked.push(request.count)
        return serve(request, over)
      },
    })
    await skeleton.setHead(chain[89] as TestHeader)
    await skeleton.fill(signal)
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    assertHolds(skeleton, chain)
    assert.deepEqual(asked, [89, 9])
  })

  it('replaces the headers above a fork when the target moves to another branch', async () => {
    const old = headersOn(genesis(), 900)
    const branch = [...old.slice(0, 300), ...headersOn(old[299] as TestHeader, 500, 1)]
    for (const target of [branch.length - 1, 650]) {
      const { skeleton } = open({ a: serveHeaders(branch, old), b: serveHeaders(old, branch) })
      await skeleton.setHead(last(old))
      await skeleton.fill(signal)
      await skeleton.setHead(branch[target] as TestHeader)
      assert.equal((await skeleton.fill(signal)).kind, 'linked')
      assertHolds(skeleton, branch.slice(0, target + 1))
      assert.equal(skeleton.header(target + 2), null, 'nothing is left above the target')
    }
  })

  it('is cut to a target inside of it', async () => {
    const chain = headersOn(genesis(), 50)
    const { skeleton } = open({ a: serveHeaders(chain) })
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    await skeleton.setHead(chain[20] as TestHeader)
    assertHolds(skeleton, chain.slice(0, 21))
  })

  it('continues after a kill behind every write, through gaps and branches', async () => {
    const old = headersOn(genesis(), 1_200)
    const branch = [...old.slice(0, 700), ...headersOn(old[699] as TestHeader, 900, 1)]
    const memory = createMemoryStore()
    let writes = 0
    const killed: KeyValueStore = {
      ...memory,
      getSync: (key) => memory.getSync(key),
      range: (from, to, options) => memory.range(from, to, options),
      async batch(ops) {
        await memory.batch(ops)
        if (++writes % 2 === 0) throw new Error('killed')
      },
    }
    let kills = 0
    async function run(target: TestHeader): Promise<void> {
      for (;;) {
        const { skeleton } = open({ a: serveHeaders(branch, old), b: serveHeaders(old, branch) }, { store: killed })
        try {
          await skeleton.setHead(target)
          await skeleton.fill(signal)
          return
        } catch (error) {
          assert.match(String(error), /killed/)
          kills++
        }
      }
    }
    for (const target of [old[1_000], old[1_199], branch[1_100], branch[1_599]]) await run(target as TestHeader)
    assert.ok(kills > 3, `${kills} kills`)
    assertHolds(open({}, { store: memory }).skeleton, branch)
  })

  const LIES: Readonly<Record<string, (honest: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
    garbage: (honest) => honest.map(() => Uint8Array.of(0xc1, 0x80)),
    'no bytes': () => [new Uint8Array(0)],
    'another first header': (honest) => honest.slice(1),
    'a missing header': (honest) => honest.filter((_, i) => i !== 1),
    'ascending order': (honest) => [...honest].reverse(),
    'more than was asked for': (honest) => [...honest, ...honest],
    'a changed header': (honest) =>
      honest.map((raw, i) => (i === 1 ? Uint8Array.from(raw, (byte, at) => (at === raw.length - 1 ? byte ^ 1 : byte)) : raw)),
    'a header with a foreign parent': (honest) => [honest[0] as Uint8Array, last(headersOn(genesis(), 400, 9)).raw],
  }
  for (const [lie, tell] of Object.entries(LIES)) {
    it(`drops a peer that sends ${lie}, and finishes with another one`, async () => {
      const chain = headersOn(genesis(), 700)
      const honest = serveHeaders(chain)
      const { skeleton, peers } = open({
        liar: async (request, over) => tell(await honest({ ...request, count: request.count }, over)),
        honest,
      })
      await skeleton.setHead(last(chain))
      await skeleton.fill(signal)
      assertHolds(skeleton, chain)
      assert.deepEqual(
        peers.list().map(({ id }) => id),
        ['honest'],
      )
    })
  }

  it('is not misled by a peer with a whole chain of its own', async () => {
    const chain = headersOn(genesis(), 5_000)
    const own = headersOn(genesis(), 5_000, 7)
    const { skeleton } = open({ other: serveHeaders(chain.slice(-1), own), honest: serveHeaders(chain) })
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    assertHolds(skeleton, chain)
  })

  it('accepts short responses', async () => {
    const chain = headersOn(genesis(), 1_300)
    const serve = serveHeaders(chain)
    const { skeleton } = open({ a: async (request, over) => serve({ ...request, count: Math.min(request.count, 100) }, over) })
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    assertHolds(skeleton, chain)
  })

  it('says that a chain has another genesis block', async () => {
    const foreign = headersOn({ ...genesis(), hash: `0x${'77'.repeat(32)}` as Hash }, 600)
    const { skeleton } = open({ a: serveHeaders(foreign) })
    await skeleton.setHead(last(foreign))
    const filled = await skeleton.fill(signal)
    assert.ok(filled.kind === 'foreign')
    assert.match(filled.reason, /does not descend from the genesis block/)
  })

  it('stops at a block that is known as invalid', async () => {
    const chain = headersOn(genesis(), 600)
    const invalid = (chain[100] as TestHeader).hash
    const { skeleton } = open({ a: serveHeaders(chain) }, { invalid })
    await skeleton.setHead(last(chain))
    assert.deepEqual(await skeleton.fill(signal), { kind: 'invalid', ancestor: invalid })
  })

  it('deletes headers that were executed, and all of them at the end', async () => {
    const chain = headersOn(genesis(), 30)
    const { skeleton, store } = open({ a: serveHeaders(chain) })
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    await skeleton.consume(chain[9] as TestHeader)
    assertHolds(skeleton, chain.slice(10))
    assert.equal(skeleton.header(5), null)
    await skeleton.consume(last(chain))
    assert.deepEqual(skeleton.segments, [])
    await new SkeletonStore(store).tidy()
    assert.equal(skeleton.header(30), null)
  })

  it('deletes at the next start what a kill left behind', async () => {
    const chain = headersOn(genesis(), 30)
    const { skeleton, store } = open({ a: serveHeaders(chain) })
    await skeleton.setHead(last(chain))
    await skeleton.fill(signal)
    const reopened = new SkeletonStore(store)
    await reopened.write([{ head: 20, headHash: (chain[19] as TestHeader).hash, tail: 10, tailParent: (chain[8] as TestHeader).hash }])
    await reopened.tidy()
    assert.deepEqual(
      chain.map(({ header }) => header.number).filter((number) => reopened.header(number) !== null),
      [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
    )
  })
})
