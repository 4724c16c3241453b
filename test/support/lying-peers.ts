/** Peers with real scores and bans. */
import { DEFAULT_PEERING } from '@keelson/consensus'
import type { Clock, Logger } from '@keelson/primitives'
import { createMemoryStore } from '@keelson/runtime'
import { type RequestOutcome, requestPayload } from '../../packages/consensus/src/p2p/exchange/request-payload.ts'
import type { UnsafeGossip } from '../../packages/consensus/src/p2p/gossip/unsafe-gossip.ts'
import { createPeering } from '../../packages/consensus/src/p2p/peers/peering.ts'

export interface LyingPeers {
  add(name: string, answer: (number: number) => Promise<Uint8Array>): void
  readonly requestPayload: UnsafeGossip['requestPayload']
  connected(): readonly string[]
  remove(name: string): void
  outcomesOf(name: string): readonly RequestOutcome[]
}

const NEVER = new AbortController().signal
const CHAIN_ID = 84532n

export function createLyingPeers(clock: Clock, log: Logger): LyingPeers {
  const answers = new Map<string, (number: number) => Promise<Uint8Array>>()
  const addresses = new Map<string, string>()
  const outcomes = new Map<string, RequestOutcome[]>()
  const connections = () =>
    [...answers.keys()].map((peerId) => ({
      peerId,
      ip: addresses.get(peerId) ?? null,
      direction: 'outbound' as const,
      address: '',
      openedMs: 0,
    }))
  const peering = createPeering(
    {
      chainId: CHAIN_ID,
      blockTimeMs: 2_000,
      host: '127.0.0.1',
      nodeKey: new Uint8Array(32).fill(1),
      staticPeers: [],
      peering: DEFAULT_PEERING,
    },
    { store: createMemoryStore(), topics: [], host: () => host, discovery: () => null, clock, log },
  )
  const host = {
    connections,
    score: (peerId: string) => peering.hostOptions.applicationScore(peerId),
    async disconnect(peerId: string) {
      answers.delete(peerId)
    },
  } as unknown as NonNullable<ReturnType<Parameters<typeof createPeering>[1]['host']>>
  return {
    add(name, answer) {
      answers.set(name, answer)
      addresses.set(name, `10.0.${addresses.size >> 8}.${addresses.size & 255}`)
    },
    requestPayload: (number, hash) =>
      requestPayload(
        {
          peers: peering.helpfulFirst,
          exchange: (peer) => (answers.get(peer) ?? (() => Promise.reject(new Error('the peer is gone'))))(number),
          judged(peer, outcome) {
            outcomes.set(peer, [...(outcomes.get(peer) ?? []), outcome])
            peering.answered(peer, outcome)
          },
        },
        number,
        hash,
        NEVER,
      ),
    connected: () => [...answers.keys()],
    remove: (name) => answers.delete(name),
    outcomesOf: (name) => outcomes.get(name) ?? [],
  }
}
