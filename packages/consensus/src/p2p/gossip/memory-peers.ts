import { ConsensusError } from '../../errors.ts'
import type { PeerDetails, PeerNetwork } from '../peers/peer-network.ts'

export function createMemoryPeers(chainId: bigint, own: string, others: () => readonly string[]): PeerNetwork {
  const details = (peerId: string): PeerDetails => ({
    peerId,
    nodeId: '',
    userAgent: '',
    protocolVersion: '',
    protocols: [],
    addresses: [],
    enr: null,
    chainId,
    firstDeliveries: 0,
    lastUsefulMs: null,
    latencyMs: null,
    notServingMs: null,
    connection: peerId === own ? null : { direction: 'outbound', openedMs: 0 },
    isExempt: true,
    gossipsBlocks: true,
    score: 0,
    gossip: null,
    colocationFactor: 0,
    requests: { validResponses: 0, errorResponses: 0, rejectedPayloads: 0 },
  })
  const refuse = async (): Promise<never> => {
    throw new ConsensusError('consensus/gossip-stopped', 'temporary', 'peers in memory are always connected')
  }
  return {
    self: async () => details(own),
    peers: async () => others().map(details),
    counts: () => ({ connected: others().length, known: others().length, banned: 0, table: 0, topics: [] }),
    discoveryTable: () => null,
    block: refuse,
    unblock: refuse,
    blocked: () => [],
    protect: () => undefined,
    unprotect: () => undefined,
    connect: refuse,
    disconnect: refuse,
  }
}
