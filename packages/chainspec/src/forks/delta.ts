/** Allows span batches, depending on the time of a batch's L1 origin. specs: protocol/delta/span-batches.md */
import type { ForkDefinition } from '../rules.ts'

export const delta: ForkDefinition = { name: 'delta', derivationOnly: true, origin: { spanBatches: true } }
