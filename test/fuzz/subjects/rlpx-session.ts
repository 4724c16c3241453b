/** Frames of a peer after the handshake, valid and broken, with payloads that Snappy refuses or inflates: the session ends with a reason. */

import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import fc, { type Arbitrary } from 'fast-check'
import { ByteReader } from '../../../packages/execution/src/p2p/rlpx/byte-reader.ts'
import { FrameMac } from '../../../packages/execution/src/p2p/rlpx/frame-mac.ts'
import { FrameReader, FrameWriter } from '../../../packages/execution/src/p2p/rlpx/frames.ts'
import { PeerSession } from '../../../packages/execution/src/p2p/rlpx/peer-session.ts'
import type { SessionEnd } from '../../../packages/execution/src/p2p/rlpx/session.ts'
import { DEFAULT_SESSION_LIMITS } from '../../../packages/execution/src/p2p/rlpx/session-limits.ts'
import { FIRST_CODE } from '../../../packages/execution/src/p2p/rlpx/shared-capabilities.ts'
import { MAX_MESSAGE_BYTES } from '../../../packages/execution/src/p2p/rlpx/snappy-payload.ts'
import { streamPair } from '../../../packages/execution/src/p2p/rlpx/stream-pair.test-support.ts'
import { holdMemory } from '../held-memory.ts'
import { mutatedBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'

interface Message {
  readonly code: number
  readonly payload: Uint8Array
}
type Case = { readonly wire: Uint8Array; readonly sent: number; readonly pieces: number }

const SECRET = new Uint8Array(32).fill(9)
const CAPABILITY = { name: 'eth', version: 68, length: 17, firstCode: FIRST_CODE }
const MAX_MESSAGES = 5
const MAX_SECONDS = 20
const REMOTE = { id: new Uint8Array(64), client: 'fuzz', host: '192.0.2.1', port: 1, inbound: true, listenPort: 0 }

/** Both directions have the same secrets, because each has a state of its own. */
const secrets = () => ({ aes: SECRET, egress: new FrameMac(SECRET, [SECRET]), ingress: new FrameMac(SECRET, [SECRET]) })

const compressed = fc.uint8Array({ maxLength: 120 }).map(snappyCompress)
const message: Arbitrary<Message> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ code: fc.integer({ min: 1, max: 0x7f }), payload: compressed }) },
  { weight: 30, arbitrary: fc.record({ code: fc.integer({ min: FIRST_CODE, max: FIRST_CODE + 16 }), payload: mutatedBytes(compressed) }) },
  { weight: 10, arbitrary: fc.record({ code: fc.nat(0x7f), payload: fc.uint8Array({ maxLength: 60 }) }) },
  { weight: 10, arbitrary: fc.record({ code: fc.constantFrom(1, 2, 3), payload: fc.oneof(compressed, fc.uint8Array({ maxLength: 8 })) }) },
)

function inflating(): Arbitrary<Message> {
  const sizes = [100_000, 1_000_000, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + 1]
  const bombs = sizes.map((size) => snappyCompress(new Uint8Array(size)))
  return fc.record({ code: fc.constant(FIRST_CODE), payload: fc.constantFrom(...bombs) })
}

function wireOf(messages: readonly Message[]): Uint8Array {
  const writer = new FrameWriter(secrets())
  return Uint8Array.from(Buffer.concat(messages.map(({ code, payload }) => writer.frame(code, payload))))
}

export const rlpxSessionSubject = defineSubject<Case>({
  name: 'rlpx-session',
  cases: 20_000,
  caseLimitMs: 10_000,
  async open() {
    const memory = holdMemory()
    const messages = fc.array(fc.oneof({ weight: 400, arbitrary: message }, { weight: 1, arbitrary: inflating() }), {
      minLength: 1,
      maxLength: MAX_MESSAGES,
    })
    const wire = messages.chain((all) => {
      const valid = wireOf(all)
      const bytes = fc.oneof({ weight: 3, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: mutatedBytes(fc.constant(valid)) })
      return fc.record({ wire: bytes, sent: fc.constant(all.length), pieces: fc.integer({ min: 1, max: 5 }) })
    })
    return {
      arbitrary: wire,
      async check({ wire: bytes, sent, pieces }) {
        const [peer, stream] = streamPair()
        const clock = createManualClock(1_000)
        const session = new PeerSession({
          remote: REMOTE,
          capabilities: [CAPABILITY],
          stream,
          frames: new FrameReader(new ByteReader(stream), secrets()),
          writer: new FrameWriter(secrets()),
          clock,
          limits: DEFAULT_SESSION_LIMITS,
          allReads: null,
        })
        let ended: SessionEnd | null = null
        void session.closed.then((end) => {
          ended = end
        })
        let received = 0
        session.onMessage(CAPABILITY.name, (code, payload) => {
          received++
          assert.ok(code < CAPABILITY.length && payload.length <= MAX_MESSAGE_BYTES)
        })
        const size = Math.ceil(bytes.length / pieces)
        for (let at = 0; at < bytes.length; at += size) await peer.write(bytes.subarray(at, at + size))
        peer.end()
        for (let i = 0; i < MAX_SECONDS && ended === null; i++) await clock.advance(1_000)
        const { reason, by } = ended ?? assert.fail('the session goes on')
        if (by === 'local') assert.ok(reason === 'tcpError' || reason === 'protocolBreach', reason)
        assert.ok(received <= sent, `${received} messages received, ${sent} sent`)
      },
      close: async () => memory.close(),
    }
  },
})
