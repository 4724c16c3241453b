import assert from 'node:assert/strict'
import { decodeStateDiff, encodeStateDiff, NodeError, type StateChanges, type StateDiff, toHash } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { decodeStoredReceipts } from '../../../packages/execution/src/chain/records.ts'
import { decodeLayerRecord, encodeLayerRecord } from '../../../packages/state/src/layers/layer-record.ts'
import { decodeNodeChanges, packNodeChanges } from '../../../packages/state/src/trie/node-changes.ts'
import { brokenBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'
import { bytesOf, u64, u256 } from '../transactions.ts'

const byKey = <T extends readonly [Uint8Array, ...unknown[]]>(item: T) => Buffer.from(item[0]).toString('hex')
const slots = fc.uniqueArray(fc.tuple(bytesOf(32), bytesOf(32)), { maxLength: 3, selector: byKey })
const account = fc.record({
  address: bytesOf(20),
  storageReset: fc.boolean(),
  nonce: u64,
  balanceWei: u256,
  codeHash: bytesOf(32),
  slots,
  deleted: fc.boolean(),
})
const changes: Arbitrary<StateChanges> = fc.record({
  accounts: fc.uniqueArray(account, { maxLength: 4, selector: ({ address }) => Buffer.from(address).toString('hex') }),
  codes: fc.uniqueArray(fc.tuple(bytesOf(32), fc.uint8Array({ maxLength: 40 })), { maxLength: 2, selector: byKey }),
})
const nodes = fc
  .dictionary(
    fc.string({ unit: fc.constantFrom('\u0001', '\u0002', 'a', '\u00ff'), maxLength: 40 }),
    fc.option(fc.uint8Array({ minLength: 1, maxLength: 60 })),
    { maxKeys: 5 },
  )
  .map((entries) => new Map(Object.entries(entries)))
const layer = fc.record({ hash: bytesOf(32), parent: bytesOf(32), number: fc.nat(), root: bytesOf(32), changes, nodes })

type Layer = typeof layer extends Arbitrary<infer T> ? T : never
type Case =
  | { readonly kind: 'state diff'; readonly changes: StateChanges }
  | { readonly kind: 'layer'; readonly layer: Layer }
  | { readonly kind: 'broken diff' | 'broken layer' | 'broken nodes' | 'broken receipts'; readonly bytes: Uint8Array }

function encodeLayer({ hash, parent, number, root, changes, nodes }: Layer): Uint8Array {
  return encodeLayerRecord({
    hash: toHash(hash),
    parentHash: toHash(parent),
    number,
    diff: encodeStateDiff(changes),
    stateRoot: root,
    nodes: packNodeChanges(nodes).packed,
    storageRoots: changes.accounts.map(() => root),
  })
}

const broken = <K extends 'broken diff' | 'broken layer' | 'broken nodes' | 'broken receipts'>(kind: K, valid: Arbitrary<Uint8Array>) =>
  fc.record({ kind: fc.constant(kind), bytes: brokenBytes(valid) })

function orCoded<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof NodeError) return null
    throw error
  }
}

export const recordSubject = defineSubject<Case>({
  name: 'records',
  cases: 100_000,
  caseLimitMs: 5_000,
  open: async () => ({
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('state diff' as const), changes }),
      fc.record({ kind: fc.constant('layer' as const), layer }),
      broken('broken diff', changes.map(encodeStateDiff)),
      broken('broken layer', layer.map(encodeLayer)),
      broken(
        'broken nodes',
        nodes.map((one) => packNodeChanges(one).packed),
      ),
      broken('broken receipts', fc.uint8Array({ maxLength: 60 })),
    ),
    check: checkCase,
  }),
})

function checkCase(value: Case): void {
  switch (value.kind) {
    case 'state diff': {
      const encoded = encodeStateDiff(value.changes)
      assert.deepEqual(encodeStateDiff(decodeStateDiff(encoded)), encoded)
      return
    }
    case 'layer': {
      const decoded = decodeLayerRecord(encodeLayer(value.layer))
      assert.deepEqual(decoded.diff, encodeStateDiff(value.layer.changes))
      assert.deepEqual(decodeNodeChanges(decoded.nodes), value.layer.nodes)
      assert.equal(decoded.number, value.layer.number)
      assert.equal(decoded.storageRoots.length, value.layer.changes.accounts.length)
      return
    }
    case 'broken diff':
      orCoded(() => decodeStateDiff(value.bytes as StateDiff))
      return
    case 'broken layer': {
      const record = orCoded(() => decodeLayerRecord(value.bytes))
      if (record === null) return
      orCoded(() => decodeStateDiff(record.diff))
      orCoded(() => decodeNodeChanges(record.nodes))
      return
    }
    case 'broken nodes':
      orCoded(() => decodeNodeChanges(value.bytes))
      return
    case 'broken receipts':
      orCoded(() => decodeStoredReceipts(value.bytes))
  }
}
