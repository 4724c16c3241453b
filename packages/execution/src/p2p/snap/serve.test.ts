import assert from 'node:assert/strict'
import { hexToBytes, keccak256, rlpDecode } from '@keelson/primitives'
import { decodeSlimAccount, encodeTrieAccount, verifyRange } from '@keelson/state'
import { account, addressOf, createStateChain } from '../../sync/snap/state-chain.test-support.ts'
import { createServeTime, type ServeTime } from '../requests/serve-time.ts'
import { serveAccountRange, serveByteCodes, serveStorageRanges, serveTrieNodes } from './serve.ts'
import { createServedStates, type ServedStates } from './served-states.ts'

const FIRST = new Uint8Array(32)
const LAST = new Uint8Array(32).fill(0xff)
const MIB = 2 ** 20

/** Each look at the clock takes a millisecond. */
function slowTime(): ServeTime {
  let nowMs = 0
  return createServeTime({ monotonicMs: () => nowMs++ })
}

describe('a state request that takes too long', () => {
  let states: ServedStates
  let root: Uint8Array
  let turns = 0
  let counting = true

  before(async () => {
    const served = await createStateChain(Array.from({ length: 200 }, (_, i) => account(i, undefined, i < 20 ? 50 : 0)))
    states = createServedStates(served.chain, served.state)
    root = hexToBytes(served.head.stateRoot)
  })
  beforeEach(() => {
    turns = 0
    counting = true
    const count = () => {
      turns++
      if (counting) setImmediate(count)
    }
    setImmediate(count)
  })
  afterEach(() => {
    counting = false
  })

  it('for codes that are not there takes turns, and ends', async () => {
    let lookups = 0
    const code: ServedStates['code'] = (hash) => {
      lookups++
      return states.code(hash)
    }
    const counted: ServedStates = { ...states, code }
    const hashes = Array.from({ length: 1_024 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
    assert.deepEqual(await serveByteCodes(counted, { hashes, bytes: 2 * MIB }, slowTime()), [])
    assert.ok(lookups < 100 && turns > 3, `${lookups} lookups, ${turns} turns`)
  })

  it('for storages of accounts that are not there takes turns, and ends', async () => {
    const accounts = Array.from({ length: 1_024 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
    const request = { root, accounts, origin: FIRST, limit: LAST, bytes: 2 * MIB }
    assert.deepEqual(await serveStorageRanges(states, request, slowTime()), { slots: [], proof: [] })
    assert.ok(turns > 3, `${turns} turns`)
  })

  it('for nodes of tries that are not there takes turns, and ends', async () => {
    const paths = Array.from({ length: 512 }, (_, i) => [keccak256(Uint8Array.of(i >> 8, i & 255)), FIRST.subarray(0, 1)])
    assert.deepEqual(await serveTrieNodes(states, { root, paths, bytes: 2 * MIB }, slowTime()), [])
    assert.ok(turns > 3, `${turns} turns`)
  })

  it('for accounts gets a shorter range with its proof', async () => {
    const { accounts, proof } = await serveAccountRange(states, { root, origin: FIRST, limit: LAST, bytes: 2 * MIB }, slowTime())
    assert.ok(accounts.length > 0 && accounts.length < 100, `${accounts.length} accounts`)
    const entries = accounts.map(({ key, value }) => ({ key, value: encodeTrieAccount(decodeSlimAccount(value)) }))
    assert.deepEqual(verifyRange({ root, origin: FIRST, entries, proof }), { valid: true, more: true })
  })

  it('for slots gets a shorter range with its proof', async () => {
    const owner = keccak256(hexToBytes(addressOf(0)))
    const request = { root, accounts: [owner], origin: FIRST, limit: LAST, bytes: 2 * MIB }
    const { slots, proof } = await serveStorageRanges(states, request, slowTime())
    const [entries] = slots
    const storageRoot = states.at(root)?.storage(owner)?.root as Uint8Array
    assert.ok(entries !== undefined && entries.length > 0 && entries.length < 50, `${entries?.length} slots`)
    assert.ok(entries.every(({ value }) => rlpDecode(value) instanceof Uint8Array))
    assert.deepEqual(verifyRange({ root: storageRoot, origin: FIRST, entries, proof }), { valid: true, more: true })
  })
})
