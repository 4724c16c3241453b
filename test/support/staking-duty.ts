import assert from 'node:assert/strict'
import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { ContractChain } from './contract-chain.ts'
import { deployStaking, type StakingParameters, type StakingWorld, validatorKey } from './staking-contract.ts'

export const [OWNER, STRANGER] = [1, 3] as const
export const [DOUBLE_ATTESTATION, INVALID_ATTESTATION, DOWNTIME, LATE_ATTESTATIONS] = [0, 2, 3, 4] as const
export const STAKE = 1_000_000n
export const DUTY_KEYS = [validatorKey(1), validatorKey(2), validatorKey(3)] as const
export const LIE: Hex = `0x${'66'.repeat(32)}`

export interface DutyWorld extends StakingWorld {
  readonly first: number
  stakeOf(key: PrivateKeyAccount): Promise<bigint>
  weightOf(key: PrivateKeyAccount, epoch: number): Promise<bigint>
  attestTo(epoch: number, ...keys: readonly PrivateKeyAccount[]): Promise<void>
}

export async function beginDuty(
  chain: ContractChain,
  changes: Partial<StakingParameters> = {},
  stakes: readonly bigint[] = [STAKE, STAKE, STAKE],
): Promise<DutyWorld> {
  const world = await deployStaking(chain, changes)
  await world.approachEpoch(world.epoch() + 1)
  for (const [index, stake] of stakes.entries()) {
    assert.equal((await world.register(OWNER, DUTY_KEYS[index] as PrivateKeyAccount, stake)).reverted, null)
  }
  const first = world.epoch() + 1
  await world.approachEpoch(first)
  return {
    ...world,
    first,
    stakeOf: async ({ address }) => (await world.read('getValidator', [address])).stake as bigint,
    weightOf: ({ address }, epoch) => world.read('weightAt', [address, BigInt(epoch)]) as Promise<bigint>,
    async attestTo(epoch, ...keys) {
      for (const key of keys) assert.equal((await world.attest(await world.sign(key, epoch))).reverted, null)
    },
  }
}
