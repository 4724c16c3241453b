import { join } from 'node:path'

export interface ValidatorDutyFolder {
  readonly dataDir: string
  /** Record of keys in use, for this network only. */
  readonly machine: string
  readonly password: string
}

export function validatorDutyFolder(validator: string): ValidatorDutyFolder {
  const dataDir = join(validator, 'duty')
  return { dataDir, machine: join(dataDir, 'machine'), password: join(dataDir, 'password') }
}
