import assert from 'node:assert/strict'
import { EMPTY_CODE_HASH_BYTES, hexToBytes, keccak256, type RlpInput, rlpEncode } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { decodeSlimAccount, encodeTrieAccount, type RangeEntry, verifyRange } from '@keelson/state'
import { openSnapLink, SILENT, type SnapLink } from '../../sync/snap/snap-link.test-support.ts'
import { account, addressOf, changeOf, createStateChain, randomChanges, type StateChain } from '../../sync/snap/state-chain.test-support.ts'
import { decodeIdentified, encodeIdentified } from '../requests/identified.ts'
import { createServing } from '../requests/serving.ts'
import { createSessionWorld, SNAP_1 } from '../rlpx/session-world.test-support.ts'
import { SNAP_CODES } from './codes.ts'
import { createSnapService } from './snap-service.ts'

const ACCOUNTS = 300
const BLOCKS = 130
const CODE = new Uint8Array(50).fill(9)
const FIRST = new Uint8Array(32)
const LAST = new Uint8Array(32).fill(0xff)
const SIGNAL = new AbortController().signal
const rootAt = (world: StateChain, number: number) => hexToBytes(world.at(number).stateRoot)
const hashOf = (i: number) => keccak256(hexToBytes(addressOf(i)))

function next(key: Uint8Array): Uint8Array {
  const out = key.slice()
  for (let i = 31; i >= 0; i--) {
    out[i] = (out[i] as number) + 1
    if (out[i] !== 0) break
  }
  return out
}

describe('serving states over snap/1', () => {
  let served: StateChain
  let link: SnapLink

  before(async () => {
    const random = createSeededRandom(3)
    served = await createStateChain(Array.from({ length: ACCOUNTS }, (_, i) => account(i, i === 0 ? CODE : undefined, i < 3 ? 400 : 0)))
    for (let i = 0; i < BLOCKS; i++) {
      await served.extend([...randomChanges(random, ACCOUNTS, 5), changeOf(ACCOUNTS + i, 1n)])
      if (i % 40 === 39) while ((await served.state.flatten(served.head.hash, served.head.number - 60)) !== null);
    }
  })
  beforeEach(async () => {
    link = await openSnapLink(served)
  })
  afterEach(() => {
    // It waits for a clock that stands still.
    void link.session.disconnect('quitting')
  })

  async function allAccounts(root: Uint8Array, bytes: number): Promise<RangeEntry[]> {
    const all: RangeEntry[] = []
    let origin: Uint8Array = FIRST
    for (let more = true; more; ) {
      const { accounts, proof } = await link.peer.accountRange({ root, origin, limit: LAST, bytes }, SIGNAL)
      const entries = accounts.map(({ key, value }) => ({ key, value: encodeTrieAccount(decodeSlimAccount(value)) }))
      const verdict = verifyRange({ root, origin, entries, proof })
      assert.ok(verdict.valid, verdict.valid ? '' : verdict.reason)
      all.push(...entries)
      more = verdict.more
      origin = next(entries.at(-1)?.key ?? LAST)
    }
    return all
  }

  for (const age of [0, 64, 127]) {
    it(`yields every account of the state ${age} blocks ago, in ranges with proofs`, async () => {
      const number = served.head.number - age
      const all = await allAccounts(rootAt(served, number), 3_000)
      assert.equal(all.length, ACCOUNTS + number)
    })
  }

  it('answers for an older state, and for an unknown one, with nothing', async () => {
    for (const root of [rootAt(served, served.head.number - 128), FIRST]) {
      assert.deepEqual(await link.peer.accountRange({ root, origin: FIRST, limit: LAST, bytes: 3_000 }, SIGNAL), {
        accounts: [],
        proof: [],
      })
      const ranges = { root, accounts: [hashOf(1)], origin: FIRST, limit: LAST, bytes: 3_000 }
      assert.deepEqual(await link.peer.storageRanges(ranges, SIGNAL), { slots: [], proof: [] })
      assert.deepEqual(await link.peer.trieNodes({ root, paths: [[Uint8Array.of(0)]], bytes: 3_000 }, SIGNAL), [])
    }
  })

  it('ends a range with the first account at or above its limit, and proves that none is left at the end', async () => {
    const root = rootAt(served, served.head.number)
    const [first, second] = (await allAccounts(root, 3_000)) as [RangeEntry, RangeEntry]
    const limited = await link.peer.accountRange({ root, origin: FIRST, limit: next(first.key), bytes: 3_000 }, SIGNAL)
    assert.deepEqual(
      limited.accounts.map((entry) => entry.key),
      [first.key, second.key],
    )
    const end = await link.peer.accountRange({ root, origin: LAST, limit: LAST, bytes: 3_000 }, SIGNAL)
    assert.deepEqual(end.accounts, [])
    assert.deepEqual(verifyRange({ root, origin: LAST, entries: [], proof: end.proof }), { valid: true, more: false })
  })

  it('yields whole storages without a proof, and a cut one with a proof', async () => {
    const root = rootAt(served, served.head.number)
    const accounts = [hashOf(1), hashOf(2)]
    const whole = await link.peer.storageRanges({ root, accounts, origin: FIRST, limit: LAST, bytes: 100_000 }, SIGNAL)
    assert.deepEqual(
      whole.slots.map((slots) => slots.length),
      [400, 400],
    )
    assert.equal(whole.proof.length, 0)
    const cut = await link.peer.storageRanges({ root, accounts, origin: FIRST, limit: LAST, bytes: 20_000 }, SIGNAL)
    assert.equal(cut.slots.length, 2)
    const storageRoot = served.state.rangesAt(served.head)?.storage(hashOf(2))?.root as Uint8Array
    const [, entries] = cut.slots as [RangeEntry[], RangeEntry[]]
    assert.deepEqual(verifyRange({ root: storageRoot, origin: FIRST, entries, proof: cut.proof }), { valid: true, more: true })
    const origin = next((entries.at(-1) as RangeEntry).key)
    const rest = await link.peer.storageRanges({ root, accounts: [hashOf(2)], origin, limit: LAST, bytes: 100_000 }, SIGNAL)
    const [left] = rest.slots as [RangeEntry[]]
    assert.deepEqual(verifyRange({ root: storageRoot, origin, entries: left, proof: rest.proof }), { valid: true, more: false })
    assert.equal(entries.length + left.length, 400)
  })

  it('yields codes in the order of the request without those it does not have', async () => {
    const hashes = [FIRST, keccak256(CODE), EMPTY_CODE_HASH_BYTES, keccak256(CODE)]
    assert.deepEqual(await link.peer.byteCodes({ hashes, bytes: 1_000 }, SIGNAL), [CODE, new Uint8Array(0), CODE])
    assert.deepEqual(await link.peer.byteCodes({ hashes, bytes: 0 }, SIGNAL), [CODE])
  })

  it('yields trie nodes by path, with empty bytes for a path without a node', async () => {
    const root = rootAt(served, served.head.number)
    const paths = [[Uint8Array.of(0)], [new Uint8Array(60)], [Uint8Array.of(1), Uint8Array.of(0)], [hashOf(1), Uint8Array.of(0)]]
    const nodes = await link.peer.trieNodes({ root, paths, bytes: 10_000 }, SIGNAL)
    const storageRoot = served.state.rangesAt(served.head)?.storage(hashOf(1))?.root
    assert.deepEqual(
      nodes.map((node) => (node.length === 0 ? null : keccak256(node))),
      [root, null, storageRoot],
    )
  })

  it('ends the session of a peer that sends an empty path set, or a response that is no list', async () => {
    const root = rootAt(served, served.head.number)
    await assert.rejects(link.peer.trieNodes({ root, paths: [[]], bytes: 10_000 }, SIGNAL))
    await link.session.closed
    link = await openSnapLink(served)
    await link.session.send('snap', SNAP_CODES.accountRange, rlpEncode(5n))
    await link.session.closed
    assert.equal((await link.session.closed).by, 'remote')
  })

  it('ends the session of a peer that sends responses that nobody asked for, which are not decoded', async () => {
    const unreadable = (id: number) => rlpEncode([id, [[[]]], new Uint8Array(1_000)])
    for (let id = 100; id < 164; id++) await link.session.send('snap', SNAP_CODES.accountRange, unreadable(id))
    const root = rootAt(served, served.head.number)
    const { accounts } = await link.peer.accountRange({ root, origin: FIRST, limit: FIRST, bytes: 1 }, SIGNAL)
    assert.equal(accounts.length, 1, 'the session goes on')
    await link.session.send('snap', SNAP_CODES.accountRange, unreadable(200))
    assert.deepEqual(await link.session.closed, { reason: 'protocolBreach', by: 'remote', detail: '' })
  })
})

describe('responses over snap/1', () => {
  /** A client whose peer answers each request with the fields. */
  async function clientOf(...fields: RlpInput[]) {
    const world = createSessionWorld({ dialer: [SNAP_1], listener: [SNAP_1] })
    const [dialer, listener] = await world.open()
    listener.onMessage('snap', (code, payload) => {
      void listener.send('snap', code + 1, encodeIdentified(decodeIdentified(payload).id, fields)).catch(() => undefined)
    })
    const service = createSnapService({ states: { at: () => null, code: () => null }, clock: world.clock, log: SILENT })
    const peer = service.attach(dialer, { id: 'liar', serving: createServing(world.clock), agreed: () => true, penalize: () => undefined })
    return { peer, session: dialer }
  }

  for (const [name, fields] of [
    ['that cannot be read', [[[1]], []]],
    ['without a proof', [[]]],
    ['larger than 4 MiB', [[], [new Uint8Array(4 * 2 ** 20)]]],
    ['with too many proof nodes', [[], Array.from({ length: 129 }, () => new Uint8Array(32))]],
  ] as const) {
    it(`${name} end the session`, async () => {
      const { peer, session } = await clientOf(...(fields as readonly RlpInput[]))
      await assert.rejects(peer.accountRange({ root: FIRST, origin: FIRST, limit: LAST, bytes: 1_000 }, SIGNAL), { code: 'codec/rlp' })
      const { reason, by } = await session.closed
      assert.deepEqual([reason, by], ['protocolBreach', 'local'])
    })
  }

  it('are not given before the peer has sent its status of eth', async () => {
    const world = createSessionWorld({ dialer: [SNAP_1], listener: [SNAP_1] })
    const [dialer, listener] = await world.open()
    const seen: number[] = []
    dialer.onMessage('snap', (code) => void seen.push(code))
    const service = createSnapService({ states: { at: () => null, code: () => null }, clock: world.clock, log: SILENT })
    service.attach(listener, { id: 'early', serving: createServing(world.clock), agreed: () => false, penalize: () => undefined })
    await dialer.send('snap', SNAP_CODES.getByteCodes, encodeIdentified(1n, [[], 1_000]))
    assert.deepEqual(await dialer.closed, { reason: 'protocolBreach', by: 'remote', detail: '' })
    assert.deepEqual(seen, [])
  })

  it('that come after their request was cancelled are dropped', async () => {
    const { peer, session } = await clientOf([[1]], [])
    for (let i = 0; i < 100; i++) {
      const leaving = new AbortController()
      const asked = peer.accountRange({ root: FIRST, origin: FIRST, limit: LAST, bytes: 1_000 }, leaving.signal)
      leaving.abort(new Error('too late'))
      await assert.rejects(asked, /too late/)
    }
    await assert.rejects(peer.byteCodes({ hashes: [], bytes: 1 }, SIGNAL), { code: 'codec/rlp' })
    assert.match((await session.closed).detail, /unreadable response 5/)
  })
})
