/** What a consensus client says of itself: `rollup_syncStatus`, `opp2p_peers`. */
import type { HttpClient } from '@keelson/runtime'
import type { BlockAt, Heads, L2Head, NodeReport, PeerReport } from '../../shared/network-document.ts'
import { callRpc } from './fetch-json.ts'

export interface NamedUrl {
  readonly name: string
  readonly url: string
}

interface RefJson {
  readonly number: number
  readonly hash: string
  readonly timestamp: number
  readonly l1origin: { readonly number: number; readonly hash: string }
}

interface SyncStatusJson {
  readonly head_l1: RefJson
  readonly current_l1: RefJson
  readonly finalized_l1: RefJson
  readonly unsafe_l2: RefJson
  readonly safe_l2: RefJson
  readonly finalized_l2: RefJson
}

interface PeerJson {
  readonly peerID: string
  readonly userAgent: string
  readonly direction: number
  /** Nanoseconds. */
  readonly latency: number
  readonly connectedSince: number | null
  readonly scores: { readonly gossip: { readonly total: number } }
}

const MAX_PEERS = 100
const MAX_TEXT = 100
const INBOUND = 1

export async function readHeads(http: HttpClient, url: string, signal: AbortSignal): Promise<Heads | string> {
  const status = await callRpc(http, url, 'rollup_syncStatus', [], signal)
  if (!status.ok) return status.trouble
  const json = status.value as SyncStatusJson | null
  if (json?.unsafe_l2 === undefined) return 'what answers there is no consensus client'
  return {
    unsafe: l2Head(json.unsafe_l2),
    safe: l2Head(json.safe_l2),
    finalized: l2Head(json.finalized_l2),
    l1: { head: blockAt(json.head_l1), derived: blockAt(json.current_l1), finalized: blockAt(json.finalized_l1) },
  }
}

export async function readNode(http: HttpClient, { name, url }: NamedUrl, signal: AbortSignal): Promise<NodeReport> {
  const [heads, peers] = await Promise.all([readHeads(http, url, signal), readPeers(http, url, signal)])
  return typeof heads === 'string' ? { name, heads: null, trouble: heads, peers } : { name, heads, trouble: null, peers }
}

/** Without gossip the methods do not exist, and there are no peers. */
async function readPeers(http: HttpClient, url: string, signal: AbortSignal): Promise<readonly PeerReport[]> {
  const answer = await callRpc(http, url, 'opp2p_peers', [true], signal)
  const peers = answer.ok ? (answer.value as { peers?: Readonly<Record<string, PeerJson>> } | null)?.peers : undefined
  return Object.values(peers ?? {})
    .slice(0, MAX_PEERS)
    .map(peerReport)
}

function peerReport({ peerID, userAgent, direction, latency, connectedSince, scores }: PeerJson): PeerReport {
  return {
    id: String(peerID).slice(0, MAX_TEXT),
    program: String(userAgent ?? '').slice(0, MAX_TEXT),
    direction: direction === INBOUND ? 'inbound' : 'outbound',
    latencyMs: Math.round((latency ?? 0) / 1e6),
    connectedSinceMs: connectedSince ?? null,
    score: scores?.gossip?.total ?? 0,
  }
}

function blockAt({ number, hash, timestamp }: RefJson): BlockAt {
  return { number, hash, timeSec: timestamp }
}

function l2Head(ref: RefJson): L2Head {
  return { ...blockAt(ref), l1Origin: { number: ref.l1origin.number, hash: ref.l1origin.hash } }
}
