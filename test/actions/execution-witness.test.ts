import assert from 'node:assert/strict'
import { createMPT } from '@ethereumjs/mpt'
import { forksAtGenesis } from '@keelson/chainspec'
import { executeBlock } from '@keelson/evm'
import {
  type AccountChange,
  type Block,
  bigintToBytes,
  bytesToHex,
  concatBytes,
  decodeHeader,
  decodeStateDiff,
  EMPTY_TRIE_ROOT_BYTES,
  type Hash,
  type Hex,
  hashHeader,
  hexToBytes,
  keccak256,
  L2_TO_L1_MESSAGE_PASSER,
  payloadAttributesToJson,
  recoverSender,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  type StateDiff,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { createWitnessState } from '@keelson/state'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'
import { createTestEngine } from '../support/test-engine.ts'

interface Witness {
  readonly state: readonly Hex[]
  readonly codes: readonly Hex[]
  readonly keys: readonly Hex[]
  readonly headers: readonly Hex[]
}

const WRITER = toAddress('0x00000000000000000000000000000000000ec005')
const DOOMED = toAddress('0x00000000000000000000000000000000000ec006')
const HISTORIAN = toAddress('0x00000000000000000000000000000000000ec007')
/** sstore(word 0 of the input, word 1) */
const WRITER_CODE = hexToBytes('0x6000356020359055')
/** selfdestruct(caller) */
const DOOMED_CODE = hexToBytes('0x33ff')
/** sstore(0, blockhash(word 0 of the input)) */
const HISTORIAN_CODE = hexToBytes('0x600035406000 55'.replace(' ', '') as Hex)
/** Init code: deploys the bytes after these 12. */
const CREATE_WRITER = concatBytes(hexToBytes('0x6008600c60003960086000f3'), WRITER_CODE)
const SLOTS = 64

const word = (value: number) => bigintToBytes(BigInt(value), 32)

async function openWorld(fork: 'canyon' | 'jovian'): Promise<ExecutionWorld> {
  const account = (address: typeof WRITER, code: Uint8Array, slots: number) => ({
    address,
    nonce: 1n,
    balanceWei: 5n,
    code,
    storage: Array.from({ length: slots }, (_, i) => [word(i), word(i + 1)] as const),
  })
  return createExecutionWorld({
    forks: forksAtGenesis(fork),
    alloc: [account(WRITER, WRITER_CODE, SLOTS), account(DOOMED, DOOMED_CODE, 6), account(HISTORIAN, HISTORIAN_CODE, 0)],
  })
}

function sender(world: ExecutionWorld) {
  let nonce = 0n
  return (to: string | null, data: Uint8Array) =>
    world.sign(0, {
      type: 2,
      chainId: world.chainId,
      nonce: nonce++,
      gasLimit: 200_000n,
      to: to === null ? null : hexToBytes(to as Hex),
      valueWei: 0n,
      data,
      accessList: [],
      maxPriorityFeePerGasWei: 1n,
      maxFeePerGasWei: 5_000_000_000n,
    }).raw
}

async function executeStateless(world: ExecutionWorld, block: Block, witness: Witness) {
  const headers = witness.headers.map((header) => decodeHeader(hexToBytes(header)))
  const parent = headers.at(-1)
  assert.ok(parent !== undefined && hashHeader(parent) === block.header.parentHash, 'the parent is the last header')
  const hashes = new Map<number, Hash>()
  for (const [i, header] of headers.entries()) {
    const child = headers[i + 1]
    if (child !== undefined) assert.equal(child.parentHash, hashHeader(header), 'headers are a chain')
    hashes.set(header.number, hashHeader(header))
  }
  const preimages = new Map([...witness.state, ...witness.codes].map((hex) => [bytesToHex(keccak256(hexToBytes(hex))), hexToBytes(hex)]))
  const state = createWitnessState(preimages, hexToBytes(parent.stateRoot))
  const outcome = executeBlock({
    engine: createTestEngine({ crypto: world.crypto }),
    view: state.view,
    header: block.header,
    rules: world.chain.rules.rulesAt(block.header),
    transition: world.chain.rules.transitionAt(parent, block.header),
    chainId: world.chainId,
    crypto: world.crypto,
    blockHash: (number) => hashes.get(number) ?? null,
    withdrawals: block.withdrawals,
    transactions: block.transactions,
    senders: block.transactions.map((tx) => recoverSender(tx, world.crypto) as Uint8Array),
  })
  assert.ok(outcome.kind === 'executed')
  const { diff } = outcome.result
  const after = state.rootOf(diff)
  if (world.chain.rules.rulesAt(block.header).withdrawals === 'storage-root') {
    assert.equal(bytesToHex(after.storageRoot(hexToBytes(L2_TO_L1_MESSAGE_PASSER)) ?? new Uint8Array()), block.header.withdrawalsRoot)
  }
  return { diff, root: toHash(after.root), parentRoot: parent.stateRoot }
}

async function openTrie(nodes: readonly Uint8Array[], root: Uint8Array) {
  const trie = await createMPT({ useKeyHashing: true })
  for (const node of nodes) await trie.database().put(keccak256(node), node)
  trie.root(root)
  return trie
}

async function applyOneByOne(witness: Witness, parentRoot: Hash, diff: StateDiff): Promise<string> {
  const nodes = witness.state.map((hex) => hexToBytes(hex))
  const accounts = await openTrie(nodes, hexToBytes(parentRoot))
  const { accounts: changes } = decodeStateDiff(diff)
  const removedFirst = (a: boolean, b: boolean) => Number(b) - Number(a)
  for (const change of [...changes].sort((a, b) => removedFirst(a.deleted, b.deleted))) {
    if (change.deleted) await accounts.del(change.address)
    else {
      const before = await accounts.get(change.address)
      const root = before === null ? EMPTY_TRIE_ROOT_BYTES : rlpBytes(rlpList(rlpDecode(before), 'account')[2], 'storage root', 32)
      const storage = await applySlots(nodes, change.storageReset ? EMPTY_TRIE_ROOT_BYTES : root, change)
      await accounts.put(change.address, rlpEncode([change.nonce, change.balanceWei, storage, change.codeHash]))
    }
  }
  return bytesToHex(accounts.root())
}

async function applySlots(nodes: readonly Uint8Array[], root: Uint8Array, change: AccountChange): Promise<Uint8Array> {
  if (change.slots.length === 0) return root
  const trie = await openTrie(nodes, root)
  const isZero = (value: Uint8Array) => value.every((byte) => byte === 0)
  for (const [slot, value] of change.slots) if (isZero(value)) await trie.del(slot)
  for (const [slot, value] of change.slots) {
    if (!isZero(value)) await trie.put(slot, rlpEncode(value.subarray(value.findIndex((byte) => byte !== 0))))
  }
  return trie.root()
}

async function assertWitness(world: ExecutionWorld, block: Block, witness: Witness): Promise<void> {
  const { diff, root, parentRoot } = await executeStateless(world, block, witness)
  assert.equal(root, block.header.stateRoot)
  assert.equal(await applyOneByOne(witness, parentRoot, diff), block.header.stateRoot)
}

describe('the execution witness', () => {
  // Before EIP-6780, destruction deletes storage; later forks put the message passer's root in the header.
  for (const fork of ['canyon', 'jovian'] as const) {
    it(`suffices for creations, removals, collapses and destruction, and holds the requested headers (${fork})`, async () => {
      const world = await openWorld(fork)
      const tx = sender(world)
      for (let i = 0; i < 4; i++) await world.mine()
      const write = (slot: number, value: number) => tx(WRITER, concatBytes(word(slot), word(value)))
      const thinned = Array.from({ length: SLOTS }, (_, i) => i).filter((i) => i % 5 !== 0)
      const blocks = [
        await world.mine({
          transactions: [tx(null, CREATE_WRITER), tx(DOOMED, new Uint8Array(0)), write(1, 0), write(1_000, 7), tx(HISTORIAN, word(2))],
        }),
        await world.mine({ transactions: thinned.slice(0, 26).map((slot) => write(slot, 0)) }),
        await world.mine({ transactions: [...thinned.slice(26).map((slot) => write(slot, 0)), write(2_000, 1), write(2_001, 1)] }),
        await world.mine({ transactions: [...[0, 5, 10, 15].map((slot) => write(slot, 0)), write(3_000, 9)] }),
      ]
      const [first] = blocks as [Block]
      assert.equal(
        (await world.call('eth_getBlockReceipts', first.hash)).every((receipt: { status: string }) => receipt.status === '0x1'),
        true,
      )
      const doomed = await world.call('eth_getCode', DOOMED, 'latest')
      assert.equal(doomed, fork === 'canyon' ? '0x' : bytesToHex(DOOMED_CODE))
      for (const block of blocks) await assertWitness(world, block, await world.call('debug_executionWitness', block.hash))
      const witness: Witness = await world.call('debug_executionWitness', '0x5')
      assert.deepEqual(await world.call('debug_executionWitness', { blockHash: first.hash }), witness)
      assert.equal(witness.headers.length, 3, 'blocks 2, 3 and 4: the hash of block 2 was asked for')
      assert.ok(witness.codes.includes(bytesToHex(DOOMED_CODE)))
      for (const key of [DOOMED, WRITER, bytesToHex(word(1_000))]) assert.ok((witness.keys as readonly string[]).includes(key), key)
      await world.stop()
    })
  }

  it('that is incomplete leads to an error that names the missing node', async () => {
    const world = await openWorld('jovian')
    const block = await world.mine({ transactions: [sender(world)(WRITER, concatBytes(word(1), word(0)))] })
    const witness: Witness = await world.call('debug_executionWitness', 'latest')
    for (const [i] of witness.state.entries()) {
      const smaller = { ...witness, state: witness.state.filter((_, at) => at !== i) }
      await assert.rejects(assertWitness(world, block, smaller), `node ${i} is needed`)
    }
    await world.stop()
  })

  it('of a payload before import equals that of the resulting block', async () => {
    const world = await openWorld('jovian')
    await world.mine()
    const attributes = world.attributes({ transactions: [sender(world)(WRITER, concatBytes(word(2), word(0)))], noTxPool: true })
    const parent = world.node.chain.label('unsafe').hash
    const asked = await world.call('debug_payloadWitness', parent, payloadAttributesToJson(attributes))
    const block = await world.mine({ transactions: attributes.transactions.slice(1), noTxPool: true })
    assert.deepEqual(asked, await world.call('debug_executionWitness', block.hash))
    const early = payloadAttributesToJson({ ...attributes, timestampSec: 1 })
    assert.match(
      (await rejection(world.call('debug_payloadWitness', parent, early))).message,
      /invalid payload attributes: timestamp 1 is not after/,
    )
    await world.stop()
  })

  it('is rejected for an unknown block and for genesis', async () => {
    const world = await openWorld('jovian')
    assert.equal((await rejection(world.call('debug_executionWitness', '0x99'))).message, 'block not found')
    assert.equal((await rejection(world.call('debug_executionWitness', '0x0'))).message, 'genesis is not traceable')
    await world.stop()
  })
})
