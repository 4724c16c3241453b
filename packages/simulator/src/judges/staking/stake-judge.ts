/** No honest validator loses stake for an offence, and the staking contract holds what its books say. */
import { decodeStakingAccounts, decodeValidator, encodeGetValidator, OWN_CONTRACTS, STAKING_ACCOUNTS } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import type { RunningNode } from '../../roles/simulated-node.ts'
import { unsafeStateOf } from '../unsafe-state.ts'
import type { ReportViolation } from '../violation.ts'

/** Looks at the head of a node. */
export async function judgeStakes(keys: readonly Address[], name: string, node: RunningNode, report: ReportViolation): Promise<void> {
  const { number, balanceWei, call } = unsafeStateOf(node)
  const where = `${name}, block ${number}`
  const view = (data: Uint8Array) => call(OWN_CONTRACTS.Staking, data)
  const accounts = decodeStakingAccounts(await view(STAKING_ACCOUNTS))
  const booksWei = Object.values(accounts).reduce<bigint>((sum, wei: bigint) => sum + wei, 0n)
  const heldWei = await balanceWei(OWN_CONTRACTS.Staking)
  if (booksWei !== heldWei) report('stakes are conserved', `${where}: the books say ${booksWei} wei, the contract has ${heldWei}`)
  for (const key of keys) {
    const data = await view(encodeGetValidator(key)).catch(() => null)
    const record = data === null ? null : decodeValidator(data)
    if (record !== null && (record.slashed || record.openOffences > 0)) report('no honest validator is slashed', `${where}: ${key}`)
  }
}
