import { SeverityError } from '@keelson/primitives'

export { messageOf, severityOf } from '@keelson/primitives'

export type ConsensusErrorCode =
  | 'consensus/engine-unavailable'
  | 'consensus/engine-syncing'
  | 'consensus/engine-forkchoice'
  | 'consensus/engine-rejected-deposits'
  | 'consensus/engine-cannot-sync'
  | 'consensus/invariant'
  | 'consensus/not-started'
  | 'consensus/l1-unavailable'
  | 'consensus/l1-reorg'
  | 'consensus/l1-reorg-below-finalized'
  | 'consensus/wrong-l1'
  | 'consensus/wrong-l2'
  | 'consensus/l2-block-missing'
  | 'consensus/sequencer-state'
  | 'consensus/conductor'
  | 'consensus/block-signer'
  | 'consensus/attestations'
  | 'consensus/attestation-refused'
  | 'consensus/gossip-publish'
  | 'consensus/gossip-start'
  | 'consensus/gossip-stopped'
  | 'consensus/discovery-start'

export class ConsensusError extends SeverityError<ConsensusErrorCode> {}
