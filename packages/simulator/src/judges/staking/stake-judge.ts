/** No honest validator loses stake for an offence, and the staking contract holds what its books say. */
import {
  decodeStakingAccounts,
  decodeValidator,
  encodeGetValidator,
  findStakingRefusal,
  OWN_CONTRACTS,
  STAKING_ACCOUNTS,
  type ValidatorRecord,
} from '@keelson/contracts'
import { type Address, hexToBytes, isHex } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import type { RunningNode } from '../../roles/simulated-node.ts'
import { type UnsafeState, unsafeStateOf } from '../unsafe-state.ts'
import type { ReportViolation } from '../violation.ts'

/** Looks at the head of a node. `keys` are those of honest validators. */
export async function judgeStakes(keys: readonly Address[], name: string, node: RunningNode, report: ReportViolation): Promise<void> {
  const state = unsafeStateOf(node)
  const where = `${name}, block ${state.number}`
  const accounts = decodeStakingAccounts(await state.call(OWN_CONTRACTS.Staking, STAKING_ACCOUNTS))
  const booksWei = Object.values(accounts).reduce<bigint>((sum, wei: bigint) => sum + wei, 0n)
  const heldWei = await state.balanceWei(OWN_CONTRACTS.Staking)
  if (booksWei !== heldWei) report('stakes are conserved', `${where}: the books say ${booksWei} wei, the contract has ${heldWei}`)
  for (const key of keys) {
    const record = await validatorAt(state, key)
    if (record !== null && (record.slashed || record.openOffences > 0)) report('no honest validator is slashed', `${where}: ${key}`)
  }
}

/** Null only if the contract says that the key is not registered. Rejects when the call fails for another reason. */
export async function validatorAt({ call }: Pick<UnsafeState, 'call'>, key: Address): Promise<ValidatorRecord | null> {
  try {
    return decodeValidator(await call(OWN_CONTRACTS.Staking, encodeGetValidator(key)))
  } catch (error) {
    if (error instanceof RpcError && isHex(error.data) && findStakingRefusal(hexToBytes(error.data))?.name === 'UnknownValidator')
      return null
    throw error
  }
}
