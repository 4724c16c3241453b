/** Consensus client: driver, engine control, sequencer, finality, gossip of unsafe blocks, rollup RPC. */
export * from './driver/driver-api.ts'
export * from './errors.ts'
export * from './options.ts'
export * from './ports.ts'
