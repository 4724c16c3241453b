export interface BlockAt {
  readonly number: number
  readonly hash: string
  readonly timeSec: number
}

export interface L2Head extends BlockAt {
  readonly l1Origin: { readonly number: number; readonly hash: string }
}

/** What `/api/network/heads` says. */
export interface HeadsDocument {
  /** Time of the server, from which ages are counted. */
  readonly timeMs: number
  /** Null while no consensus client answers. */
  readonly heads: Heads | null
  readonly problems: number
}

export interface Heads {
  readonly unsafe: L2Head
  readonly safe: L2Head
  readonly finalized: L2Head
  /** The newest L1 block, and the one that derivation has reached. */
  readonly l1: { readonly head: BlockAt; readonly derived: BlockAt; readonly finalized: BlockAt }
}

/** What `/api/network` says. */
export interface NetworkDocument extends Omit<HeadsDocument, 'problems'> {
  readonly nodes: readonly NodeReport[]
  readonly roles: readonly RoleReport[]
  readonly problems: readonly Problem[]
  /** Newest first. */
  readonly incidents: readonly Incident[]
}

export interface NodeReport {
  readonly name: string
  readonly heads: Heads | null
  /** Why the node shows no heads, in its own words. */
  readonly trouble: string | null
  readonly peers: readonly PeerReport[]
}

export interface PeerReport {
  readonly id: string
  readonly program: string
  readonly direction: 'inbound' | 'outbound'
  readonly latencyMs: number
  readonly connectedSinceMs: number | null
  readonly score: number
}

export interface CheckReport {
  readonly name: string
  readonly ok: boolean
  readonly text: string
  readonly sinceMs: number
}

export interface RoleReport {
  readonly name: string
  readonly ready: boolean
  /** Why the role's health port does not answer, or null. */
  readonly trouble: string | null
  readonly checks: readonly CheckReport[]
}

export interface Problem {
  readonly role: string
  readonly check: string
  readonly what: string
  readonly todo: string | null
  readonly sinceMs: number
}

export interface Incident {
  readonly role: string
  readonly check: string
  readonly what: string
  readonly fromMs: number
  /** Null while it lasts. */
  readonly toMs: number | null
}
