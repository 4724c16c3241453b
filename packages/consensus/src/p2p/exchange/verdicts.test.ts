import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { concatBytes, encodeSignedPart, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSilentLogger } from '@keelson/runtime'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { DEFAULT_CONSENSUS_OPTIONS } from '../../options.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import { createPeering } from '../peers/peering.ts'
import { DEFAULT_PEERING } from '../peers/peering-options.ts'
import { encodePayloadAnswer, encodePayloadRequest } from './payload-exchange.ts'
import { createPayloadServer } from './payload-server.ts'
import { requestPayload } from './request-payload.ts'
import { snappyFrames } from './snappy-frames.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const GENESIS = 5
const DUE = 100

function block(number: number, parentHash = ZERO_HASH): PayloadEnvelope {
  return makePayload({ number, parentHash, timestampSec: 1_800_000_000, l1Origin: { hash: ZERO_HASH, number: 1 }, sequenceNumber: 0 })
}

const wanted = block(9)
const answered = (envelope: PayloadEnvelope) => async () => encodePayloadAnswer(envelope)
const code = (result: number) => async () => Uint8Array.of(result)
const failing = (name: string) => async () => {
  throw Object.assign(new Error('the stream ended'), { name })
}

/** Returns the points of a peer after its answer to one request. */
async function pointsFor(exchange: () => Promise<Uint8Array>): Promise<number> {
  const clock = createManualClock(1_800_000_000_000)
  const peering = createPeering(
    {
      chainId: 10n,
      blockTimeMs: 2_000,
      host: '127.0.0.1',
      nodeKey: new Uint8Array(32).fill(1),
      staticPeers: [],
      peering: DEFAULT_PEERING,
    },
    {
      store: createMemoryStore(),
      topics: [],
      host: () => ({ connections: () => [{ peerId: 'peer' }], score: () => null }) as unknown as GossipHost,
      discovery: () => null,
      clock,
      log: createSilentLogger(),
    },
  )
  const peers = { peers: peering.helpfulFirst, exchange, judged: peering.answered }
  await requestPayload(peers, 9, wanted.payload.blockHash, new AbortController().signal)
  return peering.hostOptions.applicationScore('peer')
}

const ANSWERS: Readonly<Record<string, () => Promise<number>>> = {
  'the block': () => pointsFor(answered(wanted)),
  'code 1, not found': () => pointsFor(code(1)),
  'code 2, invalid request': () => pointsFor(code(2)),
  'code 3 and above': async () => {
    for (const result of [4, 77, 128, 255]) assert.equal(await pointsFor(code(result)), -1, `code ${result}`)
    return pointsFor(code(3))
  },
  'none in time, or the stream broke': () => pointsFor(failing('TimeoutError')),
  'the peer does not have the protocol': () => pointsFor(failing('UnsupportedProtocolError')),
  malformed: async () => {
    const good = encodePayloadAnswer(wanted)
    const unknownVersion = concatBytes(Uint8Array.of(0, 9, 0, 0, 0), good.subarray(5))
    for (const raw of [new Uint8Array(0), Uint8Array.of(0, 2), unknownVersion, concatBytes(good.subarray(0, 5), new Uint8Array(64))]) {
      assert.equal(await pointsFor(async () => raw), -20)
    }
    return pointsFor(async () => good.subarray(0, 200))
  },
  'another number than requested': () => pointsFor(answered(block(10))),
  'a hash that the fields do not have': () =>
    pointsFor(async () => {
      const lie = { ...wanted, payload: { ...wanted.payload, gasUsed: 7n } }
      return concatBytes(encodePayloadAnswer(wanted).subarray(0, 5), snappyFrames(encodeSignedPart(lie)))
    }),
  'a block of another chain': () => pointsFor(answered(block(9, wanted.payload.blockHash))),
}

/** Returns the result code of this node's answer. */
async function codeFor(request: Uint8Array, { isBroken = false, before = 0 } = {}): Promise<number> {
  const clock = createManualClock(0)
  const server = createPayloadServer({
    blocks: {
      payload: async (at) => {
        if (isBroken) throw new Error('disk')
        return at === 9 ? wanted : null
      },
    },
    range: () => ({ first: GENESIS, last: DUE }),
    limits: DEFAULT_CONSENSUS_OPTIONS.serving,
    clock,
    log: createSilentLogger(),
  })
  const earlier = Array.from({ length: before }, () => server.answer(request, 'peer'))
  const [result] = await server.answer(request, 'peer')
  for (let i = 0; i < before; i++) await clock.advance(1_000)
  await Promise.all(earlier)
  return result as number
}

const SERVED: Readonly<Record<string, () => Promise<number>>> = {
  'a block that it has': () => codeFor(encodePayloadRequest(9)),
  'a block that it lacks': () => codeFor(encodePayloadRequest(10)),
  'before genesis': () => codeFor(encodePayloadRequest(GENESIS - 1)),
  'after the block due now': () => codeFor(encodePayloadRequest(DUE + 1)),
  'not eight bytes': async () => {
    for (const length of [0, 1, 7, 9]) assert.equal(await codeFor(new Uint8Array(length)), 2, `${length} bytes`)
    return codeFor(new Uint8Array(7))
  },
  'the block cannot be read': () => codeFor(encodePayloadRequest(9), { isBroken: true }),
  'too many requests wait': () => codeFor(encodePayloadRequest(9), { before: 60 }),
}

for (const { name, head, rows } of [
  { name: 'points for an answer', head: '| answer to a request |', rows: ANSWERS },
  { name: 'result codes of answers', head: '| request of a peer |', rows: SERVED },
]) {
  describe(name, () => {
    const table = README.slice(README.indexOf(head)).split('\n\n')[0] as string
    const promised = table
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()))
    for (const [, row = '', here, opNode, why] of promised) {
      it(`${row}: ${here}`, async () => {
        assert.equal(await rows[row]?.(), Number(here))
        assert.equal(why !== '', here !== opNode || why?.startsWith('here ') === true, 'a reason, where the clients differ')
      })
    }
    it('each case that is tried has its row', () => {
      assert.deepEqual(promised.map(([, row]) => row).sort(), Object.keys(rows).sort())
    })
  })
}
