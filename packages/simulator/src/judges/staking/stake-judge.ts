/** No honest validator loses stake for an offence, and the staking contract holds what its books say. */
import { decodeStakingAccounts, decodeValidator, encodeGetValidator, OWN_CONTRACTS, STAKING_ACCOUNTS } from '@keelson/contracts'
import { type Address, bytesToHex, hexToBytes, parseQuantity } from '@keelson/primitives'
import type { RunningNode } from '../../roles/simulated-node.ts'
import type { ReportViolation } from '../violation.ts'

/** Looks at the head of a node. */
export async function judgeStakes(
  keys: readonly Address[],
  name: string,
  { execution }: RunningNode,
  report: ReportViolation,
): Promise<void> {
  const { hash, header } = execution.chain.label('unsafe')
  const at = { blockHash: hash }
  const where = `${name}, block ${header.number}`
  const context = { signal: new AbortController().signal, transport: 'http' as const }
  const view = async (data: Uint8Array) =>
    hexToBytes((await execution.methods.eth_call?.([{ to: OWN_CONTRACTS.Staking, data: bytesToHex(data) }, at], context)) as string)
  const accounts = decodeStakingAccounts(await view(STAKING_ACCOUNTS))
  const booksWei = Object.values(accounts).reduce<bigint>((sum, wei: bigint) => sum + wei, 0n)
  const heldWei = parseQuantity(await execution.methods.eth_getBalance?.([OWN_CONTRACTS.Staking, at], context), 'eth_getBalance')
  if (booksWei !== heldWei) report('stakes are conserved', `${where}: the books say ${booksWei} wei, the contract has ${heldWei}`)
  for (const key of keys) {
    const data = await view(encodeGetValidator(key)).catch(() => null)
    const record = data === null ? null : decodeValidator(data)
    if (record !== null && (record.slashed || record.openOffences > 0)) report('no honest validator is slashed', `${where}: ${key}`)
  }
}
