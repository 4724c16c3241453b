import type { Hash } from '@keelson/primitives'
import type { TokenBucketOptions } from '@keelson/runtime'
import type { Release } from './newer-rules/newer-rules.ts'

export interface SequencerOptions {
  readonly l1Confirmations: number
  /** Building pauses when the unsafe head is this many blocks ahead of the safe head; 0 means no limit. */
  readonly maxSafeLagBlocks: number
  /** Building starts only with admin_startSequencer. The last admin_* call persists across restarts and overrides this option. */
  readonly stopped: boolean
  /** Builds without pool transactions on the next L1 origin, as derivation does for an empty window. */
  readonly recover: boolean
  /** Waits until derivation has read all of L1, in case the sequencer lost its chain. */
  readonly waitForDerivation: boolean
  readonly sealingMarginMs: number
}

export interface ServingLimits {
  readonly allPeers: TokenBucketOptions
  readonly onePeer: TokenBucketOptions
}

/** Which client fetches a chain far behind: this one from L1, or the execution client from its peers. */
export type SyncMode = 'consensus-layer' | 'execution-layer'

export interface ConsensusNodeOptions {
  readonly syncMode: SyncMode
  readonly role: 'sequencer' | 'follower'
  readonly verifierL1Confirmations: number
  readonly l1PollIntervalMs: number
  readonly sequencer: SequencerOptions
  readonly maxUnsafeQueueBytes: number
  readonly maxQueuedInputs: number
  readonly serving: ServingLimits
  /** Allows for a development L1 that loses finalized blocks. */
  readonly allowFinalizedReorg: boolean
  readonly maxHeadAgeSec: number
  /** Blocks between the unsafe head and the highest one heard. */
  readonly maxHeadLagBlocks: number
  readonly maxL1AgeSec: number
  /** Zero if gossip is off. */
  readonly minPeers: number
  readonly release: Release
  /** The hash of a signed block that the operator calls a mistake: derivation does not stop before it. */
  readonly distrustedBlock: Hash | null
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
  maxHeadLagBlocks: 10,
  maxL1AgeSec: 120,
  minPeers: 0,
  release: { version: '0.1.0', releasedOn: '2026-11-28' },
  distrustedBlock: null,
}
