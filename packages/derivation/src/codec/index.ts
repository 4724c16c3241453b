/** Everything that goes between L2 blocks and L1 bytes, in both directions. */
export * from './extra-data.ts'
export * from './fee-scalars.ts'
export * from './frame.ts'
export * from './l1-info.ts'
export * from './payload.ts'
