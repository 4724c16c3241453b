import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToBigint, createPureCrypto } from '@keelson/primitives'
import { assemble } from '../../../../scripts/bench/evm/assemble.ts'
import { CALLER, TEST_ENV } from '../../../../test/support/evm-call.ts'
import { CONTRACT } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView } from '../memory-view.ts'
import {
  ACCOUNT_CAPACITY,
  ACCOUNT_INDEX_MASK,
  CODE_ARENA_BYTES,
  CODE_PADDING,
  FIRST_JOURNAL_RECORDS,
  FIRST_SLOTS,
  JOURNAL_CAPACITY,
  LOG_BYTES,
  LOG_TOPICS,
  MAX_FRAMES,
  MAX_UNPAID_ACCOUNTS,
  MEMORY,
  MEMORY_LIMIT,
  RETURN_DATA_BYTES,
  SLOT_CAPACITY,
  SLOT_INDEX_MASK,
} from './layout.ts'
import { createWasmEngine } from './wasm-engine.ts'

/** The largest gas limit of a block that the tables hold. */
const BLOCK_GAS = 1_000_000_000
/** The cheapest opcodes that push a word. */
const PUSH_GAS = 2

const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })

async function run(source: string) {
  const session = engine.open(createMemoryView([{ address: CONTRACT, code: assemble(source) }]), TEST_ENV, l1ForkRules('prague'))
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [CONTRACT], accessList: [] })
  const data = new Uint8Array(0)
  const { status, output } = session.call({ kind: 'call', from: CALLER, to: CONTRACT, valueWei: 0n, data, gas: BigInt(BLOCK_GAS) })
  return { status, word: output.length === 0 ? null : bytesToBigint(output), logs: session.endTx().logs.length }
}

/** EVM memory that `gas` pays in one frame: 3 w + w^2 / 512 for w words. */
function memoryBytes(gas: number): number {
  return 32 * Math.floor(256 * (Math.sqrt(9 + gas / 128) - 3))
}

describe('tables of the WASM engine', () => {
  it('hold the slots and changes of a block full of TSTORE', () => {
    const stores = BLOCK_GAS / (100 + 2 * PUSH_GAS)
    assert.ok(SLOT_CAPACITY > stores)
    assert.ok(JOURNAL_CAPACITY > stores)
    assert.ok(SLOT_INDEX_MASK > 1.5 * SLOT_CAPACITY)
  })

  it('hold the accounts of a block full of cold accesses to delegated accounts', () => {
    // The account is paid (EIP-2929), its delegate is not, and the failed call costs another 100.
    const accounts = (2 * BLOCK_GAS) / (2600 + 100)
    assert.ok(ACCOUNT_CAPACITY > MAX_UNPAID_ACCOUNTS + accounts)
    assert.ok(ACCOUNT_CAPACITY > MAX_UNPAID_ACCOUNTS + BLOCK_GAS / 2400, 'an access list')
    assert.ok(ACCOUNT_INDEX_MASK > 1.5 * ACCOUNT_CAPACITY)
  })

  it('hold the logs of a block, whose data costs 8 gas a byte and each header and topic 375', () => {
    assert.ok(LOG_TOPICS / 375 < 1 / 8)
    assert.ok(LOG_BYTES >= BLOCK_GAS / 8)
  })

  it('hold the memory of a block that divides its gas among all frames', () => {
    const bytes = MAX_FRAMES * (memoryBytes(BLOCK_GAS / MAX_FRAMES) + 64)
    assert.ok(MEMORY + bytes < MEMORY_LIMIT, `${bytes}`)
    assert.ok(RETURN_DATA_BYTES > memoryBytes(BLOCK_GAS))
  })

  it('hold the codes of all frames, with a gap for another between any two of them', () => {
    const block = 24_576 * (1 + 1 / 8) + CODE_PADDING + 64
    assert.ok(CODE_ARENA_BYTES > 2 * MAX_FRAMES * block)
  })

  it('revert changes beyond the first region of slots and of changes', async () => {
    // Stores i + 1 in slot i, stops short of the end of the first regions, and fails in a call beyond it.
    const short = Math.min(FIRST_SLOTS, FIRST_JOURNAL_RECORDS) - 20
    const found = await run(`
      CALLDATASIZE @inner JUMPI
      0 ${short}
      first: 1 SWAP1 SUB DUP1 1 ADD DUP2 TSTORE DUP1 @first JUMPI
      0 0 1 0 0 ADDRESS GAS CALL
      ${short + 50}
      second: 1 SWAP1 SUB DUP1 1 ADD DUP2 TSTORE DUP1 ${short - 50} LT @second JUMPI
      0 0 1 0 0 ADDRESS GAS CALL ISZERO
      ${short + 39} TLOAD ADD ${short + 51} TLOAD ADD ${short - 40} TLOAD ADD 7 TLOAD ADD 0 MSTORE 32 0 RETURN
      inner: ${short + 60}
      third: 1 SWAP1 SUB 7 DUP2 TSTORE DUP1 ${short - 60} LT @third JUMPI
      0 0 REVERT`)
    assert.deepEqual([found.status, found.word], ['success', BigInt(1 + short + 40 + 0 + (short - 39) + 8)])
  })

  it('do not fill with accounts that failed calls could not pay for', async () => {
    const found = await run(`
      CALLDATASIZE @inner JUMPI
      ${ACCOUNT_CAPACITY + 10}
      next: 1 SWAP1 SUB DUP1 32 SHL 0 MSTORE 0 0 32 0 0 ADDRESS 125 CALL POP DUP1 @next JUMPI
      0 BALANCE 1 ADD 0 MSTORE 32 0 RETURN
      inner: 0 CALLDATALOAD BALANCE`)
    assert.deepEqual([found.status, found.word], ['success', 1n])
  })
})
