/** What users had is now theirs or in the fee vaults, to the wei. */
import { type Address, parseQuantity, SEQUENCER_FEE_VAULT, toAddress } from '@keelson/primitives'
import { USER_FUNDS_WEI } from '../roles/rollup-network.ts'
import type { RunningNode } from '../roles/simulated-node.ts'
import { Users } from '../roles/users.ts'
import type { ReportViolation } from './violation.ts'

/** specs: protocol/predeploys.md */
const VAULTS: readonly Address[] = [
  SEQUENCER_FEE_VAULT,
  toAddress('0x4200000000000000000000000000000000000019'),
  toAddress('0x420000000000000000000000000000000000001a'),
  toAddress('0x420000000000000000000000000000000000001b'),
]

export async function judgeMoney(name: string, { execution }: RunningNode, report: ReportViolation): Promise<void> {
  const expectedWei = USER_FUNDS_WEI * BigInt(Users.addresses.length)
  const block = execution.chain.label('unsafe')
  const context = { signal: new AbortController().signal, transport: 'http' as const }
  let totalWei = 0n
  for (const address of [...Users.addresses, ...VAULTS]) {
    const answer = await execution.methods.eth_getBalance?.([address, { blockHash: block.hash }], context)
    totalWei += parseQuantity(answer, 'eth_getBalance')
  }
  if (totalWei === expectedWei) return
  report('money is conserved', `${name}, block ${block.header.number}: ${totalWei} wei instead of ${expectedWei}`)
}
