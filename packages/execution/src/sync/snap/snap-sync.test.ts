import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, keccak256 } from '@keelson/primitives'
import { createManualClock, createSeededRandom } from '@keelson/runtime'
import { createMemoryKeyValueStore, type KeyValueStore, openStateStore, type StateBlock, walkTables } from '@keelson/state'
import { createPeerPool } from '../peers/peer-pool.ts'
import type { PeerList } from '../ports.ts'
import { listOf, localPeer } from './local-peer.test-support.ts'
import type { SnapPeer } from './ports.ts'
import { SILENT } from './snap-link.test-support.ts'
import type { SnapRequestKind } from './snap-requests.ts'
import { createSnapSync, type Pivots } from './snap-sync.ts'
import { account, addressOf, changeOf, createStateChain, randomChanges, type StateChain, slotOf } from './state-chain.test-support.ts'

const CODE = new Uint8Array(60).fill(3)
const LARGE_SLOTS = 16_000
const SIGNAL = new AbortController().signal

/** One storage needs several responses, some hundred are small. */
function alloc(accounts: number, largeSlots = LARGE_SLOTS) {
  return Array.from({ length: accounts }, (_, i) =>
    account(i, i % 10 === 0 ? CODE : undefined, i === 0 ? largeSlots : i % 5 === 0 ? 12 : 0),
  )
}

class MovingPivot implements Pivots {
  private readonly listeners = new Set<() => void>()
  private readonly served: StateChain
  private number: number
  constructor(served: StateChain, number: number) {
    this.served = served
    this.number = number
  }
  current(): StateBlock {
    return this.served.at(this.number)
  }
  move(number: number): void {
    this.number = number
    for (const listener of this.listeners) listener()
  }
  onChange(listener: () => void) {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}

async function syncInto(store: KeyValueStore, peers: PeerList<SnapPeer>, pivots: Pivots) {
  const state = await openStateStore(store)
  const pool = createPeerPool<SnapPeer, SnapRequestKind>({ peers, clock: createManualClock(0), log: SILENT })
  try {
    return { state, pivot: await createSnapSync({ state, pool, pivots, log: SILENT }).run(SIGNAL) }
  } finally {
    pool.close()
  }
}

async function assertHolds(store: KeyValueStore, block: StateBlock): Promise<void> {
  const nodes = new Map<string, string>()
  const walked = await walkTables(store, {
    node: (key, rlp) => nodes.set(bytesToHex(key), bytesToHex(rlp)),
    problem: (owner, what) => assert.fail(`${bytesToHex(owner)}: ${what}`),
    breathe: () => Promise.resolve(),
  })
  assert.equal(bytesToHex(walked.root), block.stateRoot)
  const stored = new Map<string, string>()
  for await (const [key, rlp] of store.range(Uint8Array.of(0x14), Uint8Array.of(0x16))) stored.set(bytesToHex(key), bytesToHex(rlp))
  assert.deepEqual(stored, nodes)
}

/** Fails every write from the `batches`th on, as if the process were gone. */
function dyingStore(store: KeyValueStore, batches: number): KeyValueStore {
  let left = batches
  return {
    ...store,
    async batch(ops, options) {
      if (left-- <= 0) throw new Error('killed')
      await store.batch(ops, options)
    },
  }
}

describe('snap sync', () => {
  it('fetches the state of the pivot: accounts, storages, a large one in parts, and codes', async () => {
    const served = await createStateChain(alloc(800))
    const store = createMemoryKeyValueStore()
    const peers = [localPeer(served, 'a'), localPeer(served, 'b')]
    const { state, pivot } = await syncInto(store, listOf(...peers), new MovingPivot(served, 0))
    assert.deepEqual(pivot, served.at(0))
    assert.deepEqual(state.disk, pivot)
    await assertHolds(store, pivot)
    assert.deepEqual(state.code(keccak256(CODE)), CODE)
    assert.equal(state.viewAt(pivot.hash)?.account(hexToBytes(addressOf(7)))?.balanceWei, 7n * 10n ** 15n)
    for (const peer of peers) assert.ok(peer.requests > 0 && peer.faults.length === 0)
  })

  it('fetches a state without accounts', async () => {
    const served = await createStateChain([])
    const store = createMemoryKeyValueStore()
    await assert.doesNotReject(syncInto(store, listOf(localPeer(served, 'a')), new MovingPivot(served, 0)))
  })

  it('heals what changed while the pivot moved: balances, slots, new and deleted accounts', async () => {
    const random = createSeededRandom(11)
    const served = await createStateChain(alloc(800))
    const pivots = new MovingPivot(served, 0)
    const peer = localPeer(served, 'a', {
      async beforeAnswer({ requests }) {
        if (requests % 7 !== 0 || requests > 120) return
        const gone = { ...changeOf(10 * requests, 0n), deleted: true }
        const slots = [0, 1, 2].map((n) => [slotOf(n + requests), slotOf(n % 2 === 0 ? 0 : requests)] as const)
        const block = await served.extend([
          ...randomChanges(random, 200, 30),
          gone,
          changeOf(0, BigInt(requests), slots),
          changeOf(5_000 + requests, 1n),
        ])
        pivots.move(block.number)
      },
    })
    const store = createMemoryKeyValueStore()
    const { pivot } = await syncInto(store, listOf(peer), pivots)
    assert.ok(pivot.number > 5)
    assert.deepEqual(pivot, served.head)
    await assertHolds(store, pivot)
  })

  it('survives ten kills at random points, with the root equal', async () => {
    const random = createSeededRandom(5)
    const served = await createStateChain(alloc(800))
    const store = createMemoryKeyValueStore()
    let kills = 0
    for (let finished = false; !finished; ) {
      const block = await served.extend(randomChanges(random, 300, 20))
      const dying = kills < 10 ? dyingStore(store, Math.floor(random.next() * 4)) : store
      try {
        const { pivot } = await syncInto(dying, listOf(localPeer(served, 'a')), new MovingPivot(served, block.number))
        await assertHolds(store, pivot)
        finished = true
      } catch (error) {
        assert.match(String(error), /killed/)
        kills++
      }
    }
    assert.equal(kills, 10)
  })

  interface Response {
    accounts: unknown[]
    slots: { value: Uint8Array }[][]
    proof: Uint8Array[]
  }
  const LIES: Record<string, readonly [code: number, lie: (response: Response & Uint8Array[]) => unknown]> = {
    'drops an account': [1, ({ accounts }) => accounts.splice(1, 1)],
    'proves that no account is left where some are': [1, ({ accounts }) => accounts.splice(0)],
    'sends accounts out of order': [1, ({ accounts }) => accounts.reverse()],
    'sends an account twice': [1, ({ accounts }) => accounts.splice(1, 0, accounts[0])],
    'sends accounts without a proof': [1, ({ proof }) => proof.splice(0)],
    'changes a slot': [3, ({ slots }) => slots.flat().map((slot) => Object.assign(slot, { value: Uint8Array.of(1) }))],
    'sends the slots of other accounts': [3, ({ slots }) => slots.reverse()],
    'sends slots of more accounts than were asked for': [3, ({ slots }) => slots.push(...slots, ...slots)],
    'sends a storage without slots': [3, ({ slots }) => slots.map((entries) => entries.splice(0))],
    'sends another code': [5, (codes) => codes.map((code) => code.fill(1))],
    'sends more codes than were asked for': [5, (codes) => codes.push(...codes, ...codes)],
    'sends another trie node': [7, (nodes) => nodes.map((node) => node.fill(1))],
    'sends trie nodes out of order': [7, (nodes) => (nodes.length > 1 ? nodes.reverse() : nodes[0]?.fill(1))],
    'sends more trie nodes than were asked for': [7, (nodes) => nodes.push(...nodes, ...nodes)],
  }
  for (const [lie, [code, change]] of Object.entries(LIES)) {
    it(`goes on without a peer that ${lie}`, async () => {
      const served = await createStateChain(alloc(400, 50))
      const pivots = new MovingPivot(served, 0)
      let moved = false
      const beforeAnswer = async ({ requests }: { readonly requests: number }) => {
        if (moved || requests < 25) return
        moved = true
        pivots.move((await served.extend(randomChanges(createSeededRandom(2), 300, 50))).number)
      }
      const liar = localPeer(served, 'liar', {
        beforeAnswer,
        change(message) {
          if (message.code !== code) return message
          const response = structuredClone(message.response) as never as Response & Uint8Array[]
          change(response)
          return { ...message, response } as never
        },
      })
      const honest = localPeer(served, 'honest', { beforeAnswer })
      // The other one joins when the liar has been caught.
      const peers = { list: () => (liar.faults.length === 0 ? [liar] : [liar, honest]), onChange: () => () => undefined }
      const store = createMemoryKeyValueStore()
      const { pivot } = await syncInto(store, peers, pivots)
      await assertHolds(store, pivot)
      assert.deepEqual(new Set(liar.faults.map((fault) => fault.kind)), new Set(['invalid']))
      assert.deepEqual(
        honest.faults.filter((fault) => fault.kind === 'invalid'),
        [],
      )
    })
  }

  it('does not wait for peers that send one account and one slot at a time while another sends many', async () => {
    const served = await createStateChain(alloc(3_000, 3_000))
    const tiny = ['a', 'b', 'c'].map((id) => {
      const peer = localPeer(served, id)
      const accountRange: SnapPeer['accountRange'] = (request, signal) => peer.accountRange({ ...request, bytes: 0 }, signal)
      const storageRanges: SnapPeer['storageRanges'] = (request, signal) => peer.storageRanges({ ...request, bytes: 0 }, signal)
      return { ...peer, accountRange, storageRanges, requests: () => peer.requests }
    })
    const store = createMemoryKeyValueStore()
    const { pivot } = await syncInto(store, listOf(...tiny, localPeer(served, 'honest')), new MovingPivot(served, 0))
    await assertHolds(store, pivot)
    const asked = tiny.reduce((sum, { requests }) => sum + requests(), 0)
    // Two requests at once of each peer, for accounts and for slots; the clock stands still, so they rest from then on.
    assert.ok(asked <= 12, `${asked} requests to peers that make no progress`)
  })

  it('leaves a store alone whose download was of another release', async () => {
    const store = createMemoryKeyValueStore()
    const state = await openStateStore(store)
    await (await state.download()).write({ accounts: [], codes: [], progress: Uint8Array.of(0xc1, 9) })
    const served = await createStateChain(alloc(10, 0))
    await assert.rejects(syncInto(store, listOf(localPeer(served, 'a')), new MovingPivot(served, 0)), { code: 'execution/corrupt-record' })
  })
})
