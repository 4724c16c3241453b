import assert from 'node:assert/strict'
import { createMPT } from '@ethereumjs/mpt'
import {
  type Account,
  type AccountChange,
  type Bytes32,
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  type Hash,
  hexToBytes,
  keccak256,
  keccak256Hash,
  rlpEncode,
  type StateDiff,
  toAddress,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore, StateView } from './ports.ts'
import { trimSlotValue } from './slot-value.ts'
import type { StateStore } from './state-store.ts'

export interface ModelAccount {
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly code: Uint8Array
  readonly slots: ReadonlyMap<number, number>
}
export type ModelState = ReadonlyMap<number, ModelAccount>
export interface ModelBlock {
  readonly hash: Hash
  readonly parent: ModelBlock | null
  readonly number: number
  readonly state: ModelState
}

export const MODEL_ADDRESSES = 12
export const MODEL_SLOTS = 10

export const modelAddress = (i: number) => new Uint8Array(20).fill(0xa0 + i)
export const modelSlot = (i: number): Bytes32 => {
  const slot = new Uint8Array(32)
  slot[31] = i
  return slot
}
const modelValue = (value: number): Bytes32 => {
  const out = new Uint8Array(32)
  out[value % 2 === 0 ? 31 : 1] = value & 255
  return out
}

/** `slots` are [slot, value]; 0 removes the slot. */
export interface ModelOp {
  readonly address: number
  readonly kind: 'write' | 'reset' | 'delete'
  readonly balance: number
  readonly code: number
  readonly slots: readonly (readonly [number, number])[]
}

export function modelGenesis(state: ModelState): ModelBlock {
  return { hash: keccak256Hash(Uint8Array.of(0)), parent: null, number: 0, state }
}

let salt = 0

export function modelChild(parent: ModelBlock, ops: readonly ModelOp[]): { readonly block: ModelBlock; readonly diff: StateDiff } {
  const state = new Map(parent.state)
  const changes = new Map<number, AccountChange>()
  const codes: [Uint8Array, Uint8Array][] = []
  for (const op of ops) {
    if (changes.has(op.address)) continue
    const before = state.get(op.address)
    const address = modelAddress(op.address)
    if (op.kind === 'delete') {
      state.delete(op.address)
      const zero = { nonce: 0n, balanceWei: 0n, codeHash: new Uint8Array(32), slots: [] }
      if (before !== undefined) changes.set(op.address, { address, deleted: true, storageReset: true, ...zero })
      continue
    }
    const slots = new Map(op.kind === 'reset' ? [] : before?.slots)
    for (const [slot, value] of op.slots) {
      if (value === 0) slots.delete(slot)
      else slots.set(slot, value)
    }
    const code = op.code === 0 ? (before?.code ?? new Uint8Array(0)) : new Uint8Array(op.code).fill(op.code)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    if (op.code !== 0) codes.push([codeHash, code])
    const after: ModelAccount = { nonce: (before?.nonce ?? 0n) + 1n, balanceWei: BigInt(op.balance), code, slots }
    state.set(op.address, after)
    changes.set(op.address, {
      address,
      deleted: false,
      storageReset: op.kind === 'reset',
      nonce: after.nonce,
      balanceWei: after.balanceWei,
      codeHash,
      slots: [...new Map(op.slots)].map(
        ([slot, value]) => [modelSlot(slot), value === 0 ? new Uint8Array(32) : modelValue(value)] as const,
      ),
    })
  }
  const hash = keccak256Hash(new TextEncoder().encode(`block ${salt++}`))
  const diff = encodeStateDiff({ accounts: [...changes.values()], codes: [...new Map(codes.map((c) => [bytesToHex(c[0]), c])).values()] })
  return { block: { hash, parent, number: parent.number + 1, state }, diff }
}

export async function modelRoots(state: ModelState): Promise<{ readonly root: string; readonly storage: ReadonlyMap<number, string> }> {
  const accounts = await createMPT({ useKeyHashing: true })
  const storage = new Map<number, string>()
  for (const [i, account] of state) {
    const slots = await createMPT({ useKeyHashing: true })
    for (const [slot, value] of account.slots) await slots.put(modelSlot(slot), rlpEncode(trimSlotValue(modelValue(value))))
    storage.set(i, bytesToHex(slots.root()))
    const codeHash = account.code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(account.code)
    await accounts.put(modelAddress(i), rlpEncode([account.nonce, account.balanceWei, slots.root(), codeHash]))
  }
  return { root: bytesToHex(accounts.root()), storage }
}

export function assertView(view: StateView | null, state: ModelState): void {
  assert.ok(view !== null, 'a view is there')
  for (let i = 0; i < MODEL_ADDRESSES; i++) {
    const expected = state.get(i)
    const got: Account | null = view.account(modelAddress(i))
    assert.equal(got === null, expected === undefined, `account ${i} exists`)
    if (got !== null && expected !== undefined) {
      assert.equal(got.nonce, expected.nonce)
      assert.equal(got.balanceWei, expected.balanceWei)
      assert.equal(bytesToHex(view.code(got.codeHash)), bytesToHex(expected.code))
    }
    for (let slot = 0; slot < MODEL_SLOTS; slot++) {
      const value = expected?.slots.get(slot)
      const bytes = value === undefined ? new Uint8Array(32) : modelValue(value)
      assert.equal(bytesToHex(view.storage(modelAddress(i), modelSlot(slot))), bytesToHex(bytes), `account ${i} slot ${slot}`)
    }
  }
}

export async function importBlock(store: KeyValueStore, state: StateStore, block: ModelBlock, diff: StateDiff): Promise<string> {
  const parentHash = (block.parent as ModelBlock).hash
  const computed = state.rootOf(parentHash, diff)
  const staged = state.stageLayer({ hash: block.hash, parentHash, number: block.number, diff, computed })
  await store.batch(staged.ops)
  staged.publish()
  return bytesToHex(computed.root)
}

export function genesisAlloc(state: ModelState) {
  return [...state].map(([i, account]) => ({
    address: toAddress(modelAddress(i)),
    nonce: account.nonce,
    balanceWei: account.balanceWei,
    code: account.code,
    storage: [...account.slots].map(([slot, value]) => [modelSlot(slot), modelValue(value)] as const),
  }))
}

export const CRASH = 'the machine stopped'

/** Forwards `batches` writes, then fails to simulate a crash. */
export function crashingStore(inner: KeyValueStore) {
  let remaining = Number.POSITIVE_INFINITY
  const store: KeyValueStore = {
    getSync: (key) => inner.getSync(key),
    range: (from, to, options) => inner.range(from, to, options),
    close: async () => undefined,
    async batch(ops: readonly KeyValueOp[]) {
      if (remaining-- <= 0) throw new Error(CRASH)
      await inner.batch(ops)
    },
  }
  return {
    store,
    crashAfter: (batches: number) => {
      remaining = batches
    },
  }
}

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = []
  for await (const row of rows) out.push(row)
  return out
}

export function hashOf(hex: string): Bytes32 {
  return hexToBytes(hex)
}
