import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { RecoveryBatch } from '@keelson/execution'
import { createPureCrypto, encodeSignedTransaction, type Logger, signingDigest, TX_LEGACY } from '@keelson/primitives'
import { openSenderThreads, type SenderThread } from './sender-threads.ts'

const warnings: string[] = []
const log = { warn: (message: string) => warnings.push(message) } as unknown as Logger

class FakeThread extends EventEmitter {
  readonly posted: SharedArrayBuffer[] = []
  beforeExit?: () => void
  postMessage(batch: SharedArrayBuffer): void {
    this.posted.push(batch)
  }
  unref() {
    return this
  }
  async terminate(): Promise<number> {
    this.beforeExit?.()
    this.emit('exit', 1)
    return 1
  }
}

function fakes() {
  const threads: FakeThread[] = []
  const start = () => {
    const thread = new FakeThread()
    threads.push(thread)
    return thread as unknown as SenderThread
  }
  return { threads, start }
}

describe('threads that recover senders', () => {
  beforeEach(() => {
    warnings.length = 0
  })

  it('recover a batch with the native library', async () => {
    const pure = createPureCrypto()
    const key = new Uint8Array(32).fill(7)
    const unsigned = {
      type: TX_LEGACY,
      chainId: 901n,
      nonce: 0n,
      gasPriceWei: 1n,
      gasLimit: 21_000n,
      to: new Uint8Array(20),
      valueWei: 1n,
      data: new Uint8Array(0),
    } as const
    const tx = encodeSignedTransaction(unsigned, pure.sign(signingDigest(unsigned), key))
    const batch = RecoveryBatch.create([tx], true)
    const pool = openSenderThreads(1, { slowCrypto: false }, log)
    assert.ok(pool)
    pool.help(batch.shared)
    const state = new Int32Array(batch.shared, 8, 1)
    for (let value = Atomics.load(state, 0); value < 2; value = Atomics.load(state, 0)) Atomics.wait(state, 0, value, 1_000)
    const never = () => assert.fail('recovered on the main thread')
    assert.deepEqual(batch.settle(0, { recover: never }), pure.addressOf(key))
    await pool.close()
    assert.deepEqual(warnings, [])
  })

  it('are replaced after a death, at the next batch', () => {
    const { threads, start } = fakes()
    const pool = openSenderThreads(2, { slowCrypto: false }, log, start)
    pool?.help(new SharedArrayBuffer(8))
    threads[0]?.emit('error', new Error('out of memory'))
    threads[0]?.emit('exit', 1)
    pool?.help(new SharedArrayBuffer(8))
    assert.deepEqual(
      threads.map(({ posted }) => posted.length),
      [1, 2, 1],
    )
    assert.equal(warnings.length, 1)
  })

  it('are not started for ever when each of them dies', () => {
    const { threads, start } = fakes()
    const pool = openSenderThreads(1, { slowCrypto: false }, log, start)
    for (let block = 0; block < 100; block++) {
      pool?.help(new SharedArrayBuffer(8))
      threads.at(-1)?.emit('exit', 1)
    }
    assert.equal(threads.length, 8)
  })

  it('hold a bounded number of batches when they do not answer', () => {
    const { threads, start } = fakes()
    const pool = openSenderThreads(1, { slowCrypto: false }, log, start)
    for (let block = 0; block < 100; block++) pool?.help(new SharedArrayBuffer(8))
    assert.equal(threads[0]?.posted.length, 4)
    threads[0]?.emit('message', 'done')
    pool?.help(new SharedArrayBuffer(8))
    assert.equal(threads[0]?.posted.length, 5)
  })

  it('end with the node and start no more', async () => {
    const { threads, start } = fakes()
    const pool = openSenderThreads(1, { slowCrypto: false }, log, start)
    pool?.help(new SharedArrayBuffer(8))
    await pool?.close()
    pool?.help(new SharedArrayBuffer(8))
    assert.equal(threads.length, 1)
    assert.deepEqual(warnings, [], 'an expected end is no death')
  })

  it('end without a warning when they answer while the node stops', async () => {
    const { threads, start } = fakes()
    const pool = openSenderThreads(1, { slowCrypto: false }, log, start)
    pool?.help(new SharedArrayBuffer(8))
    const [thread] = threads
    assert.ok(thread)
    thread.beforeExit = () => thread.emit('message', 'done')
    await pool?.close()
    assert.deepEqual(warnings, [])
  })
})
