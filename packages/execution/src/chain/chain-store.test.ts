import assert from 'node:assert/strict'
import {
  type Block,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeDeposit,
  encodeHeader,
  type Hash,
  type Header,
  hashHeader,
  hexToBytes,
  logsBloom,
  type Transaction,
  TX_DEPOSIT,
  toAddress,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import fc from 'fast-check'
import { type ChainStore, openChainStore } from './chain-store.ts'
import { bodyKey, canonicalKey, headerKey } from './keys.ts'
import { encodeBody, type StoredReceipt } from './records.ts'

function makeBlock(parent: Pick<Block, 'hash' | 'header'> | null, salt: number): Block {
  const number = parent === null ? 0 : parent.header.number + 1
  const header: Header = {
    parentHash: parent?.hash ?? ZERO_HASH,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 1n,
    gasUsed: 0n,
    timestampSec: number,
    extraData: Uint8Array.of(salt),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 1n,
    withdrawalsRoot: null,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
  return { hash: hashHeader(header), header, transactions: number === 0 ? [] : [deposit(number, salt % 2)], withdrawals: null }
}

/** Blocks of two branches with the same number and `kind` share the deposit. */
function deposit(number: number, kind: number): Transaction {
  const sourceHash = new Uint8Array(32).fill(kind)
  sourceHash[0] = number
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash,
    from: new Uint8Array(20),
    to: null,
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 1n,
    isSystemTx: false,
    data: new Uint8Array(0),
  })
}

async function open() {
  const store = createMemoryStore()
  const genesis = makeBlock(null, 0)
  await store.batch([
    { put: headerKey(genesis.hash), value: encodeHeader(genesis.header) },
    { put: bodyKey(genesis.hash), value: encodeBody(genesis) },
    { put: canonicalKey(0), value: hexToBytes(genesis.hash) },
  ])
  const reopen = () => openChainStore(store, { genesis, cachedBlocks: 4 })
  return { store, genesis, chain: reopen(), reopen }
}

const logAddress = (salt: number) => toAddress(new Uint8Array(20).fill(0xa0 + (salt % 2)))
const logTopic = (salt: number) => toHash(new Uint8Array(32).fill(0xb0 + salt))

function receiptsOf({ header, transactions }: Block): StoredReceipt[] {
  const salt = header.extraData[0] as number
  const log = { address: logAddress(salt), topics: [logTopic(salt)], data: new Uint8Array(0) }
  return transactions.map(() => ({
    receipt: {
      type: TX_DEPOSIT,
      outcome: { status: 1 },
      cumulativeGasUsed: 0n,
      logsBloom: logsBloom([log]),
      logs: [log],
      depositNonce: null,
      depositReceiptVersion: null,
    },
    sender: new Uint8Array(20),
    l1Fee: null,
  }))
}

async function numbersOf(numbers: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = []
  for await (const number of numbers) all.push(number)
  return all
}

async function importBlock(store: KeyValueStore, chain: ChainStore, block: Block): Promise<void> {
  const staged = chain.stageBlock(block, receiptsOf(block))
  await store.batch(staged.ops)
  staged.publish()
}

describe('chain store', () => {
  it('returns the same results as a walk over parents, whatever heads were chosen', async () => {
    const step = fc.record({ parent: fc.nat(20), salt: fc.nat(3), head: fc.nat(20) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const { store, genesis, chain, reopen } = await open()
        const blocks = [genesis]
        const byHash = new Map<Hash, Block>([[genesis.hash, genesis]])
        let head = genesis
        for (const { parent, salt, head: chosen } of steps) {
          const block = makeBlock(blocks[parent % blocks.length] as Block, salt)
          if (!byHash.has(block.hash)) {
            blocks.push(block)
            byHash.set(block.hash, block)
            await importBlock(store, chain, block)
          }
          const before = canonicalOf(head, byHash)
          head = blocks[chosen % blocks.length] as Block
          const move = await chain.setForkchoice({ head: head.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
          const now = canonicalOf(head, byHash)
          assert.deepEqual(
            move.removed.map((b) => b.hash),
            before.filter((hash) => !now.includes(hash)),
          )
          assert.deepEqual(
            move.added.map((b) => b.hash),
            now.filter((hash) => !before.includes(hash)),
          )
        }
        for (const each of [chain, reopen()]) {
          verify(each, head, blocks, byHash)
          await verifyLogIndex(each, head, byHash)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('never leaves safe or finalized above or beside the head', async () => {
    const { store, genesis, chain } = await open()
    const a1 = makeBlock(genesis, 1)
    const a2 = makeBlock(a1, 1)
    const b2 = makeBlock(a1, 2)
    for (const block of [a1, a2, b2]) await importBlock(store, chain, block)
    await chain.setForkchoice({ head: a2.hash, safe: a2.hash, finalized: a1.hash })
    await chain.setForkchoice({ head: b2.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
    assert.deepEqual([chain.label('safe').hash, chain.label('finalized').hash], [a1.hash, a1.hash])
    await chain.setForkchoice({ head: genesis.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
    assert.deepEqual([chain.label('safe').hash, chain.label('finalized').hash], [genesis.hash, genesis.hash])
  })

  it('prunes non-canonical blocks and never a canonical one', async () => {
    const { store, genesis, chain } = await open()
    const kept = makeBlock(genesis, 1)
    const beside = makeBlock(genesis, 2)
    for (const block of [kept, beside]) await importBlock(store, chain, block)
    await chain.setForkchoice({ head: kept.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
    await store.batch([...chain.pruneOps(kept.hash), ...chain.pruneOps(beside.hash)])
    assert.equal(chain.block(beside.hash), null)
    assert.equal(chain.block(kept.hash)?.hash, kept.hash)
  })
})

function canonicalOf(head: Block, byHash: ReadonlyMap<Hash, Block>): Hash[] {
  const hashes: Hash[] = []
  for (let at: Block | undefined = head; at !== undefined; at = byHash.get(at.header.parentHash)) hashes.unshift(at.hash)
  return hashes
}

async function verifyLogIndex(chain: ChainStore, head: Block, byHash: ReadonlyMap<Hash, Block>): Promise<void> {
  const canonical = canonicalOf(head, byHash).map((hash) => byHash.get(hash) as Block)
  for (const salt of [0, 1, 2, 3]) {
    const expected = (matches: (other: number) => boolean) =>
      canonical.filter(({ header }) => header.number > 0 && matches(header.extraData[0] as number)).map(({ header }) => header.number)
    const { number: last } = head.header
    assert.deepEqual(
      await numbersOf(chain.blocksWithLogs(logAddress(salt), null, 0, last)),
      expected((other) => other % 2 === salt % 2),
    )
    assert.deepEqual(
      await numbersOf(chain.blocksWithLogs(logAddress(salt), logTopic(salt), 2, last)),
      expected((other) => other === salt).filter((n) => n >= 2),
    )
  }
}

function verify(chain: ChainStore, head: Block, blocks: readonly Block[], byHash: ReadonlyMap<Hash, Block>): void {
  const canonical = canonicalOf(head, byHash)
  canonical.forEach((hash, number) => {
    assert.equal(chain.canonicalHash(number), hash)
    assert.equal(chain.block(hash)?.hash, hash)
  })
  assert.equal(chain.canonicalHash(canonical.length), null)
  const placed = new Map(
    canonical.flatMap((hash, number) => (byHash.get(hash) as Block).transactions.map((tx) => [tx.hash, number] as const)),
  )
  for (const tx of blocks.flatMap((block) => block.transactions)) {
    assert.equal(chain.locate(tx.hash)?.blockNumber, placed.get(tx.hash))
  }
  for (const block of blocks) {
    const ancestors = canonicalOf(block, byHash)
    ancestors.forEach((hash, number) => {
      assert.equal(chain.ancestorHash(block, number), hash)
    })
  }
}
