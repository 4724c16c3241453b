import assert from 'node:assert/strict'
import type { PayloadVersion } from '@keelson/primitives'
import { concatBytes, encodeSignedPart, type PayloadEnvelope, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { DEFAULT_CONSENSUS_OPTIONS } from '../../options.ts'
import {
  decodePayloadAnswer,
  decodePayloadRequest,
  encodePayloadAnswer,
  encodePayloadRequest,
  payloadProtocol,
} from './payload-exchange.ts'
import { createPayloadServer } from './payload-server.ts'
import { requestPayload } from './request-payload.ts'
import { snappyFrames } from './snappy-frames.ts'

const NEVER = new AbortController().signal
const NOTHING = new Uint8Array(0)

function block(number: number, version: PayloadVersion = 4): PayloadEnvelope {
  return makePayload({
    number,
    parentHash: ZERO_HASH,
    timestampSec: 1_800_000_000 + 2 * number,
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
    version,
  })
}

function makeLarge(number: number): PayloadEnvelope {
  const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) >> 3)
  return makePayload({
    number,
    parentHash: ZERO_HASH,
    timestampSec: 1_800_000_000,
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
    transactions: [noise],
    change: { gasUsed: 10_000_000n },
  })
}

function newServer(held: ReadonlyMap<number, PayloadEnvelope>, clock = createManualClock(0)) {
  const answers: string[] = []
  const server = createPayloadServer({
    blocks: { payload: async (at) => held.get(at as number) ?? null },
    range: () => ({ first: 5, last: 100 }),
    limits: DEFAULT_CONSENSUS_OPTIONS.serving,
    clock,
    log: createSilentLogger(),
    onAnswer: (result) => answers.push(result),
  })
  return { server, answers, clock }
}

describe('asking a peer for a block', () => {
  it('has the protocol id and the request of the specification', () => {
    assert.equal(payloadProtocol(84532n), '/opstack/req/payload_by_number/84532/0')
    assert.deepEqual(encodePayloadRequest(0x010203), Uint8Array.of(3, 2, 1, 0, 0, 0, 0, 0))
    assert.equal(decodePayloadRequest(Uint8Array.of(3, 2, 1, 0, 0, 0, 0, 0)), 0x010203)
    assert.equal(decodePayloadRequest(new Uint8Array(8).fill(0xff)), null)
    assert.equal(decodePayloadRequest(new Uint8Array(7)), null)
  })

  it('carries a payload of each version, under the number the wire has for it', () => {
    for (const [version, wire] of [
      [1, 0],
      [2, 0],
      [3, 1],
      [4, 2],
    ] as const) {
      const envelope = block(9, version)
      const answer = encodePayloadAnswer(envelope)
      assert.deepEqual([...answer.subarray(0, 5)], [0, wire, 0, 0, 0])
      assert.deepEqual(decodePayloadAnswer(answer, 9, envelope.payload.blockHash), { kind: 'payload', envelope })
    }
  })

  it('names what is wrong with an answer', () => {
    const good = block(9)
    const reasonOf = (raw: Uint8Array, number = 9) => {
      const answer = decodePayloadAnswer(raw, number, good.payload.blockHash)
      return 'reason' in answer ? answer.reason : answer.kind
    }
    assert.equal(reasonOf(encodePayloadAnswer(good), 10), 'wrong-number')
    assert.equal(reasonOf(encodePayloadAnswer({ ...good, payload: { ...good.payload, gasUsed: 7n } })), 'block-hash-mismatch')
    assert.equal(reasonOf(new Uint8Array(0)), 'answer-malformed')
    assert.equal(reasonOf(Uint8Array.of(0, 4)), 'answer-malformed')
    assert.equal(reasonOf(concatBytes(Uint8Array.of(0, 9, 0, 0, 0), encodePayloadAnswer(good).subarray(5))), 'answer-malformed')
    assert.equal(reasonOf(encodePayloadAnswer(good).subarray(0, 200)), 'answer-malformed')
    assert.deepEqual(
      [1, 2, 3, 77].map((code) => reasonOf(Uint8Array.of(code))),
      ['not-found', 'invalid-request', 'failed', 'failed'],
    )
  })

  it('accepts an unchanged answer', () => {
    for (const version of [1, 2, 3, 4] as const) {
      const good = block(9, version)
      const plain = encodeSignedPart(good)
      const head = encodePayloadAnswer(good).subarray(0, 5)
      const kinds = new Map<string, number>()
      for (let at = 0; at < plain.length; at++) {
        const changed = plain.slice()
        changed[at] = (changed[at] as number) ^ (1 << (at % 8))
        const { kind } = decodePayloadAnswer(concatBytes(head, snappyFrames(changed)), 9, good.payload.blockHash)
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }
      assert.equal(kinds.get('payload'), undefined)
      assert.equal(kinds.get('other-chain'), 32, 'the stated hash is not the one that is wanted')
    }
  })

  it("refuses a peer's extra withdrawal, which no hash covers", () => {
    const withdrawal = { index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amountGwei: 0n }
    const good = block(9)
    const lie = encodePayloadAnswer({ ...good, payload: { ...good.payload, withdrawals: [withdrawal] } })
    assert.deepEqual(decodePayloadAnswer(lie, 9, good.payload.blockHash), { kind: 'lie', reason: 'withdrawals-not-empty' })
  })

  it('serves blocks it has, and says which it has not and which cannot be', async () => {
    const { server, answers } = newServer(new Map([[9, block(9)]]))
    assert.deepEqual(await server.answer(encodePayloadRequest(9), 'a'), encodePayloadAnswer(block(9)))
    for (const number of [10, 4, 101]) await server.answer(encodePayloadRequest(number), 'a')
    await server.answer(Uint8Array.of(1), 'a')
    assert.deepEqual(answers, ['payload', 'not-found', 'invalid-request', 'invalid-request', 'invalid-request'])
  })

  it('makes one greedy peer wait, and refuses when too many requests wait', async () => {
    const { server, answers, clock } = newServer(new Map([[9, block(9)]]))
    const all = Array.from({ length: 100 }, () => server.answer(encodePayloadRequest(9), 'greedy'))
    await Promise.all(all.slice(0, 32))
    assert.ok(answers.includes('failed'), 'beyond the places to wait')
    assert.ok(answers.filter((answer) => answer === 'payload').length < 100)
    await server.answer(encodePayloadRequest(9), 'modest')
    for (let i = 0; i < 100; i++) await clock.advance(1_000)
    await Promise.all(all)
    assert.equal(answers.length, 101)
  })

  it('one peer does not fill the queue of the block server', async () => {
    const { server, answers, clock } = newServer(new Map([[9, block(9)]]))
    const greedy = Array.from({ length: 500 }, () => server.answer(encodePayloadRequest(9), 'greedy'))
    const others = ['a', 'b', 'c'].map((peer) => server.answer(encodePayloadRequest(9), peer))
    for (const answer of await Promise.all(others)) assert.deepEqual(answer, encodePayloadAnswer(block(9)))
    for (let i = 0; i < 100; i++) await clock.advance(1_000)
    await Promise.all(greedy)
    assert.equal(answers.filter((answer) => answer === 'payload').length, 16 + 3)
  })

  it('asks the next peer when one has not got it, lies, or has another chain', async () => {
    const wanted = block(9)
    const other = block(9, 3)
    const answers: Record<string, () => Promise<Uint8Array>> = {
      silent: () => Promise.reject(new Error('gone')),
      empty: async () => Uint8Array.of(1),
      liar: async () => encodePayloadAnswer(block(10)),
      forked: async () => encodePayloadAnswer(other),
      honest: async () => encodePayloadAnswer(wanted),
    }
    const judged: string[] = []
    const peers = {
      peers: () => Object.keys(answers),
      exchange: (peer: string) => (answers[peer] as () => Promise<Uint8Array>)(),
      judged: (peer: string, outcome: string) => judged.push(`${peer} ${outcome}`),
    }
    const found = await requestPayload(peers, 9, wanted.payload.blockHash, NEVER)
    assert.deepEqual(found, { envelope: wanted, from: 'honest' })
    assert.deepEqual(judged, ['silent no-answer', 'empty refused', 'liar lie', 'forked other-chain', 'honest payload'])
    assert.equal(await requestPayload(peers, 9, ZERO_HASH, NEVER), null)
  })

  it("a peer's answer of a million empty transactions is refused before any of them is looked at", () => {
    const { payload } = block(9)
    for (const [gasUsed, gasLimit, expected] of [
      [30_000_000n, 30_000_000n, { kind: 'bad', reason: 'too-many-transactions' }],
      [(1n << 64n) - 1n, (1n << 64n) - 1n, { kind: 'refused', reason: 'too-much-gas' }],
      [(1n << 64n) - 1n, 30_000_000n, { kind: 'lie', reason: 'gas-above-limit' }],
    ] as const) {
      const transactions = Array.from({ length: 1 << 20 }, () => NOTHING)
      const answer = encodePayloadAnswer({ payload: { ...payload, transactions, gasUsed, gasLimit }, parentBeaconBlockRoot: ZERO_HASH })
      assert.deepEqual(decodePayloadAnswer(answer, 9, payload.blockHash), expected)
    }
  })

  it('reads only the first bytes of an answer that states another hash', () => {
    const answer = encodePayloadAnswer(makeLarge(9))
    const cut = answer.subarray(0, answer.length - 1)
    assert.deepEqual(decodePayloadAnswer(cut, 9, ZERO_HASH), { kind: 'other-chain' })
    assert.deepEqual(decodePayloadAnswer(cut, 9, makeLarge(9).payload.blockHash), { kind: 'bad', reason: 'answer-malformed' })
  })

  it('drops the pending answers of a peer after it lied', async () => {
    const hashes = new Map(Array.from({ length: 16 }, (_, i) => [i + 1, block(i + 1).payload.blockHash] as const))
    const liars = new Set<string>()
    const judged: string[] = []
    const lie = (number: number) => {
      const { payload, parentBeaconBlockRoot } = block(number)
      return encodePayloadAnswer({ payload: { ...payload, gasUsed: 1n }, parentBeaconBlockRoot })
    }
    const peers = {
      peers: () => ['liar', 'honest'].filter((peer) => !liars.has(peer)),
      exchange: async (peer: string, request: Uint8Array) => {
        const number = decodePayloadRequest(request) as number
        return peer === 'liar' ? lie(number) : encodePayloadAnswer(block(number))
      },
      judged(peer: string, outcome: string) {
        judged.push(`${peer} ${outcome}`)
        if (outcome === 'lie') liars.add(peer)
      },
    }
    const found = await Promise.all([...hashes].map(([number, hash]) => requestPayload(peers, number, Promise.resolve(hash), NEVER)))
    assert.deepEqual(
      found.map((one) => one?.from),
      [...hashes].map(() => 'honest'),
    )
    assert.equal(judged.filter((outcome) => outcome === 'liar lie').length, 1, 'one answer is looked into')
  })

  it('does not read a block that is no longer wanted', async () => {
    const peers = {
      peers: () => ['a', 'b'],
      exchange: async () => Uint8Array.of(0),
      judged: (peer: string) => assert.fail(`${peer} was judged`),
    }
    assert.equal(await requestPayload(peers, 9, Promise.resolve(null), NEVER), null)
  })

  it('tells a peer that does not serve blocks from one that fails to', async () => {
    const judged: string[] = []
    const unsupported = Object.assign(new Error('protocol selection failed'), { name: 'UnsupportedProtocolError' })
    const peers = {
      peers: () => ['kona', 'slow'],
      exchange: (peer: string) => Promise.reject(peer === 'kona' ? unsupported : new Error('took too long')),
      judged: (peer: string, outcome: string) => judged.push(`${peer} ${outcome}`),
    }
    assert.equal(await requestPayload(peers, 9, ZERO_HASH, NEVER), null)
    assert.deepEqual(judged, ['kona not-served', 'slow no-answer'])
  })
})
