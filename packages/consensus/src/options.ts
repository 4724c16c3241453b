/** Options of the consensus client, with their defaults. Paths and URLs are resolved by the composition root. */
import type { TokenBucketOptions } from '@keelson/runtime'

export interface SequencerOptions {
  /** Distance in L1 blocks an origin must have from the L1 head. */
  readonly l1Confirmations: number
  /** Stop building when unsafe is this many blocks ahead of safe; 0 never stops. */
  readonly maxSafeLagBlocks: number
  /** Begin only when admin_startSequencer is called; what was asked for last by admin_* outlives a restart and wins. */
  readonly stopped: boolean
  /** Blocks without transactions of the pool, on the next L1 origin as soon as there is one: what derivation makes of an empty window. */
  readonly recover: boolean
  /** Before building, wait until derivation has once read all of L1: protects a sequencer that lost its chain, or holds an old copy. */
  readonly waitForDerivation: boolean
  /** Time kept free for sealing before a block's own time, at least; more when sealing takes longer. */
  readonly sealingMarginMs: number
}

/** How often peers may ask for blocks; who asks more waits. */
export interface ServingLimits {
  readonly allPeers: TokenBucketOptions
  readonly onePeer: TokenBucketOptions
}

/** Who fetches a chain that is far behind: this client from L1 and its peers, or the execution client from its own. */
export type SyncMode = 'consensus-layer' | 'execution-layer'

export interface ConsensusNodeOptions {
  readonly syncMode: SyncMode
  readonly role: 'sequencer' | 'follower'
  /** Distance in L1 blocks that derivation keeps from the L1 head. */
  readonly verifierL1Confirmations: number
  readonly l1PollIntervalMs: number
  readonly sequencer: SequencerOptions
  readonly maxUnsafeQueueBytes: number
  readonly maxQueuedInputs: number
  readonly serving: ServingLimits
  /** L1 may reorganise below what it called finalized (a development L1 that lost its last blocks). */
  readonly allowFinalizedReorg: boolean
  /** Readiness: oldest acceptable unsafe head, and L1 head. */
  readonly maxHeadAgeSec: number
  readonly maxL1AgeSec: number
  /** Readiness: fewest peers; 0 when gossip is off. */
  readonly minPeers: number
  readonly version: string
}

export const DEFAULT_SEQUENCER_OPTIONS: SequencerOptions = {
  l1Confirmations: 4,
  maxSafeLagBlocks: 0,
  stopped: false,
  recover: false,
  waitForDerivation: true,
  sealingMarginMs: 50,
}

export const DEFAULT_CONSENSUS_OPTIONS: ConsensusNodeOptions = {
  syncMode: 'consensus-layer',
  role: 'follower',
  verifierL1Confirmations: 0,
  l1PollIntervalMs: 1_000,
  sequencer: DEFAULT_SEQUENCER_OPTIONS,
  maxUnsafeQueueBytes: 200 * 1024 * 1024,
  maxQueuedInputs: 1_024,
  serving: { allPeers: { perSec: 50, burst: 100 }, onePeer: { perSec: 10, burst: 32 } },
  allowFinalizedReorg: false,
  maxHeadAgeSec: 60,
  maxL1AgeSec: 120,
  minPeers: 0,
  version: '0.1.0',
}
