/** Deposits report the gas they used; system transactions pay for gas like others. specs: protocol/regolith/overview.md */
import type { ForkDefinition } from '../rules.ts'

export const regolith: ForkDefinition = {
  name: 'regolith',
  block: { depositGasMetered: true, depositReceiptNonce: true, l1Cost: 'calldata' },
}
