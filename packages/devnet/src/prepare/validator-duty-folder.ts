import { join } from 'node:path'

/** Files of the development network's validator. */
export interface ValidatorDutyFolder {
  readonly dataDir: string
  /** Records which keys are in use; private to this network, because it ends with it. */
  readonly machine: string
  /** File with the password. */
  readonly password: string
}

export function validatorDutyFolder(validator: string): ValidatorDutyFolder {
  const dataDir = join(validator, 'duty')
  return { dataDir, machine: join(dataDir, 'machine'), password: join(dataDir, 'password') }
}
