import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { executeBlock } from '@keelson/evm'
import {
  type Block,
  createPureCrypto,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeBlock,
  encodeHeader,
  encodeWithdrawal,
  type Header,
  hashHeader,
  orderedListRoot,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { judgeBlock } from '@keelson/second-opinion'
import { computeGenesisState, createMemoryKeyValueStore, openStateStore } from '@keelson/state'
import { syncKzg } from '../support/sync-kzg.ts'
import { createTestEngine } from '../support/test-engine.ts'

const CRYPTO = createPureCrypto()
const RULES = l1ForkRules('shanghai')
const RICH = toAddress(`0x${'aa'.repeat(20)}`)
const WITHDRAWER = toAddress(`0x${'bb'.repeat(20)}`)
const SYSTEM_CALLER = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')
const WITHDRAWALS = [WITHDRAWER, SYSTEM_CALLER].map((address, i) => ({ index: BigInt(i), validatorIndex: 1n, address, amountGwei: 7n }))

const skeleton = (number: number, parentHash: Header['parentHash']) => ({
  parentHash,
  number,
  timestampSec: 100 + number,
  gasLimit: 30_000_000n,
  baseFeeWei: 7n,
  feeRecipient: RICH,
  mixHash: ZERO_HASH,
  difficulty: 0n,
  parentBeaconBlockRoot: null,
  excessBlobGas: null,
})

function headerOf(parts: ReturnType<typeof skeleton>, stateRoot: Header['stateRoot'], withdrawals: Header['withdrawalsRoot']): Header {
  return {
    ...parts,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    gasUsed: 0n,
    extraData: new Uint8Array(0),
    nonce: new Uint8Array(8),
    withdrawalsRoot: withdrawals,
    blobGasUsed: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
}

async function withdrawalBlock(): Promise<{
  readonly parent: Header
  readonly block: Block
  readonly witness: { state: readonly Uint8Array[]; codes: readonly Uint8Array[] }
}> {
  const genesis = computeGenesisState([{ address: RICH, balanceWei: 5n, nonce: 0n, code: new Uint8Array(0), storage: [] }])
  const parent = headerOf(skeleton(0, ZERO_HASH), toHash(genesis.stateRoot), EMPTY_TRIE_ROOT)
  const store = await openStateStore(createMemoryKeyValueStore())
  const parentHash = hashHeader(parent)
  await store.initGenesis(genesis, { hash: parentHash, number: 0 })
  const recorder = store.recordAt(parentHash)
  assert.ok(recorder !== null)
  const header = skeleton(1, parentHash)
  const done = await executeBlock({
    engine: createTestEngine({ crypto: CRYPTO }),
    view: recorder.view,
    header,
    rules: RULES,
    transition: null,
    chainId: 1n,
    crypto: CRYPTO,
    blockHash: () => null,
    withdrawals: WITHDRAWALS,
    transactions: [],
    senders: [],
  })
  assert.ok(done.kind === 'executed')
  const sealed = headerOf(
    header,
    toHash(recorder.rootOf(done.result.diff).root),
    toHash(orderedListRoot(WITHDRAWALS.map(encodeWithdrawal))),
  )
  const { nodes, codes } = recorder.witness()
  const block = { hash: hashHeader(sealed), header: sealed, transactions: [], withdrawals: WITHDRAWALS }
  return { parent, block, witness: { state: nodes, codes } }
}

async function verdictOn(change: (header: Header) => Header) {
  const { parent, block, witness } = await withdrawalBlock()
  return judgeBlock({
    block: encodeBlock({ ...block, header: change(block.header) }),
    witness: { ...witness, headers: [encodeHeader(parent)] },
    rules: RULES,
    transition: null,
    chainId: 1n,
    kzg: syncKzg,
  })
}

describe('the second opinion on a block of L1', () => {
  it('agrees with withdrawals that are paid, also to the caller of system calls', async () => {
    assert.deepEqual(await verdictOn((header) => header), { kind: 'agrees' })
  })

  it('names the fields in which the header differs', async () => {
    const verdict = await verdictOn((header) => ({ ...header, stateRoot: ZERO_HASH, gasUsed: 1n, withdrawalsRoot: EMPTY_TRIE_ROOT }))
    assert.deepEqual(verdict.kind === 'differs' ? verdict.differences.map(({ field }) => field) : verdict, [
      'withdrawalsRoot',
      'gasUsed',
      'stateRoot',
    ])
  })
})
