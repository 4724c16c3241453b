/** Deposits report real gas; system transactions pay like others. specs: protocol/regolith/overview.md */
import type { ForkDefinition } from '../rules.ts'

export const regolith: ForkDefinition = {
  name: 'regolith',
  block: { depositGasMetered: true, depositReceiptNonce: true, l1Cost: 'calldata' },
}
