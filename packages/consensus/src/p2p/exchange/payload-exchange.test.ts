import assert from 'node:assert/strict'
import { concatBytes, type PayloadEnvelope, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { DEFAULT_CONSENSUS_OPTIONS } from '../../options.ts'
import type { PayloadVersion } from '../gossip/ssz-payload.ts'
import {
  decodePayloadAnswer,
  decodePayloadRequest,
  encodePayloadAnswer,
  encodePayloadRequest,
  payloadProtocol,
} from './payload-exchange.ts'
import { createPayloadServer } from './payload-server.ts'
import { requestPayload } from './request-payload.ts'

const NEVER = new AbortController().signal

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
      assert.deepEqual(decodePayloadAnswer(answer, 9), { kind: 'payload', envelope })
    }
  })

  it('names what is wrong with an answer', () => {
    const good = block(9)
    const reasonOf = (raw: Uint8Array, number = 9) => {
      const answer = decodePayloadAnswer(raw, number)
      return answer.kind === 'payload' ? 'payload' : answer.reason
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

  it("refuses a peer's extra withdrawal, which no hash covers", () => {
    const withdrawal = { index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amountGwei: 0n }
    const good = block(9)
    const lie = encodePayloadAnswer({ ...good, payload: { ...good.payload, withdrawals: [withdrawal] } })
    assert.deepEqual(decodePayloadAnswer(lie, 9), { kind: 'bad', reason: 'withdrawals-not-empty' })
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
    assert.deepEqual(judged, ['silent no-answer', 'empty refused', 'liar bad', 'forked other-chain', 'honest payload'])
    assert.equal((await requestPayload(peers, 9, null, NEVER))?.from, 'forked', 'without a hash, any block of the number')
    assert.equal(await requestPayload(peers, 9, ZERO_HASH, NEVER), null)
  })

  it('tells a peer that does not serve blocks from one that fails to', async () => {
    const judged: string[] = []
    const unsupported = Object.assign(new Error('protocol selection failed'), { name: 'UnsupportedProtocolError' })
    const peers = {
      peers: () => ['kona', 'slow'],
      exchange: (peer: string) => Promise.reject(peer === 'kona' ? unsupported : new Error('took too long')),
      judged: (peer: string, outcome: string) => judged.push(`${peer} ${outcome}`),
    }
    assert.equal(await requestPayload(peers, 9, null, NEVER), null)
    assert.deepEqual(judged, ['kona not-served', 'slow no-answer'])
  })
})
