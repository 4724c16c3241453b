/** Consensus client: driver, engine control, sequencer, finality, gossip of unsafe blocks, rollup RPC. */
export * from './driver/driver-api.ts'
export * from './errors.ts'
export * from './options.ts'
export * from './p2p/block-message.ts'
export * from './p2p/block-validator.ts'
export * from './p2p/snappy-block.ts'
export * from './p2p/ssz-payload.ts'
export * from './ports.ts'
