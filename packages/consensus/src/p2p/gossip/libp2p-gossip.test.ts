import assert from 'node:assert/strict'
import { createPureCrypto, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { eventually } from '../../../../../test/support/eventually.ts'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { createDegradedStates } from '../../degraded-states.ts'
import { DEFAULT_CONSENSUS_OPTIONS } from '../../options.ts'
import type { BlockSigner } from '../../ports.ts'
import { createPayloadServer } from '../exchange/payload-server.ts'
import { peerIdOfNodeKey } from '../host/node-key.ts'
import { DEFAULT_PEERING } from '../peers/peering-options.ts'
import { createLocalBlockSigner } from './block-signer.ts'
import { createBlockValidator } from './block-validator.ts'
import { createLibp2pGossip } from './libp2p-gossip.ts'
import type { UnsafeGossip } from './unsafe-gossip.ts'

const CHAIN_ID = 84532n
const crypto = createPureCrypto()
const clock = createSystemClock()
const log = createSilentLogger()
const sequencer = createLocalBlockSigner(crypto, new Uint8Array(32).fill(7))
const stranger = createLocalBlockSigner(crypto, new Uint8Array(32).fill(8))

interface TestNode {
  readonly gossip: UnsafeGossip
  readonly received: PayloadEnvelope[]
  readonly judged: string[]
}

function newNode(seed: number, signer: BlockSigner | null, staticPeers: readonly string[]): TestNode {
  const received: PayloadEnvelope[] = []
  const judged: string[] = []
  const gossip = createLibp2pGossip(
    {
      chainId: CHAIN_ID,
      blockTimeMs: 2_000,
      host: '127.0.0.1',
      port: 0,
      nodeKey: new Uint8Array(32).fill(seed),
      staticPeers,
      announce: [],
      peering: DEFAULT_PEERING,
    },
    {
      validator: createBlockValidator({
        chainId: CHAIN_ID,
        signer: () => sequencer.address,
        nowMs: () => clock.nowMs(),
        usesBlobGasField: () => true,
        crypto,
      }),
      signer,
      store: createMemoryStore(),
      crypto,
      clock,
      log,
      degraded: createDegradedStates(clock, log),
      onJudgement: (judgement) => judged.push(judgement.verdict === 'accept' ? 'accept' : judgement.reason),
    },
  )
  gossip.onPayload((envelope) => received.push(envelope))
  return { gossip, received, judged }
}

function block(number: number): PayloadEnvelope {
  return makePayload({
    number,
    parentHash: ZERO_HASH,
    timestampSec: Math.floor(clock.nowMs() / 1000),
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
  })
}

describe('gossip over libp2p', () => {
  it('carries signed blocks to a peer that dialled, and refuses those of a stranger', async () => {
    const a = newNode(0x21, sequencer, [])
    await a.gossip.start()
    const [address] = a.gossip.self().addresses
    assert.ok(address?.endsWith(`/p2p/${await peerIdOfNodeKey(new Uint8Array(32).fill(0x21))}`))
    const b = newNode(0x22, stranger, [address as string])
    await b.gossip.start()
    try {
      await eventually('the connection', async () => a.gossip.peers().length === 1 && b.gossip.peers().length === 1)
      // Publishes new blocks until the other side's subscription is known and one arrives.
      let number = 0
      await eventually('a block at the other node', async () => {
        await a.gossip.publish(block(++number))
        return b.received.length > 0
      })
      const first = b.received[0]?.payload
      assert.ok(first !== undefined && first.blockNumber <= number)
      assert.equal(b.gossip.peers()[0]?.firstDeliveries, b.received.length)
      await eventually('a refused block', async () => {
        await b.gossip.publish(block(1_000 + number++))
        return a.judged.length > 0
      })
      assert.deepEqual([...new Set(a.judged)], ['signature-invalid'])
      assert.equal(a.received.length, 0)
    } finally {
      await b.gossip.stop()
      await a.gossip.stop()
    }
  })

  it('asks a peer for blocks, and does not take what a peer without them says for an answer', async () => {
    const a = newNode(0x25, null, [])
    const held = block(7)
    a.gossip.serve(
      createPayloadServer({
        blocks: { payload: async (at) => (at === 7 ? held : null) },
        range: () => ({ first: 0, last: 100 }),
        limits: DEFAULT_CONSENSUS_OPTIONS.serving,
        clock,
        log,
      }),
    )
    await a.gossip.start()
    const b = newNode(0x26, null, [a.gossip.self().addresses[0] as string])
    await b.gossip.start()
    try {
      await eventually('the connection', async () => b.gossip.peers().length === 1)
      const found = await b.gossip.requestPayload(7, held.payload.blockHash)
      assert.deepEqual(found, { envelope: held, from: a.gossip.self().peerId })
      assert.equal(await b.gossip.requestPayload(8, ZERO_HASH), null)
      assert.equal(await b.gossip.requestPayload(7, ZERO_HASH), null)
      assert.equal(await a.gossip.requestPayload(7, held.payload.blockHash), null, 'b serves nothing')
    } finally {
      await b.gossip.stop()
      await a.gossip.stop()
    }
    assert.equal(await b.gossip.requestPayload(7, held.payload.blockHash), null, 'a stopped node asks nobody')
  })

  it('says which port it could not have, and who has it', async () => {
    const a = newNode(0x23, null, [])
    await a.gossip.start()
    const port = Number(a.gossip.self().addresses[0]?.split('/')[4])
    const taken = createLibp2pGossip(
      {
        chainId: CHAIN_ID,
        blockTimeMs: 2_000,
        host: '127.0.0.1',
        port,
        nodeKey: new Uint8Array(32).fill(0x24),
        staticPeers: [],
        announce: [],
        peering: DEFAULT_PEERING,
      },
      {
        validator: createBlockValidator({ chainId: CHAIN_ID, signer: () => null, nowMs: () => 0, usesBlobGasField: () => true, crypto }),
        signer: null,
        store: createMemoryStore(),
        crypto,
        clock,
        log,
        degraded: createDegradedStates(clock, log),
      },
    )
    try {
      const holder = process.platform === 'linux' ? `process ${process.pid} \\(` : 'another program'
      const message = new RegExp(`127\\.0\\.0\\.1:${port}: ${holder}.*--p2p\\.port`)
      await assert.rejects(taken.start(), { code: 'consensus/gossip-start', message })
    } finally {
      await a.gossip.stop()
    }
  })
})
