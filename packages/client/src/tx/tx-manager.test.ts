import assert from 'node:assert/strict'
import { type Bytes32, createPureCrypto, hexToBytes, recoverSender, type SignedTransaction, TX_BLOB, toAddress } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSilentLogger, type KeyValueStore, type ManualClock, Secret } from '@keelson/runtime'
import { BLOB_BYTES, versionedHash } from '../beacon/verify-blobs.ts'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import { createLocalSigner } from '../signer.ts'
import { createFakeL1, type FakeL1 } from './fake-l1.test-support.ts'
import { createTransactionJournal } from './journal.ts'
import { createL1Account } from './l1-account.ts'
import { createTransactionManager, type TransactionManager, type TransactionManagerOptions } from './tx-manager.ts'

const crypto = createPureCrypto()
const key: Secret<Bytes32> = new Secret(new Uint8Array(32).fill(5))
const signer = createLocalSigner(key, crypto)
const inbox = toAddress(`0xff${'00'.repeat(19)}`)
const CHAIN_ID = 900n
/** Commitment and proof as a function of the blob: what KZG is, to the manager. */
const kzg = {
  blobToCommitment: async (blob: Uint8Array) => new Uint8Array(48).fill(blob[0] as number),
  blobProof: async (_blob: Uint8Array, commitment: Uint8Array) => commitment.map((byte) => byte ^ 255),
}

describe('transaction manager', () => {
  let l1: FakeL1
  let clock: ManualClock
  let store: KeyValueStore
  let manager: TransactionManager

  const create = (options: Partial<TransactionManagerOptions> = {}) =>
    createTransactionManager(
      { chainId: CHAIN_ID, confirmations: 1, pollIntervalMs: 1000, resubmitAfterMs: 10_000, maxCostWei: 10n ** 15n, ...options },
      {
        account: createL1Account(l1.rpc, signer.address),
        signer,
        journal: createTransactionJournal(store, CHAIN_ID, signer.address),
        kzg,
        crypto,
        clock,
        log: createSilentLogger(),
      },
    )
  const send = (...bytes: number[]) => manager.send({ to: inbox, data: Uint8Array.from(bytes), label: `tx ${bytes}` })
  /** Until the sends begun so far are in the pool or refused. */
  const placed = async (count: number) => {
    for (let i = 0; i < 1000 && l1.pool.size < count; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(l1.pool.size, count)
  }
  const journaled = async () => (await createTransactionJournal(store, CHAIN_ID, signer.address).load()).map(({ nonce }) => nonce)
  const nonces = (transactions: readonly SignedTransaction[]) => transactions.map(({ nonce }) => nonce)

  beforeEach(() => {
    l1 = createFakeL1()
    clock = createManualClock(1_000_000)
    store = createMemoryStore()
    manager = create()
  })

  it('sends a transaction and gives its receipt when it is mined', async () => {
    const receipt = send(1)
    await placed(1)
    const tx = l1.pool.get(0n) as SignedTransaction
    assert.equal(toAddress(recoverSender(tx, crypto) as Uint8Array), signer.address)
    // 2 * base fee + tip; a tenth above the estimate
    assert.deepEqual(
      [tx.type, 'chainId' in tx && tx.chainId, 'maxFeePerGasWei' in tx && tx.maxFeePerGasWei, tx.gasLimit],
      [2, CHAIN_ID, 2100n, 23_100n],
    )
    assert.deepEqual(await journaled(), [0n])
    await manager.step()
    l1.mine()
    await manager.step()
    const { transactionHash, blockNumber, succeeded } = await receipt
    assert.deepEqual([transactionHash, blockNumber, succeeded], [tx.hash, 1, true])
    assert.deepEqual([await journaled(), manager.pendingCount, await manager.step()], [[], 0, false])
  })

  it('gives nonces in the order of the calls', async () => {
    const receipts = Promise.all([send(1), send(2), send(3)])
    await placed(3)
    l1.mine()
    await manager.step()
    assert.deepEqual(
      (await receipts).map(({ transactionHash }) => l1.mined().findIndex((tx) => tx.hash === transactionHash)),
      [0, 1, 2],
    )
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [1, 2, 3],
    )
  })

  it('waits for as many confirmations as it was told', async () => {
    manager = create({ confirmations: 3 })
    let done = false
    const receipt = send(1).then(() => {
      done = true
    })
    await placed(1)
    for (const expected of [false, false, true]) {
      l1.mine()
      await manager.step()
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(done, expected)
    }
    await receipt
  })

  it('raises the price of what waits, enough to replace it, and accepts any version', async () => {
    const receipt = send(1)
    await placed(1)
    const first = l1.pool.get(0n) as SignedTransaction
    l1.baseFeeWei = 50_000n
    l1.mine()
    await manager.step()
    assert.equal(l1.pool.get(0n), first)
    await clock.advance(10_000)
    await manager.step()
    const second = l1.pool.get(0n) as SignedTransaction
    assert.notEqual(second.hash, first.hash)
    assert.ok('maxFeePerGasWei' in second && second.maxFeePerGasWei === 100_100n)
    assert.equal(second.nonce, 0n)
    // the network mines the first version after all
    l1.baseFeeWei = 1000n
    l1.pool.set(0n, first)
    l1.mine()
    await manager.step()
    assert.equal((await receipt).transactionHash, first.hash)
  })

  it('raises by at least a tenth when prices have not moved', async () => {
    void send(1).catch(() => undefined)
    await placed(1)
    for (let i = 0; i < 3; i++) {
      await clock.advance(10_000)
      await manager.step()
    }
    const offers = l1.sent.map((tx) => ('maxFeePerGasWei' in tx ? tx.maxFeePerGasWei : 0n))
    assert.deepEqual(offers, [2100n, 2310n, 2541n, 2796n])
  })

  it('raises at once when the pool finds the offer too low', async () => {
    // another version of the account's transaction is already in the pool, from a lost journal
    const foreign = send(9)
    await placed(1)
    const waiting = l1.pool.get(0n) as SignedTransaction
    store = createMemoryStore()
    manager = create()
    l1.rpc.methods = { ...l1.rpc.methods, eth_getTransactionCount: () => '0x0' }
    const receipt = send(1)
    for (let i = 0; i < 1000 && l1.pool.get(0n) === waiting; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([...(l1.pool.get(0n) as SignedTransaction).data], [1])
    void foreign.catch(() => undefined)
    void receipt.catch(() => undefined)
  })

  it('sends blobs with commitments and proofs, and doubles every price of theirs', async () => {
    const blobs = [new Uint8Array(BLOB_BYTES).fill(3), new Uint8Array(BLOB_BYTES).fill(4)]
    const receipt = manager.send({ to: inbox, data: new Uint8Array(0), blobs })
    await placed(1)
    const tx = l1.pool.get(0n) as SignedTransaction
    assert.ok(tx.type === TX_BLOB)
    const expected = blobs.map((blob) => hexToBytes(versionedHash(new Uint8Array(48).fill(blob[0] as number), crypto)))
    assert.deepEqual(
      tx.blobVersionedHashes.map((hash) => [...hash]),
      expected.map((hash) => [...hash]),
    )
    assert.ok(expected.every((hash) => hash[0] === 1))
    assert.equal(tx.maxFeePerBlobGasWei, 20n)
    const [sentBlobs, commitments, proofs] = l1.lastSidecar as [Uint8Array[], Uint8Array[], Uint8Array[]]
    assert.deepEqual([sentBlobs.length, sentBlobs[1]?.[77], commitments[0]?.[0], proofs[1]?.[0]], [2, 4, 3, 4 ^ 255])
    await clock.advance(10_000)
    await manager.step()
    const bumped = l1.pool.get(0n) as SignedTransaction
    assert.ok(bumped.type === TX_BLOB && bumped.hash !== tx.hash)
    assert.deepEqual([bumped.maxFeePerBlobGasWei, bumped.maxFeePerGasWei, bumped.maxPriorityFeePerGasWei], [40n, 4200n, 200n])
    l1.mine()
    await manager.step()
    assert.equal((await receipt).transactionHash, bumped.hash)
  })

  it('does not spend more than its limit, neither at first nor by raising', async () => {
    manager = create({ maxCostWei: 2100n * 23_100n })
    l1.baseFeeWei = 1001n
    await assert.rejects(send(1), { code: 'client/spending-limit', severity: 'temporary' })
    assert.equal(l1.sent.length, 0)
    l1.baseFeeWei = 1000n
    const receipt = send(2)
    await placed(1)
    await clock.advance(10_000)
    await manager.step()
    const tx = l1.pool.get(0n) as SignedTransaction
    assert.ok('maxFeePerGasWei' in tx && tx.maxFeePerGasWei === 2100n)
    l1.mine()
    await manager.step()
    assert.equal((await receipt).succeeded, true)
  })

  it('takes up after a crash what was on its way, under the same nonce, and sends nothing twice', async () => {
    void send(1).catch(() => undefined)
    void send(2).catch(() => undefined)
    await placed(2)
    // the process dies; the pool loses the second one
    l1.pool.delete(1n)
    manager = create()
    const recovered = await manager.recover()
    assert.deepEqual(
      recovered.map(({ label, nonce }) => [label, nonce]),
      [
        ['tx 1', 0n],
        ['tx 2', 1n],
      ],
    )
    const third = send(3)
    await manager.step()
    await placed(3)
    l1.mine()
    await manager.step()
    await Promise.all([third, ...recovered.map(({ receipt }) => receipt)])
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [1, 2, 3],
    )
    assert.deepEqual(await journaled(), [])
  })

  it('recognises after a crash what was mined meanwhile', async () => {
    void send(1).catch(() => undefined)
    await placed(1)
    l1.mine()
    manager = create()
    const [recovered] = await manager.recover()
    await manager.step()
    assert.equal((await recovered?.receipt)?.transactionHash, l1.mined()[0]?.hash)
    void send(2).catch(() => undefined)
    await placed(1)
    assert.deepEqual([...l1.pool.keys()], [1n])
  })

  it('takes up blobs after a crash', async () => {
    void manager.send({ to: inbox, data: new Uint8Array(0), blobs: [new Uint8Array(BLOB_BYTES).fill(3)] }).catch(() => undefined)
    await placed(1)
    const before = l1.pool.get(0n)
    l1.pool.clear()
    manager = create()
    await manager.step()
    assert.equal(l1.pool.get(0n)?.hash, before?.hash)
  })

  it('writes a transaction down before it leaves', async () => {
    let written: bigint[] = []
    l1.onSend = () => {
      throw rpcFailure(-32000, 'txpool is full')
    }
    const send1 = send(1)
    void send1.catch(() => undefined)
    for (let i = 0; i < 1000 && written.length === 0; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      written = l1.sent.length > 0 ? await journaled() : []
    }
    assert.deepEqual(written, [0n])
    // the pool has room again: the next step sends it as it was
    l1.onSend = () => undefined
    await manager.step()
    assert.deepEqual(nonces([...l1.pool.values()]), [0n])
    assert.equal(l1.sent[0]?.hash, l1.sent[1]?.hash)
  })

  it('gives the nonce back when L1 will never take the transaction', async () => {
    l1.onSend = () => {
      throw rpcFailure(-32000, 'exceeds block gas limit')
    }
    await assert.rejects(send(1), { code: 'client/transaction-rejected', severity: 'critical' })
    l1.balanceWei = 0n
    l1.onSend = () => undefined
    await assert.rejects(send(2), { code: 'client/insufficient-funds', message: new RegExp(`fund ${signer.address}`) })
    l1.balanceWei = 10n ** 18n
    assert.deepEqual([await journaled(), manager.pendingCount], [[], 0])
    void send(3).catch(() => undefined)
    await placed(1)
    assert.deepEqual([...l1.pool.keys()], [0n])
  })

  it('says that a transaction would revert before it is paid for', async () => {
    l1.rpc.methods = {
      ...l1.rpc.methods,
      eth_estimateGas: () => {
        throw rpcFailure(3, 'execution reverted: not the proposer', '0x08c379a0')
      },
    }
    await assert.rejects(send(1), { code: 'client/transaction-reverts', severity: 'temporary', message: /not the proposer/ })
    assert.equal(l1.sent.length, 0)
  })

  it('asks for the nonce again when another program was faster', async () => {
    let first = true
    l1.onSend = () => {
      if (first) l1.mineForeign()
      first = false
    }
    void send(1).catch(() => undefined)
    await placed(1)
    assert.deepEqual([...l1.pool.keys()], [1n])
    assert.deepEqual(await journaled(), [1n])
  })

  it('gives up a transaction whose nonce another program has used, once that is as deep', async () => {
    manager = create({ confirmations: 2 })
    const receipt = send(1)
    await placed(1)
    l1.mineForeign()
    await manager.step()
    assert.equal(manager.pendingCount, 1)
    l1.mine()
    await manager.step()
    await assert.rejects(receipt, { code: 'client/nonce-taken', severity: 'temporary' })
    assert.deepEqual(await journaled(), [])
  })

  it('is not misled by a receipt that comes late', async () => {
    manager = create({ confirmations: 2 })
    const receipt = send(1)
    await placed(1)
    l1.mine()
    l1.receiptsLag = true
    await manager.step()
    l1.receiptsLag = false
    l1.mine()
    await manager.step()
    assert.equal((await receipt).succeeded, true)
  })

  it('sends again what a reorg took out, and settles on the new chain', async () => {
    manager = create({ confirmations: 2 })
    const receipt = send(1)
    await placed(1)
    l1.mine()
    await manager.step()
    l1.reorg(1, false)
    assert.equal(l1.pool.size, 0)
    await clock.advance(10_000)
    await manager.step()
    await placed(1)
    l1.mine(2)
    await manager.step()
    assert.equal((await receipt).blockNumber, 1)
    assert.equal(l1.mined().length, 1)
  })

  it('gives up what can never be mined after a reorg deeper than its confirmations', async () => {
    const first = send(1)
    await placed(1)
    l1.mine()
    await manager.step()
    await first
    const second = send(2)
    await placed(1)
    l1.reorg(1, false)
    for (let i = 0; i < 3; i++) await manager.step()
    await assert.rejects(second, { code: 'client/nonce-taken', message: /lost earlier transactions/ })
    l1.pool.clear()
    void send(3).catch(() => undefined)
    await placed(1)
    assert.deepEqual([...l1.pool.keys()], [0n])
  })

  it('bounds how many may wait', async () => {
    manager = create({ maxPending: 2 })
    const waiting = [send(1), send(2)]
    await placed(2)
    await assert.rejects(send(3), { code: 'client/queue-full', severity: 'temporary' })
    l1.mine()
    await manager.step()
    await Promise.all(waiting)
    void send(4).catch(() => undefined)
    await placed(1)
  })

  it('survives trouble with the node in the middle of everything', async () => {
    const receipt = send(1)
    await placed(1)
    const { methods } = l1.rpc
    l1.rpc.methods = {}
    await assert.rejects(manager.step())
    l1.rpc.methods = methods
    l1.mine()
    await manager.step()
    assert.equal((await receipt).succeeded, true)
  })

  it('ends the wait at a signal and when it stops, and leaves the journal', async () => {
    const controller = new AbortController()
    const running = new AbortController()
    await manager.start(running.signal)
    const aborted = manager.send({ to: inbox, data: new Uint8Array(1) }, controller.signal)
    await placed(1)
    const stopped = send(2)
    await placed(2)
    controller.abort()
    await assert.rejects(aborted, { code: 'client/stopped' })
    await assert.rejects(manager.send({ to: inbox, data: new Uint8Array(1) }, controller.signal), { code: 'client/stopped' })
    running.abort()
    await manager.stop()
    await assert.rejects(stopped, { code: 'client/stopped' })
    assert.deepEqual(await journaled(), [0n, 1n])
  })

  it('looks after its transactions by itself when started', async () => {
    const running = new AbortController()
    await manager.start(running.signal)
    const receipt = send(1)
    await placed(1)
    l1.mine()
    await clock.advance(1000)
    assert.equal((await receipt).blockNumber, 1)
    running.abort()
    await manager.stop()
  })
})
