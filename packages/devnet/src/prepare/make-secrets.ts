/** Creates shared secrets before any role starts, because some roles only read them. */
import { join } from 'node:path'
import { loadJwtSecret } from '@keelson/runtime'
import type { DevnetPaths } from '../roles/devnet-paths.ts'
import type { KeyFormats } from './key-formats.ts'
import { validatorDutyFolder } from './validator-duty-folder.ts'

export async function makeSecrets(
  { sequencer, validator }: Pick<DevnetPaths, 'sequencer' | 'validator'>,
  formats: Pick<KeyFormats, 'makeValidatorKey'>,
): Promise<void> {
  for (const folder of [sequencer, validator]) await loadJwtSecret(join(folder, 'jwt.hex'), { create: true })
  await formats.makeValidatorKey(validatorDutyFolder(validator))
}
