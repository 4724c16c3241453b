/** What `keelson status` shows. */
export interface HeadStatus {
  readonly number: number
  readonly ageSec: number
}

export interface BlockStatus extends HeadStatus {
  readonly hash: string
  readonly transactions: number
  readonly gasUsed: number
  readonly gasLimit: number
}

export interface Problem {
  /** The client, or the check, that reports it. */
  readonly where: string
  readonly what: string
  readonly todo: string
}

export interface NodeStatus {
  readonly heads: { readonly unsafe: HeadStatus; readonly safe: HeadStatus; readonly finalized: HeadStatus } | null
  readonly l1: { readonly head: number; readonly derived: number } | null
  /** Null while gossip is off or the consensus client does not answer. */
  readonly peers: number | null
  /** Progress of an execution client that fetches the chain from peers; otherwise null. */
  readonly sync: { readonly stage: string; readonly done: number; readonly of: number; readonly target: number } | null
  /** Newest first. */
  readonly blocks: readonly BlockStatus[]
  readonly problems: readonly Problem[]
}
