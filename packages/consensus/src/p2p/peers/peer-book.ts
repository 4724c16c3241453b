export interface PeerRecord {
  readonly firstDeliveries: number
  /** Time of the last new block or response. */
  readonly lastUsefulMs: number | null
  readonly latencyMs: number | null
  readonly enr: string | null
  readonly chainId: bigint | null
  /** Consecutive requests that it did not satisfy. */
  readonly unhelpful: number
  readonly notServingMs: number | null
}

export interface PeerBook {
  record(peerId: string): PeerRecord
  firstDelivery(peerId: string, nowMs: number): void
  answered(peerId: string, satisfied: boolean, nowMs: number): void
  notServing(peerId: string, nowMs: number): void
  roundTrip(peerId: string, latencyMs: number): void
  discovered(peerId: string, enr: string, chainId: bigint): void
  peers(): readonly string[]
}

const BLANK: PeerRecord = {
  firstDeliveries: 0,
  lastUsefulMs: null,
  latencyMs: null,
  enr: null,
  chainId: null,
  unhelpful: 0,
  notServingMs: null,
}
const MAX_PEERS = 1_024
/** Weight of the newest measurement, as libp2p averages. */
const SMOOTHING = 0.1

export function createPeerBook(): PeerBook {
  const records = new Map<string, PeerRecord>()
  const record = (peerId: string) => records.get(peerId) ?? BLANK
  const change = (peerId: string, changes: Partial<PeerRecord>) => {
    const changed = { ...record(peerId), ...changes }
    records.delete(peerId)
    records.set(peerId, changed)
    if (records.size > MAX_PEERS) records.delete(records.keys().next().value as string)
  }
  return {
    record,
    firstDelivery: (peerId, nowMs) => change(peerId, { firstDeliveries: record(peerId).firstDeliveries + 1, lastUsefulMs: nowMs }),
    answered: (peerId, satisfied, nowMs) =>
      change(peerId, satisfied ? { unhelpful: 0, lastUsefulMs: nowMs } : { unhelpful: record(peerId).unhelpful + 1 }),
    notServing: (peerId, nowMs) => change(peerId, { notServingMs: nowMs }),
    roundTrip(peerId, latencyMs) {
      const before = record(peerId).latencyMs
      change(peerId, { latencyMs: before === null ? latencyMs : before + SMOOTHING * (latencyMs - before) })
    },
    discovered: (peerId, enr, chainId) => change(peerId, { enr, chainId }),
    peers: () => [...records.keys()],
  }
}
