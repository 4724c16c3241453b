/** Proposes output roots to L1. */
export * from './errors.ts'
export * from './ports.ts'
export * from './proposer.ts'
