/** The Staking contract's views, events and uptime, for programs that need nothing else of this package. */
export * from './attestation-uptime.ts'
export * from './staking-events.ts'
export * from './staking-views.ts'
