import type { NetworkRoles } from '@keelson/devnet/genesis'
import { type Address, ZERO_ADDRESS } from '@keelson/primitives'
import type { OptionValues } from '@keelson/runtime'
import type { createOptions } from './create-options.ts'

export const ROLES = ['admin', 'batcher', 'proposer', 'sequencer'] as const satisfies readonly (keyof NetworkRoles)[]
type RoleName = (typeof ROLES)[number]

type Values = Pick<OptionValues<typeof createOptions>, RoleName | 'makeKeys'>

export function missingRoles(values: Values): readonly RoleName[] {
  return ROLES.filter((role) => values[role] === null)
}

export function roleMistakes(values: Values): string[] {
  const missing = missingRoles(values)
  if (values.makeKeys !== null)
    return missing.length > 0 ? [] : ['--make-keys has no key to make, because every role has an account; leave it out']
  return missing.map((role) => `missing: give --${role} ADDRESS, or --make-keys FOLDER for new keys`)
}

export function rolesOf(values: Values, made: Readonly<Partial<Record<RoleName, Address>>>): NetworkRoles {
  return Object.fromEntries(ROLES.map((role) => [role, values[role] ?? made[role] ?? ZERO_ADDRESS])) as unknown as NetworkRoles
}
