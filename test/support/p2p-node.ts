import {
  type BlockSigner,
  createBlockValidator,
  createDegradedStates,
  createLibp2pGossip,
  createLocalBlockSigner,
  createP2pAdminMethods,
  createP2pMethods,
  DEFAULT_DISCOVERY,
  DEFAULT_PEERING,
  type PeeringOptions,
  type UnsafeGossip,
} from '@keelson/consensus'
import { type Crypto, createPureCrypto, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, createSilentLogger, createSystemClock, type KeyValueStore } from '@keelson/runtime'
import { makePayload } from './payloads.ts'

export const CHAIN_ID = 84532n
export const crypto = createPureCrypto()
export const clock = createSystemClock()
export const sequencer = createLocalBlockSigner(crypto, new Uint8Array(32).fill(7))
export const stranger = createLocalBlockSigner(crypto, new Uint8Array(32).fill(8))

export interface P2pNodeOptions {
  readonly seed: number
  readonly chainId?: bigint
  readonly signer?: BlockSigner
  readonly staticPeers?: readonly string[]
  readonly peering?: Partial<PeeringOptions>
  readonly store?: KeyValueStore
  readonly crypto?: Crypto
}

export interface P2pNode {
  readonly gossip: UnsafeGossip
  readonly received: PayloadEnvelope[]
  readonly judged: string[]
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
  peerIds(): readonly string[]
}

export function newP2pNode(options: P2pNodeOptions): P2pNode {
  const { seed, chainId = CHAIN_ID, signer, staticPeers = [], peering, store } = options
  const received: PayloadEnvelope[] = []
  const judged: string[] = []
  const log = createSilentLogger()
  const gossip = createLibp2pGossip(
    {
      chainId,
      blockTimeMs: 2_000,
      host: '127.0.0.1',
      port: 0,
      nodeKey: new Uint8Array(32).fill(seed),
      staticPeers,
      announce: [],
      peering: { ...DEFAULT_PEERING, ...peering },
    },
    {
      validator: createBlockValidator({
        chainId,
        signer: () => sequencer.address,
        nowMs: () => clock.nowMs(),
        usesBlobGasField: () => true,
        crypto,
      }),
      signer: signer ?? null,
      store: store ?? createMemoryStore(),
      crypto: options.crypto ?? crypto,
      clock,
      log,
      degraded: createDegradedStates(clock, log),
      onJudgement: (judgement) => judged.push(judgement.verdict === 'accept' ? 'accept' : judgement.reason),
    },
  )
  gossip.onPayload((envelope) => received.push(envelope))
  const methods = { ...createP2pMethods(gossip), ...createP2pAdminMethods(gossip) }
  return {
    gossip,
    received,
    judged,
    async rpc<T>(method: string, ...params: readonly unknown[]) {
      const handler = methods[method]
      if (handler === undefined) throw new Error(`no method ${method}`)
      return (await handler(params, { signal: new AbortController().signal, transport: 'http' } as never)) as T
    },
    peerIds: () => gossip.peers().map(({ peerId }) => peerId),
  }
}

export function discovering(...bootnodes: readonly string[]): Partial<PeeringOptions> {
  return { discovery: { ...DEFAULT_DISCOVERY, bootnodes, udpPort: 0, walkEveryMs: { wanting: 100, content: 100 } } }
}

export function newBlock(number: number): PayloadEnvelope {
  return makePayload({
    number,
    parentHash: ZERO_HASH,
    timestampSec: Math.floor(clock.nowMs() / 1000),
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
  })
}

export async function withNodes(nodes: readonly P2pNode[], test: () => Promise<void>): Promise<void> {
  try {
    for (const node of nodes) await node.gossip.start()
    await test()
  } finally {
    for (const node of nodes) await node.gossip.stop()
  }
}
