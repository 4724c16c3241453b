/** Messages of an eth peer end its session or are handled; no response exceeds the limit. */
import assert from 'node:assert/strict'
import { bytesToHex, type Hash, type Logger, type RlpInput, toHash } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import fc, { type Arbitrary } from 'fast-check'
import type { BlockServer } from '../../../packages/execution/src/p2p/eth/block-server.ts'
import { ETH, ETH_CAPABILITIES, ETH_CODES, type EthVersion } from '../../../packages/execution/src/p2p/eth/eth-messages.ts'
import { EthPeer, type TransactionExchange } from '../../../packages/execution/src/p2p/eth/eth-peer.ts'
import { encodeStatus, type LocalStatus } from '../../../packages/execution/src/p2p/eth/status.ts'
import { decodeAnnouncement, decodeTransactions } from '../../../packages/execution/src/p2p/eth/tx-messages.ts'
import { createServing } from '../../../packages/execution/src/p2p/requests/serving.ts'
import { holdMemory } from '../held-memory.ts'
import { isRefusal } from '../p2p/coded.ts'
import { FakeSession } from '../p2p/fake-session.ts'
import { hostileRlp } from '../p2p/hostile-rlp.ts'
import { defineSubject } from '../subject.ts'

interface Message {
  readonly code: number
  readonly payload: Uint8Array
}
interface Case {
  readonly version: EthVersion
  readonly messages: readonly Message[]
}

const HASH = toHash(new Uint8Array(32).fill(0x11))
const STATUS: LocalStatus = {
  networkId: 901n,
  genesis: HASH,
  forkId: { hash: 1, next: 0n },
  totalDifficulty: 0n,
  range: { earliest: 0n, latest: 9n, latestHash: HASH },
}
/** One full item in answer to each, so that responses are made too. */
const SERVER: BlockServer = {
  headers: () => [new Uint8Array(600).fill(1)],
  bodies: () => [new Uint8Array(600).fill(1)],
  receipts: () => [],
}
const ignore = () => undefined
const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => SILENT }
const MAX_SENT_BYTES = 10 * 1024 * 1024
const MAX_MESSAGES = 6
const REQUESTED: readonly Hash[] = [HASH, HASH]

const hash: Arbitrary<RlpInput> = fc.constantFrom(new Uint8Array(32).fill(0x11), new Uint8Array(32).fill(0x22), new Uint8Array(31))
const small: Arbitrary<RlpInput> = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const bytes: Arbitrary<RlpInput> = fc.uint8Array({ maxLength: 40 })
const many = (item: Arbitrary<RlpInput>): Arbitrary<RlpInput> => fc.array(item, { maxLength: 4 })
const log = fc.tuple(fc.constant(new Uint8Array(20)), many(hash), bytes) as Arbitrary<RlpInput>
const receipt = fc.tuple(small, small, small, many(log)) as Arbitrary<RlpInput>
const typed = fc.uint8Array({ minLength: 1, maxLength: 60 }) as Arbitrary<RlpInput>
/** Ids of the open requests are 1 to 3. */
const id: Arbitrary<RlpInput> = fc.oneof(fc.constantFrom(1, 2, 3), small)
const identified = (...body: readonly Arbitrary<RlpInput>[]) => fc.tuple(id, ...body) as Arbitrary<RlpInput>

const BODIES: Readonly<Record<number, Arbitrary<RlpInput>>> = {
  [ETH_CODES.status]: fc.tuple(small, small, hash, hash, bytes) as Arbitrary<RlpInput>,
  [ETH_CODES.transactions]: many(typed),
  [ETH_CODES.getBlockHeaders]: identified(fc.tuple(fc.oneof(small, hash), small, small, fc.constantFrom(0, 1)) as Arbitrary<RlpInput>),
  [ETH_CODES.blockHeaders]: identified(many(many(bytes))),
  [ETH_CODES.getBlockBodies]: identified(many(hash)),
  [ETH_CODES.blockBodies]: identified(many(fc.tuple(many(typed), many(bytes), many(bytes)) as Arbitrary<RlpInput>)),
  [ETH_CODES.newPooledTransactionHashes]: fc.tuple(bytes, many(small), many(hash)) as Arbitrary<RlpInput>,
  [ETH_CODES.getPooledTransactions]: identified(many(hash)),
  [ETH_CODES.pooledTransactions]: identified(many(typed)),
  [ETH_CODES.getReceipts]: fc.oneof(identified(many(hash)), identified(small, many(hash))),
  [ETH_CODES.receipts]: fc.oneof(identified(many(many(fc.oneof(receipt, typed)))), identified(fc.constantFrom(0, 1), many(many(receipt)))),
  [ETH_CODES.blockRangeUpdate]: fc.tuple(small, small, hash) as Arbitrary<RlpInput>,
}

const message: Arbitrary<Message> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .constantFrom(...Object.keys(BODIES).map(Number))
      .chain((code) => hostileRlp(BODIES[code] as Arbitrary<RlpInput>).map((payload) => ({ code, payload }))),
  },
  { weight: 1, arbitrary: fc.record({ code: fc.nat(20), payload: fc.uint8Array({ maxLength: 60 }) }) },
)

function transactions(): TransactionExchange {
  return {
    agreed: () => undefined,
    receive(code, payload) {
      if (code === ETH_CODES.transactions) decodeTransactions(payload)
      else if (code === ETH_CODES.newPooledTransactionHashes) decodeAnnouncement(payload)
    },
  }
}

export const ethMessageSubject = defineSubject<Case>({
  name: 'eth-messages',
  cases: 60_000,
  caseLimitMs: 5_000,
  async open() {
    const memory = holdMemory()
    const clock = createManualClock(1_000)
    return {
      arbitrary: fc.record({
        version: fc.constantFrom(...ETH_CAPABILITIES.map(({ version }) => version as EthVersion)),
        messages: fc.array(message, { minLength: 1, maxLength: MAX_MESSAGES }),
      }),
      async check({ version, messages }) {
        const session = new FakeSession(ETH, version)
        const peer = new EthPeer(session, {
          clock,
          status: () => STATUS,
          forkFilter: () => ({ kind: 'accepted' }),
          server: SERVER,
          serving: createServing(clock),
          log: SILENT,
          transactions,
        })
        session.deliver(ETH_CODES.status, encodeStatus(version, STATUS))
        assert.notEqual(peer.status, null)
        const { signal } = new AbortController()
        const open = [
          peer.headers({ origin: 1n, amount: 2n, skip: 0n, reverse: false }, signal),
          peer.bodies(REQUESTED, signal),
          peer.receipts(REQUESTED, signal),
        ].map((answer) =>
          answer.catch((error: unknown) => {
            if (!isRefusal(error)) throw error
            return []
          }),
        )
        for (const { code, payload } of messages) memory.during(payload.length, () => session.deliver(code, payload))
        await new Promise((resolve) => setImmediate(resolve))
        await session.disconnect('requested')
        for (const answer of await Promise.all(open))
          assert.ok(answer.length <= REQUESTED.length, bytesToHex(answer[2] ?? new Uint8Array(0)))
        assert.ok(session.sentBytes < MAX_SENT_BYTES, `${session.sentBytes} bytes sent`)
      },
      close: async () => memory.close(),
    }
  },
})
