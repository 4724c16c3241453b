import type { TokenBucketOptions } from '@keelson/runtime'

export interface SequencerOptions {
  /** Minimum distance of an origin from the L1 head. */
  readonly l1Confirmations: number
  /** Stops building when unsafe is this far ahead of safe; 0 disables the limit. */
  readonly maxSafeLagBlocks: number
  /** Starts only with admin_startSequencer. The last admin_* call outlives a restart and takes precedence. */
  readonly stopped: boolean
  /**
   * Builds blocks without pool transactions on the next L1 origin as soon as there is one, as derivation does for an empty
   * window.
   */
  readonly recover: boolean
  /** Waits until derivation has read all of L1 once, in case the sequencer lost its chain or holds an old copy. */
  readonly waitForDerivation: boolean
  /** Minimum time reserved for sealing before a block's timestamp. */
  readonly sealingMarginMs: number
}

/** Rate limits on peers that request blocks. */
export interface ServingLimits {
  readonly allPeers: TokenBucketOptions
  readonly onePeer: TokenBucketOptions
}

/** How a chain far behind is fetched: by this client from L1 and peers, or by the execution client from its own peers. */
export type SyncMode = 'consensus-layer' | 'execution-layer'

export interface ConsensusNodeOptions {
  readonly syncMode: SyncMode
  readonly role: 'sequencer' | 'follower'
  /** Distance that derivation keeps from the L1 head. */
  readonly verifierL1Confirmations: number
  readonly l1PollIntervalMs: number
  readonly sequencer: SequencerOptions
  readonly maxUnsafeQueueBytes: number
  readonly maxQueuedInputs: number
  readonly serving: ServingLimits
  /** L1 may reorganize below its finalized block, as a development L1 does that loses its last blocks. */
  readonly allowFinalizedReorg: boolean
  /** Readiness: maximum age of the unsafe head and of the L1 head. */
  readonly maxHeadAgeSec: number
  readonly maxL1AgeSec: number
  /** Readiness: minimum number of peers; 0 if gossip is off. */
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
