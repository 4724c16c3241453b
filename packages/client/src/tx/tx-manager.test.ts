import assert from 'node:assert/strict'
import { hexToBytes, recoverSender, type SignedTransaction, TX_BLOB, toAddress } from '@keelson/primitives'
import type { ManualClock } from '@keelson/runtime'
import { BLOB_BYTES, versionedHash } from '../beacon/verify-blobs.ts'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.test-support.ts'
import { type Bench, CHAIN_ID, createBench, crypto, inbox, signer } from './tx-manager.test-support.ts'
import type { TransactionManager } from './tx-manager.ts'

describe('transaction manager', () => {
  let bench: Bench
  let l1: FakeL1
  let clock: ManualClock
  let manager: TransactionManager

  beforeEach(() => {
    bench = createBench()
    ;({ l1, clock } = bench)
    manager = bench.create()
  })

  it('sends a transaction and gives its receipt when it is mined', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    const tx = l1.pool.get(0n) as SignedTransaction
    assert.equal(toAddress(recoverSender(tx, crypto) as Uint8Array), signer.address)
    // 2 * base fee + tip; a tenth above the estimate
    assert.deepEqual(
      [tx.type, 'chainId' in tx && tx.chainId, 'maxFeePerGasWei' in tx && tx.maxFeePerGasWei, tx.gasLimit],
      [2, CHAIN_ID, 2100n, 23_100n],
    )
    assert.deepEqual(await bench.journaled(), [0n])
    await manager.step()
    l1.mine()
    await manager.step()
    const { transactionHash, blockNumber, succeeded } = await receipt
    assert.deepEqual([transactionHash, blockNumber, succeeded], [tx.hash, 1, true])
    assert.deepEqual([await bench.journaled(), manager.pendingCount, await manager.step()], [[], 0, false])
  })

  it('has gas to spare beyond the estimate for a call that says it may need it', async () => {
    const receipt = manager.send({ to: signer.address, data: Uint8Array.of(1), spareGas: 50_000n })
    await bench.placed(1)
    assert.equal(l1.pool.get(0n)?.gasLimit, 73_100n)
    l1.mine()
    await manager.step()
    await receipt
  })

  it('gives nonces in the order of the calls', async () => {
    const receipts = Promise.all([bench.send(1), bench.send(2), bench.send(3)])
    await bench.placed(3)
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

  it('waits for the configured confirmations', async () => {
    manager = bench.create({ confirmations: 3 })
    let done = false
    const receipt = bench.send(1).then(() => {
      done = true
    })
    await bench.placed(1)
    for (const expected of [false, false, true]) {
      l1.mine()
      await manager.step()
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(done, expected)
    }
    await receipt
  })

  it('raises the price of what waits, enough to replace it, and accepts any version', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
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
    l1.baseFeeWei = 1000n
    l1.pool.set(0n, first)
    l1.mine()
    await manager.step()
    assert.equal((await receipt).transactionHash, first.hash)
  })

  it('raises by at least a tenth when prices have not moved', async () => {
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    for (let i = 0; i < 3; i++) {
      await clock.advance(10_000)
      await manager.step()
    }
    const offers = l1.sent.map((tx) => ('maxFeePerGasWei' in tx ? tx.maxFeePerGasWei : 0n))
    assert.deepEqual(offers, [2100n, 2310n, 2541n, 2796n])
  })

  it('raises at once when the pool finds the offer too low', async () => {
    // The pool has another version, from a lost journal.
    const foreign = bench.send(9)
    await bench.placed(1)
    const waiting = l1.pool.get(0n) as SignedTransaction
    bench.forgetJournal()
    manager = bench.create()
    l1.rpc.methods = { ...l1.rpc.methods, eth_getTransactionCount: () => '0x0' }
    const receipt = bench.send(1)
    for (let i = 0; i < 1000 && l1.pool.get(0n) === waiting; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([...(l1.pool.get(0n) as SignedTransaction).data], [1])
    void foreign.catch(() => undefined)
    void receipt.catch(() => undefined)
  })

  it('sends blobs with commitments and proofs, and doubles every price of theirs', async () => {
    const blobs = [new Uint8Array(BLOB_BYTES).fill(3), new Uint8Array(BLOB_BYTES).fill(4)]
    const receipt = manager.send({ to: inbox, data: new Uint8Array(0), blobs })
    await bench.placed(1)
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
    manager = bench.create({ maxCostWei: 2100n * 23_100n })
    l1.baseFeeWei = 1001n
    await assert.rejects(bench.send(1), { code: 'client/spending-limit', severity: 'temporary' })
    assert.equal(l1.sent.length, 0)
    l1.baseFeeWei = 1000n
    const receipt = bench.send(2)
    await bench.placed(1)
    await clock.advance(10_000)
    await manager.step()
    const tx = l1.pool.get(0n) as SignedTransaction
    assert.ok('maxFeePerGasWei' in tx && tx.maxFeePerGasWei === 2100n)
    l1.mine()
    await manager.step()
    assert.equal((await receipt).succeeded, true)
  })

  it('gives the nonce back when L1 will never take the transaction', async () => {
    l1.onSend = () => {
      throw rpcFailure(-32000, 'exceeds block gas limit')
    }
    await assert.rejects(bench.send(1), { code: 'client/transaction-rejected', severity: 'critical' })
    l1.balanceWei = 0n
    l1.onSend = () => undefined
    await assert.rejects(bench.send(2), { code: 'client/insufficient-funds', message: new RegExp(`fund ${signer.address}`) })
    l1.balanceWei = 10n ** 18n
    assert.deepEqual([await bench.journaled(), manager.pendingCount], [[], 0])
    void bench.send(3).catch(() => undefined)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [0n])
  })

  it('says that a transaction would revert before it is paid for', async () => {
    l1.rpc.methods = {
      ...l1.rpc.methods,
      eth_estimateGas: () => {
        throw rpcFailure(3, 'execution reverted: not the proposer', '0x08c379a0')
      },
    }
    await assert.rejects(bench.send(1), { code: 'client/transaction-reverts', severity: 'temporary', message: /not the proposer/ })
    assert.equal(l1.sent.length, 0)
  })

  it('bounds how many may wait', async () => {
    manager = bench.create({ maxPending: 2 })
    const waiting = [bench.send(1), bench.send(2)]
    await bench.placed(2)
    await assert.rejects(bench.send(3), { code: 'client/queue-full', severity: 'temporary' })
    l1.mine()
    await manager.step()
    await Promise.all(waiting)
    void bench.send(4).catch(() => undefined)
    await bench.placed(1)
  })

  it('looks after its transactions by itself when started', async () => {
    const running = new AbortController()
    await manager.start(running.signal)
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mine()
    await clock.advance(1000)
    assert.equal((await receipt).blockNumber, 1)
    running.abort()
    await manager.stop()
  })
})
