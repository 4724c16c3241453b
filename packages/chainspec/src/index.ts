/** Forks, schedules, rollup and L1 configuration, genesis: data about chains. Pure. */
export * from './errors.ts'
export * from './fork-schedule.ts'
export * from './l1-chain.ts'
export * from './rollup-config.ts'
export * from './rules.ts'
