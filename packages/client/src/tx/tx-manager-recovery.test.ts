import assert from 'node:assert/strict'
import type { ManualClock } from '@keelson/runtime'
import { BLOB_BYTES } from '../beacon/verify-blobs.ts'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.test-support.ts'
import { type Bench, createBench, inbox } from './tx-manager.test-support.ts'
import type { TransactionManager } from './tx-manager.ts'

describe('transaction manager, when things go wrong', () => {
  let bench: Bench
  let l1: FakeL1
  let clock: ManualClock
  let manager: TransactionManager

  beforeEach(() => {
    bench = createBench()
    ;({ l1, clock } = bench)
    manager = bench.create()
  })

  it('takes up after a crash what was on its way, under the same nonce, and sends nothing twice', async () => {
    void bench.send(1).catch(() => undefined)
    void bench.send(2).catch(() => undefined)
    await bench.placed(2)
    l1.pool.delete(1n)
    manager = bench.create()
    const recovered = await manager.recover()
    assert.deepEqual(
      recovered.map(({ label, nonce }) => [label, nonce]),
      [
        ['tx 1', 0n],
        ['tx 2', 1n],
      ],
    )
    const third = bench.send(3)
    await manager.step()
    await bench.placed(3)
    l1.mine()
    await manager.step()
    await Promise.all([third, ...recovered.map(({ receipt }) => receipt)])
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [1, 2, 3],
    )
    assert.deepEqual(await bench.journaled(), [])
  })

  it('settles a transaction that was mined while the disk was full', async () => {
    const sent = bench.send(1)
    await bench.placed(1)
    l1.mine()
    bench.diskFull = true
    await assert.rejects(manager.step(), /No space left/)
    assert.equal(manager.pendingCount, 1)
    bench.diskFull = false
    await manager.step()
    assert.equal((await sent).transactionHash, l1.mined()[0]?.hash)
    assert.equal(manager.pendingCount, 0)
    assert.deepEqual(await bench.journaled(), [])
  })

  it('sends nothing of a transaction that could not be written while the disk was full', async () => {
    bench.diskFull = true
    await assert.rejects(bench.send(1), /No space left/)
    bench.diskFull = false
    await manager.step()
    const second = bench.send(2)
    await bench.placed(1)
    l1.mine()
    await manager.step()
    await second
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [2],
    )
  })

  it('recognises after a crash what was mined meanwhile', async () => {
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    l1.mine()
    manager = bench.create()
    const [recovered] = await manager.recover()
    await manager.step()
    assert.equal((await recovered?.receipt)?.transactionHash, l1.mined()[0]?.hash)
    void bench.send(2).catch(() => undefined)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [1n])
  })

  it('takes up blobs after a crash', async () => {
    void manager.send({ to: inbox, data: new Uint8Array(0), blobs: [new Uint8Array(BLOB_BYTES).fill(3)] }).catch(() => undefined)
    await bench.placed(1)
    const before = l1.pool.get(0n)
    l1.pool.clear()
    manager = bench.create()
    await manager.step()
    assert.equal(l1.pool.get(0n)?.hash, before?.hash)
  })

  it('starts at once though blobs of the last run still have to be proven', async () => {
    void manager.send({ to: inbox, data: new Uint8Array(0), blobs: [new Uint8Array(BLOB_BYTES).fill(3)] }).catch(() => undefined)
    await bench.placed(1)
    const before = l1.pool.get(0n)
    l1.pool.clear()
    let proven: (commitment: Uint8Array) => void = () => undefined
    const commitment = new Promise<Uint8Array>((resolve) => {
      proven = resolve
    })
    manager = bench.create({}, { blobToCommitment: () => commitment, blobProof: async () => new Uint8Array(48) })
    const ending = new AbortController()
    await manager.start(ending.signal)
    assert.equal(l1.pool.size, 0)
    proven(new Uint8Array(48).fill(3))
    await bench.placed(1)
    assert.equal(l1.pool.get(0n)?.hash, before?.hash)
    ending.abort()
    await manager.stop()
  })

  it('writes a transaction down before it leaves', async () => {
    let written: readonly bigint[] = []
    l1.onSend = () => {
      throw rpcFailure(-32000, 'txpool is full')
    }
    const send1 = bench.send(1)
    void send1.catch(() => undefined)
    for (let i = 0; i < 1000 && written.length === 0; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      written = l1.sent.length > 0 ? await bench.journaled() : []
    }
    assert.deepEqual(written, [0n])
    l1.onSend = () => undefined
    await manager.step()
    assert.deepEqual([...l1.pool.keys()], [0n])
    assert.equal(l1.sent[0]?.hash, l1.sent[1]?.hash)
  })

  it('asks for the nonce again when another program was faster', async () => {
    let first = true
    l1.onSend = () => {
      if (first) l1.mineForeign()
      first = false
    }
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [1n])
    assert.deepEqual(await bench.journaled(), [1n])
  })

  it('gives up a transaction whose nonce another program has used, once that is as deep', async () => {
    manager = bench.create({ confirmations: 2 })
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mineForeign()
    await manager.step()
    assert.equal(manager.pendingCount, 1)
    l1.mine()
    await manager.step()
    await assert.rejects(receipt, { code: 'client/nonce-taken', severity: 'temporary' })
    assert.deepEqual(await bench.journaled(), [])
  })

  for (const late of [0, 1, 5]) {
    it(`is not misled by a receipt that comes ${late} blocks later than it should count`, async () => {
      manager = bench.create({ confirmations: 2 })
      const receipt = bench.send(1)
      await bench.placed(1)
      l1.mine(2)
      l1.receiptsLag = true
      for (let i = 0; i <= late; i++) {
        await manager.step()
        l1.mine()
      }
      assert.equal(manager.pendingCount, 1)
      l1.receiptsLag = false
      await manager.step()
      assert.equal((await receipt).succeeded, true)
      assert.equal(l1.mined().length, 1)
    })
  }

  it('says that a receipt does not come, and neither gives the transaction up nor sends it again', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mine()
    l1.receiptsLag = true
    for (let i = 0; i < 3; i++) {
      await manager.step()
      l1.mine()
    }
    assert.match(manager.trouble()?.reason ?? '', /nonce 0 is used.*no receipt of 0x/)
    assert.equal(l1.sent.length, 1)
    l1.receiptsLag = false
    await manager.step()
    assert.equal((await receipt).succeeded, true)
    assert.equal(manager.trouble(), null)
  })

  it('stops a transaction loudly when the node has thrown away what would tell who used its nonce; others go on', async () => {
    const first = bench.send(1)
    await bench.placed(1)
    l1.mineForeign()
    const nonceAt = l1.rpc.methods.eth_getTransactionCount as (address: string, at: string) => unknown
    l1.rpc.methods.eth_getTransactionCount = ((address: string, at: string) => {
      if (at.startsWith('0x')) throw rpcFailure(-32000, 'missing trie node')
      return nonceAt(address, at)
    }) as never
    for (let i = 0; i < 4; i++) {
      await manager.step()
      l1.mine()
    }
    assert.match(manager.trouble()?.reason ?? '', /missing trie node.*older state/)
    const second = bench.send(2)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [1n])
    l1.mine()
    await manager.step()
    assert.equal((await second).succeeded, true)
    const third = bench.send(3)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [2n], 'beyond the chain, not beyond the one that is stopped')
    l1.mine()
    await manager.step()
    await third
    l1.rpc.methods.eth_getTransactionCount = nonceAt as never
    l1.mine()
    await manager.step()
    await assert.rejects(first, { code: 'client/nonce-taken', message: /transaction 0x\w+ has the nonce/ })
  })

  it('takes "nonce too low" for what it is when the transaction was accepted and mined behind a proxy that asks twice', async () => {
    const accept = l1.rpc.methods.eth_sendRawTransaction as (raw: string) => unknown
    l1.rpc.methods.eth_sendRawTransaction = ((raw: string) => {
      l1.rpc.methods.eth_sendRawTransaction = accept as never
      accept(raw)
      l1.mine()
      return accept(raw)
    }) as never
    const receipt = bench.send(7)
    while (l1.sent.length < 2) await clock.advance(0)
    for (let i = 0; i < 3; i++) {
      await manager.step()
      l1.mine()
    }
    assert.equal((await receipt).succeeded, true)
    assert.deepEqual(
      l1.mined().map(({ nonce, data }) => [nonce, data[0]]),
      [[0n, 7]],
    )
  })

  for (const answer of [
    'nonce too low: next nonce 1, tx nonce 0',
    'insufficient funds for gas * price + value',
    'exceeds block gas limit',
  ]) {
    it(`sends once what was accepted before a second node answered "${answer}", though receipts are late too`, async () => {
      manager = bench.create({ confirmations: 2 })
      const accept = l1.rpc.methods.eth_sendRawTransaction as (raw: string) => unknown
      l1.rpc.methods.eth_sendRawTransaction = ((raw: string) => {
        l1.rpc.methods.eth_sendRawTransaction = accept as never
        accept(raw)
        if (answer.startsWith('nonce')) {
          l1.mine()
          l1.receiptsLag = true
        }
        throw rpcFailure(-32000, answer)
      }) as never
      const receipt = bench.send(7)
      while (l1.sent.length < 1) await clock.advance(0)
      for (let i = 0; i < 5; i++) {
        await manager.step()
        l1.mine()
      }
      l1.receiptsLag = false
      await manager.step()
      assert.equal((await receipt).succeeded, true)
      assert.equal(l1.mined().length, 1)
    })
  }

  it('sends again what a reorg took out, and settles on the new chain', async () => {
    manager = bench.create({ confirmations: 2 })
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mine()
    await manager.step()
    l1.reorg(1, false)
    assert.equal(l1.pool.size, 0)
    await clock.advance(10_000)
    await manager.step()
    await bench.placed(1)
    l1.mine(2)
    await manager.step()
    assert.equal((await receipt).blockNumber, 1)
    assert.equal(l1.mined().length, 1)
  })

  it('gives up what can never be mined after a reorg deeper than its confirmations', async () => {
    const first = bench.send(1)
    await bench.placed(1)
    l1.mine()
    await manager.step()
    await first
    const second = bench.send(2)
    await bench.placed(1)
    l1.reorg(1, false)
    for (let i = 0; i < 5; i++) await manager.step()
    assert.equal(manager.pendingCount, 1, 'one late node is believed')
    for (let i = 0; i < 3; i++) {
      l1.mine()
      await manager.step()
    }
    await assert.rejects(second, { code: 'client/nonce-taken', message: /lost earlier transactions/ })
    l1.pool.clear()
    void bench.send(3).catch(() => undefined)
    await bench.placed(1)
    assert.deepEqual([...l1.pool.keys()], [0n])
  })

  it('survives trouble with the node in the middle of everything', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
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
    await bench.placed(1)
    const stopped = bench.send(2)
    await bench.placed(2)
    controller.abort()
    await assert.rejects(aborted, { code: 'client/stopped' })
    await assert.rejects(manager.send({ to: inbox, data: new Uint8Array(1) }, controller.signal), { code: 'client/stopped' })
    running.abort()
    await manager.stop()
    await assert.rejects(stopped, { code: 'client/stopped' })
    assert.deepEqual(await bench.journaled(), [0n, 1n])
  })
})
