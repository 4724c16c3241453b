import assert from 'node:assert/strict'
import { ClientError, RpcResponseError } from '@keelson/client'
import { createManualClock, createMetrics, createSilentLogger, optionParsers, RpcError } from '@keelson/runtime'
import { keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createLeaderWatch, type Sequencer } from './leader-watch.ts'
import { createRouterMethods } from './router-methods.ts'
import { sequencerPair } from './sequencer-pair.ts'

const { signal } = new AbortController()
const account: PrivateKeyAccount = privateKeyToAccount(`0x${'11'.repeat(32)}`)

function signTransaction(nonce: number) {
  return account.signTransaction({ chainId: 84532, nonce, gas: 21_000n, maxFeePerGas: 1n, to: account.address, type: 'eip1559' })
}

/** A sequencer as the network shows it. */
class Remote implements Sequencer {
  readonly name: string
  readonly received: string[] = []
  active = false
  unsafe = 0
  isDown = false
  refusal: string | null = null

  constructor(name: string) {
    this.name = name
  }

  async submit(_: string, [raw]: readonly unknown[]): Promise<unknown> {
    this.#reach()
    this.received.push(String(raw))
    if (this.refusal !== null) throw new RpcResponseError('temporary', 'eth_sendRawTransaction', -32000, this.refusal, undefined)
    return keccak256(raw as `0x${string}`)
  }

  async isActive(): Promise<boolean> {
    this.#reach()
    return this.active
  }

  async head(): Promise<number> {
    this.#reach()
    return this.unsafe
  }

  #reach(): void {
    if (this.isDown) throw new ClientError('client/unreachable', 'temporary', `${this.name} is unreachable`, {})
  }
}

describe('the router of transactions', () => {
  const open = async (leaderWaitMs = 1_000) => {
    const clock = createManualClock()
    const metrics = createMetrics('router')
    const [a, b, c] = [new Remote('a'), new Remote('b'), new Remote('c')]
    const log = createSilentLogger()
    const watch = createLeaderWatch([a, b, c], { clock, log, metrics })
    const methods = createRouterMethods({ leaderWaitMs }, { watch, clock, log, metrics })
    const send = (raw: unknown) => methods.eth_sendRawTransaction?.([raw], { signal, transport: 'http' }) as Promise<unknown>
    a.active = true
    await watch.look()
    return { clock, watch, send, a, b, c }
  }
  const rejected = (error: unknown) => (error instanceof RpcError ? `${error.number} ${error.message}` : String(error))

  it('sends a transaction to the leader and to one standby, and returns the answer of the leader', async () => {
    const { send, a, b, c } = await open()
    const raw = await signTransaction(0)
    b.refusal = 'txpool is full'
    assert.equal(await send(raw), keccak256(raw))
    assert.deepEqual([a.received, b.received, c.received], [[raw], [raw], []])
    a.refusal = 'nonce too low'
    assert.equal(await send(raw).catch(rejected), '-32000 nonce too low')
  })

  it('answers with the hash when the leader has the transaction already, as after a repeated request', async () => {
    const { send, a } = await open()
    const raw = await signTransaction(1)
    a.refusal = 'already known'
    assert.equal(await send(raw), keccak256(raw))
  })

  it('follows the leader when another one takes over, also while the former still says that it is active', async () => {
    const { watch, send, clock, a, b } = await open()
    await clock.advance(1_000)
    b.active = true
    await watch.look()
    assert.equal(watch.leader, b)
    assert.equal(watch.standby, a)
    const raw = await signTransaction(2)
    await send(raw)
    assert.deepEqual([a.received, b.received], [[raw], [raw]])
  })

  it('does not follow a former leader that was stopped and still says that it is active, however late it began', async () => {
    const { watch, clock, a, b } = await open()
    a.unsafe = 8
    b.unsafe = 5
    b.active = true
    await clock.advance(1_000)
    await watch.look()
    assert.equal(watch.leader, a)
    a.isDown = true
    await watch.look()
    assert.equal(watch.leader, b)
    a.isDown = false
    b.unsafe = 9
    await watch.look()
    assert.equal(watch.leader, b)
  })

  it('finds the new leader when the one it knows does not answer', async () => {
    const { send, a, b, watch } = await open()
    a.isDown = true
    b.active = true
    const raw = await signTransaction(3)
    assert.equal(await send(raw), keccak256(raw))
    assert.equal(watch.leader, b)
  })

  it('holds a transaction until a sequencer leads', async () => {
    const { send, clock, watch, a, c } = await open()
    a.isDown = true
    await watch.look()
    assert.deepEqual(await watch.check.check(), {
      ok: false,
      reason: 'no sequencer leads: a: a is unreachable; b: does not build blocks; c: does not build blocks',
    })
    const raw = await signTransaction(4)
    const answer = send(raw)
    await clock.advance(300)
    assert.deepEqual(c.received, [])
    c.active = true
    await clock.advance(100)
    assert.equal(await answer, keccak256(raw))
    assert.deepEqual(await watch.check.check(), { ok: true, detail: 'c' })
  })

  it('says to send again when none leads within the wait', async () => {
    const { send, clock, watch, a } = await open(200)
    a.active = false
    await watch.look()
    const answer = send(await signTransaction(5)).catch(rejected)
    await clock.advance(200)
    assert.match(String(await answer), /^-32000 no sequencer leads; .* send it again$/)
  })

  it('does not follow a former leader that was paused and still says that it is active', async () => {
    const { watch, clock, a, b } = await open()
    a.isDown = true
    await watch.look()
    await clock.advance(1_000)
    b.active = true
    await watch.look()
    await clock.advance(1_000)
    a.isDown = false
    await watch.look()
    assert.deepEqual([watch.leader, watch.standby], [b, a])
    a.active = false
    await watch.look()
    await clock.advance(1_000)
    a.active = true
    await watch.look()
    assert.equal(watch.leader, a, 'it was elected again')
  })

  it('waits once for a leader, however many attempts it makes, and tells the caller no host', async () => {
    const { send, clock, watch, a } = await open(1_000)
    a.active = false
    await watch.look()
    const answer = send(await signTransaction(7)).catch(rejected)
    await clock.advance(900)
    a.active = true
    a.submit = async () => {
      a.isDown = true
      throw new ClientError('client/unreachable', 'temporary', '10.0.0.11:8545 is unreachable', {})
    }
    await clock.advance(100)
    const text = String(await answer)
    assert.match(text, /^-32000 the leader does not answer; .* send it again$/)
  })

  it('asks no sequencer about what is no transaction', async () => {
    const { send, a, b } = await open()
    const raw = await signTransaction(6)
    for (const bad of [
      undefined,
      null,
      7,
      {},
      '0x',
      '0x02',
      'zz',
      `${raw}00`,
      raw.slice(0, -2),
      `0x02${'00'.repeat(128 * 1024)}`,
      '0x7e01',
    ]) {
      assert.match(String(await send(bad).catch(rejected)), /^-32602 /, String(bad).slice(0, 20))
    }
    assert.deepEqual([a.received, b.received], [[], []])
  })
})

describe('the address of a sequencer', () => {
  it('is the URL of each of its clients, also with = in a query', () => {
    assert.deepEqual(sequencerPair('http://a:8545=http://a:9545'), { execution: 'http://a:8545', rollup: 'http://a:9545' })
    assert.deepEqual(sequencerPair('https://a/?k=v=https://b/?k=w'), { execution: 'https://a/?k=v', rollup: 'https://b/?k=w' })
    for (const bad of ['', 'http://a:8545', 'http://a=b', 'ws://a=ws://b', 'http://a secret=http://b c'])
      assert.throws(() => sequencerPair(bad), optionParsers.OptionValueError, bad)
  })
})
