/** A sequencer that streams its subblocks, and a follower that is handed them. */
import assert from 'node:assert/strict'
import { type Block, hexToBytes, type PayloadId, type SignedTransaction, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMetrics, nextTurn } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { createRecordingLogger } from './recording-logger.ts'

export const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
export const GENESIS_SEC = 1_700_000_000
export const RECIPIENT = '0x00000000000000000000000000000000000000aa'
/** Returns the balance of RECIPIENT. */
export const READER = toAddress('0x00000000000000000000000000000000000c0de7')
const READER_CODE = hexToBytes(`0x73${RECIPIENT.slice(2)}3160005260206000f3`)
export const WORLD: ExecutionWorldOptions = {
  genesisTimestampSec: GENESIS_SEC,
  alloc: [{ address: READER, nonce: 1n, balanceWei: 0n, code: READER_CODE, storage: [] }],
}

// biome-ignore lint/suspicious/noExplicitAny: a message of any shape, picked apart by the test
export type Message = any

export interface Pair {
  readonly sequencer: ExecutionWorld
  readonly follower: ExecutionWorld
  readonly stream: string[]
  readonly warnings: () => readonly string[]
  verdicts(): Promise<readonly number[]>
  begin(): Promise<PayloadId>
  send(tx: SignedTransaction): Promise<void>
  /** Moves both clocks. */
  pass(ms: number): Promise<void>
  /** Hands the follower what was streamed since the last time. */
  deliver(change?: (message: Message) => unknown): void
  /** Seals the block; null: the follower does not hear of it. */
  seal(id: PayloadId, follower?: ExecutionWorld | null): Promise<Block>
}

export async function openPair(options: ExecutionWorldOptions = {}): Promise<Pair> {
  const stream: string[] = []
  const clock = createManualClock(GENESIS_SEC * 1000)
  const log = createRecordingLogger()
  const metrics = createMetrics('execution')
  const listeners = { count: 1, publish: (text: string) => void stream.push(text) }
  const shared = { ...WORLD, ...options, clock }
  const sequencer = await createExecutionWorld({ ...shared, subblocks: { listeners, follows: false } })
  const follower = await createExecutionWorld({ ...shared, subblocks: { listeners: null, follows: true }, log, metrics })
  let delivered = 0
  const settle = async () => {
    for (let i = 0; i < 8; i++) await nextTurn()
  }
  return {
    sequencer,
    follower,
    stream,
    warnings: () =>
      log.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => `${message} ${String(fields.reason ?? '')}`),
    async verdicts() {
      const { text } = await metrics.render()
      return ['confirmed', 'contradicted', 'missed'].map((verdict) =>
        Number(new RegExp(`subblock_blocks_total\\{verdict="${verdict}"\\} (\\d+)`).exec(text)?.[1] ?? Number.NaN),
      )
    },
    async begin() {
      const { hash } = sequencer.node.chain.label('unsafe')
      const { payloadId } = await sequencer.engine.forkchoiceUpdated({ head: hash, ...NO_LABELS }, sequencer.attributes())
      assert.ok(payloadId)
      await settle()
      return payloadId
    },
    async send(tx) {
      const verdict = await sequencer.node.pool.add(tx, 'local')
      assert.notEqual(verdict.kind, 'rejected', JSON.stringify(verdict))
      await settle()
    },
    async pass(ms) {
      await clock.advance(ms)
      await settle()
    },
    deliver(change = (message) => message) {
      for (const text of stream.slice(delivered)) follower.node.subblocks?.receive(JSON.stringify(change(JSON.parse(text))))
      delivered = stream.length
    },
    async seal(id, to = follower) {
      const { payload, parentBeaconBlockRoot } = await sequencer.engine.getPayload(id)
      if (clock.nowMs() < payload.timestampSec * 1000) await clock.advanceTo(payload.timestampSec * 1000)
      for (const world of to === null ? [sequencer] : [sequencer, to]) {
        assert.equal((await world.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
        await world.engine.forkchoiceUpdated({ head: payload.blockHash, ...NO_LABELS }, null)
      }
      await settle()
      return sequencer.node.chain.block(payload.blockHash) as Block
    },
  }
}

export const parsed = (stream: readonly string[]): Message[] => stream.map((text) => JSON.parse(text))
export const balanceOf = async (world: ExecutionWorld, tag: string) => BigInt(await world.call('eth_getBalance', RECIPIENT, tag))
