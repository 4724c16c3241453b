/** Strict derivation; base-fee parameters in each header. specs: protocol/holocene/ */
import type { ForkDefinition } from '../rules.ts'

export const holocene: ForkDefinition = {
  name: 'holocene',
  inclusion: { strictOrdering: true },
  block: { eip1559Source: 'header', extraDataVersion: 0 },
}
