/** specs: isthmus/exec-engine.md */
import assert from 'node:assert/strict'
import { createMPT } from '@ethereumjs/mpt'
import { forksAtGenesis } from '@keelson/chainspec'
import {
  type Address,
  bigintToBytes,
  bytesToHex,
  hashHeader,
  hexToBytes,
  keccak256,
  L2_TO_L1_MESSAGE_PASSER,
  rlpEncode,
  TX_FEE_MARKET,
} from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'

const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const STORES = hexToBytes('0x6020355f355500')
const PASSER = { address: L2_TO_L1_MESSAGE_PASSER as Address, nonce: 1n, balanceWei: 0n, code: STORES, storage: [] }
const word = (value: bigint) => bigintToBytes(value, 32)

async function rootOf(slots: ReadonlyMap<bigint, bigint>): Promise<string> {
  const trie = await createMPT()
  for (const [slot, value] of slots) if (value !== 0n) await trie.put(keccak256(word(slot)), rlpEncode(value))
  return bytesToHex(trie.root())
}

let nonce = 0n
function store(world: ExecutionWorld, slot: bigint, value: bigint): Uint8Array {
  return world.sign(0, {
    type: TX_FEE_MARKET,
    chainId: world.chainId,
    nonce: nonce++,
    gasLimit: 100_000n,
    to: hexToBytes(L2_TO_L1_MESSAGE_PASSER),
    valueWei: 0n,
    data: new Uint8Array([...word(slot), ...word(value)]),
    accessList: [],
    maxFeePerGasWei: 10_000_000_000n,
    maxPriorityFeePerGasWei: 0n,
  }).raw
}

describe('withdrawals root', () => {
  beforeEach(() => {
    nonce = 0n
  })

  it('is absent before Canyon, that of an empty list until Holocene, and a storage root from Isthmus', async () => {
    for (const [fork, expected] of [
      ['regolith', null],
      ['canyon', EMPTY_ROOT],
      ['holocene', EMPTY_ROOT],
    ] as const) {
      const world = await createExecutionWorld({ forks: forksAtGenesis(fork), alloc: [PASSER] })
      const transactions = fork === 'regolith' ? [] : [store(world, 1n, 2n)]
      nonce = 0n
      assert.equal((await world.mine({ noTxPool: true, transactions })).header.withdrawalsRoot, expected, fork)
      await world.stop()
    }
  })

  it('follows what the block itself stores, changes and clears', async () => {
    const world = await createExecutionWorld({ forks: forksAtGenesis('isthmus'), alloc: [PASSER] })
    const slots = new Map<bigint, bigint>()
    const mine = async (changes: readonly (readonly [bigint, bigint])[]) => {
      const transactions = changes.map(([slot, value]) => store(world, slot, value))
      for (const [slot, value] of changes) slots.set(slot, value)
      const block = await world.mine({ noTxPool: true, transactions })
      assert.equal(block.header.withdrawalsRoot, await rootOf(slots))
      assert.equal(await world.l2Source.messagePasserStorageRoot(block.hash), block.header.withdrawalsRoot)
    }
    assert.equal(world.chain.genesis.header.withdrawalsRoot, EMPTY_ROOT)
    await mine([])
    await mine([
      [1n, 1n],
      [2n ** 255n + 7n, 1n],
    ])
    await mine([[3n, 2n ** 200n]])
    await mine([
      [1n, 0n],
      [3n, 5n],
    ])
    await mine([
      [2n ** 255n + 7n, 0n],
      [3n, 0n],
    ])
    assert.equal(world.node.chain.label('unsafe').header.withdrawalsRoot, EMPTY_ROOT)
    await world.stop()
  })

  it('is rejected when it is wrong although the block hash matches', async () => {
    const world = await createExecutionWorld({ forks: forksAtGenesis('isthmus'), alloc: [PASSER] })
    const block = await world.mine({ noTxPool: true, transactions: [store(world, 1n, 1n)] })
    const envelope = await world.l2Source.payload(block.hash)
    assert.ok(envelope !== null)
    const withdrawalsRoot = EMPTY_ROOT as typeof block.hash
    const blockHash = hashHeader({ ...block.header, withdrawalsRoot })
    const status = await world.engine.newPayload({ ...envelope.payload, withdrawalsRoot, blockHash }, envelope.parentBeaconBlockRoot)
    assert.ok(status.status === 'INVALID')
    assert.match(status.reason, /withdrawals-root/)
    await world.stop()
  })
})
