import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bigintToBytes, bytesToHex, concatBytes, hexToBytes, keccak256, toAddress } from '@keelson/primitives'
import { createSnapshotStates } from '@keelson/state'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

interface Range {
  readonly storage: Readonly<Record<string, { readonly key: string | null; readonly value: string }>>
  readonly nextKey: string | null
}

const WRITER = toAddress('0x00000000000000000000000000000000000ec005')
const DOOMED = toAddress('0x00000000000000000000000000000000000ec006')
/** sstore(word 0 of the input, word 1) */
const WRITER_CODE = hexToBytes('0x6000356020359055')
/** selfdestruct(caller) */
const DOOMED_CODE = hexToBytes('0x33ff')
const SLOTS = 20
const KEPT_BLOCKS = 2

const word = (value: number) => bigintToBytes(BigInt(value), 32)

/** What the range of a storage must list, in the order of the hashes. */
function expectedRange(slots: ReadonlyMap<number, number>) {
  return [...slots]
    .map(([slot, value]) => [bytesToHex(keccak256(word(slot))), { key: bytesToHex(word(slot)), value: bytesToHex(word(value)) }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

describe('debug_storageRangeAt', () => {
  let world: ExecutionWorld
  let nonce: bigint

  beforeEach(async () => {
    nonce = 0n
    const account = (address: typeof WRITER, code: Uint8Array) => ({
      address,
      nonce: 1n,
      balanceWei: 5n,
      code,
      storage: Array.from({ length: SLOTS }, (_, i) => [word(i), word(i + 1)] as const),
    })
    world = await createExecutionWorld({
      forks: forksAtGenesis('canyon'),
      alloc: [account(WRITER, WRITER_CODE), account(DOOMED, DOOMED_CODE)],
    })
  })
  afterEach(() => world.stop())

  const call = (to: string, data: Uint8Array) =>
    world.sign(0, {
      type: 2,
      chainId: world.chainId,
      nonce: nonce++,
      gasLimit: 200_000n,
      to: hexToBytes(to as typeof WRITER),
      valueWei: 0n,
      data,
      maxFeePerGasWei: 10n ** 10n,
      maxPriorityFeePerGasWei: 0n,
      accessList: [],
    }).raw
  const write = (slot: number, value: number) => call(WRITER, concatBytes(word(slot), word(value)))
  const mine = (...transactions: Uint8Array[]) => world.mine({ transactions, noTxPool: true })
  const initial = () => new Map(Array.from({ length: SLOTS }, (_, i) => [i, i + 1] as const))
  const range = (block: string, index: number, address: string, start: string, count: number): Promise<Range> =>
    world.call('debug_storageRangeAt', block, index, address, start, count)

  async function wholeRange(block: string, index: number, address: string, count: number) {
    const entries: [string, { readonly key: string | null; readonly value: string }][] = []
    for (let start: string | null = '0x'; start !== null; ) {
      const { storage, nextKey } = await range(block, index, address, start, count)
      assert.ok(Object.keys(storage).length <= count)
      entries.push(...Object.entries(storage))
      start = nextKey
    }
    return entries
  }

  it('lists the storage before each transaction of a block, page by page', async () => {
    const block = await mine(write(3, 77), write(40, 1), write(5, 0), write(41, 9))
    const model = initial()
    const first = block.transactions.length - 4
    const steps: readonly (() => unknown)[] = [
      () => model.set(3, 77),
      () => model.set(40, 1),
      () => model.delete(5),
      () => model.set(41, 9),
    ]
    for (let i = 0; i <= steps.length; i++) {
      const expected = expectedRange(model)
      assert.deepEqual(await wholeRange(block.hash, first + i, WRITER, 1_024), expected, `before transaction ${i}`)
      assert.deepEqual(await wholeRange(block.hash, first + i, WRITER, 3), expected, `before transaction ${i}, three slots at a time`)
      steps[i]?.()
    }
    assert.deepEqual(await wholeRange(block.hash, first + 4, WRITER, 7), expectedRange(model))
  })

  it('begins at a hash, or at a prefix of hashes', async () => {
    const block = await mine()
    const expected = expectedRange(initial())
    const [hash] = expected[8] as (typeof expected)[number]
    assert.deepEqual(Object.entries((await range(block.hash, 0, WRITER, hash, 100)).storage), expected.slice(8))
    const { storage } = await range(block.hash, 0, WRITER, '0x80', 100)
    assert.deepEqual(
      Object.keys(storage),
      expected.map(([key]) => key).filter((key) => key >= '0x80'),
    )
  })

  it('lists nothing once a contract has destroyed itself', async () => {
    const block = await mine(call(DOOMED, new Uint8Array(0)))
    const count = block.transactions.length
    assert.deepEqual(await wholeRange(block.hash, count - 1, DOOMED, 50), expectedRange(initial()))
    assert.deepEqual(await range(block.hash, count, DOOMED, '0x', 50), { storage: {}, nextKey: null })
    const next = await mine()
    assert.deepEqual(await range(next.hash, 0, DOOMED, '0x', 50), { storage: {}, nextKey: null })
    assert.deepEqual(await range(next.hash, 0, '0x00000000000000000000000000000000000000bb', '0x', 50), { storage: {}, nextKey: null })
  })

  it('reads past blocks whose state has moved to disk', async () => {
    await world.stop()
    world = await createExecutionWorld({
      forks: forksAtGenesis('canyon'),
      alloc: [{ address: WRITER, nonce: 1n, balanceWei: 5n, code: WRITER_CODE, storage: [[word(1), word(2)]] }],
      options: { state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: KEPT_BLOCKS, maxLayers: KEPT_BLOCKS } },
    })
    const diskNumber = () => createSnapshotStates({ cacheBytes: 65_536 }).open(world.store).disk?.number ?? 0
    const model = new Map([[1, 2]])
    const past: { readonly hash: string; readonly expected: ReturnType<typeof expectedRange> }[] = []
    for (let i = 0; i < 12 || (diskNumber() < 6 && i < 100); i++) {
      const { hash } = await mine(write(i % 5, i))
      past.push({ hash, expected: expectedRange(model) })
      if (i === 0) model.delete(0)
      else model.set(i % 5, i)
    }
    assert.ok(diskNumber() >= 6)
    for (const { hash, expected } of past) assert.deepEqual(await wholeRange(hash, 0, WRITER, 2), expected)
  })

  it('refuses what it cannot answer', async () => {
    const { hash } = await mine()
    const refused = async (...params: readonly unknown[]) => (await rejection(world.call('debug_storageRangeAt', ...params))).message
    assert.match(await refused(hash, 0, WRITER, '0x', 1_025), /number of slots from 0 to 1024, got 1025/)
    assert.match(await refused(hash, '0x0', WRITER, '0x', 1), /transaction index from 0/)
    assert.match(await refused(hash, 9, WRITER, '0x', 1), /transaction index 9 out of range/)
    assert.match(await refused(hash, 0, WRITER, `0x${'00'.repeat(33)}`, 1), /at most 32 bytes, got 33/)
    assert.match(await refused(world.genesis.hash, 0, WRITER, '0x', 1), /genesis is not traceable/)
    assert.match(await refused(`0x${'ab'.repeat(32)}`, 0, WRITER, '0x', 1), /not found/)
  })
})
