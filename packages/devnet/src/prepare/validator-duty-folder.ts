import { join } from 'node:path'

export interface ValidatorDutyFolder {
  readonly dataDir: string
  /** Folder for the records that keep a key from running twice on this machine; each devnet has its own. */
  readonly machine: string
  readonly password: string
}

export function validatorDutyFolder(validator: string): ValidatorDutyFolder {
  const dataDir = join(validator, 'duty')
  return { dataDir, machine: join(dataDir, 'machine'), password: join(dataDir, 'password') }
}
