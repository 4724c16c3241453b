/** The secrets that roles share: made before any role starts, because whoever comes first would else look in vain for them. */
import { join } from 'node:path'
import { loadJwtSecret } from '@keelson/runtime'
import type { DevnetPaths } from './roles.ts'
import { makeValidatorKey, validatorDutyFolder } from './validator-duty-folder.ts'

/** Throws RuntimeError for one that cannot be used. */
export async function makeSecrets({ sequencer, validator }: Pick<DevnetPaths, 'sequencer' | 'validator'>): Promise<void> {
  for (const folder of [sequencer, validator]) await loadJwtSecret(join(folder, 'jwt.hex'), { create: true })
  await makeValidatorKey(validatorDutyFolder(validator))
}
