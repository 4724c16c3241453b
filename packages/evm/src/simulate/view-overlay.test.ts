import assert from 'node:assert/strict'
import {
  type AccountChange,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  encodeStateDiff,
  keccak256,
} from '@keelson/primitives'
import fc from 'fast-check'
import { createMemoryView } from '../memory-view.ts'
import { createViewOverlay } from './view-overlay.ts'

const address = (i: number) => new Uint8Array(20).fill(i + 1)
const slot = (i: number) => new Uint8Array(32).fill(i)
const CODE = Uint8Array.of(0x60, 0x00)
const ACCOUNTS = 3
const SLOTS = 3

const change = fc
  .record({
    account: fc.nat(ACCOUNTS - 1),
    deleted: fc.boolean(),
    storageReset: fc.boolean(),
    nonce: fc.bigInt({ min: 1n, max: 3n }),
    withCode: fc.boolean(),
    slots: fc.array(fc.tuple(fc.nat(SLOTS - 1), fc.nat(2)), { maxLength: 3 }),
  })
  .map(({ account, deleted, storageReset, nonce, withCode, slots }): AccountChange => {
    const byKey = new Map(slots.map(([key, value]) => [key, [slot(key), slot(value)] as const]))
    return {
      address: address(account),
      deleted,
      storageReset: storageReset && !deleted,
      nonce: deleted ? 0n : nonce,
      balanceWei: 0n,
      codeHash: deleted ? new Uint8Array(32) : withCode ? keccak256(CODE) : EMPTY_CODE_HASH_BYTES,
      slots: deleted ? [] : [...byKey.values()],
    }
  })

function memory() {
  return createMemoryView([
    { address: address(0), nonce: 1n, code: CODE, storage: [[slot(1), slot(1)]] },
    { address: address(1), balanceWei: 5n },
  ])
}

function readAll(view: ReturnType<typeof memory> | ReturnType<typeof createViewOverlay>) {
  return Array.from({ length: ACCOUNTS }, (_, i) => {
    const account = view.account(address(i))
    if (account === null) return null
    const empty = bytesToHex(account.storageRoot) === bytesToHex(EMPTY_TRIE_ROOT_BYTES)
    const values = Array.from({ length: SLOTS }, (_, key) => bytesToHex(view.storage(address(i), slot(key))))
    if (empty) assert.ok(values.every((value) => BigInt(value) === 0n))
    const code = bytesToHex(account.codeHash) === bytesToHex(EMPTY_CODE_HASH_BYTES) ? '0x' : bytesToHex(view.code(account.codeHash))
    return { nonce: account.nonce, balanceWei: account.balanceWei, code, values }
  })
}

describe('view overlay', () => {
  it('reads like a state with the same changes, and its diff reproduces it', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const base = memory()
        const model = memory()
        const overlay = createViewOverlay(base)
        for (const made of changes) {
          const diff = encodeStateDiff({ accounts: [made], codes: [[keccak256(CODE), CODE]] })
          overlay.apply(diff)
          model.apply(diff)
          assert.deepEqual(readAll(overlay), readAll(model))
        }
        base.apply(overlay.diff())
        assert.deepEqual(readAll(base), readAll(model))
      }),
      { numRuns: 500 },
    )
  })

  it('leaves the base view unchanged', () => {
    const base = memory()
    const before = readAll(base)
    createViewOverlay(base).apply({
      accounts: [
        { address: address(0), deleted: true, storageReset: false, nonce: 0n, balanceWei: 0n, codeHash: new Uint8Array(32), slots: [] },
      ],
      codes: [],
    })
    assert.deepEqual(readAll(base), before)
  })
})
