import { createSystemClock } from '@keelson/runtime'
import { openSlashingProtection, type SlashingProtection } from '@keelson/validator'
import { validatorFolder } from '../validator-folder.ts'

/**
 * Throws ValidatorError `consensus/protection-missing` unless `create`, and `consensus/validator-key-in-use` while a validator
 * runs.
 */
export async function withProtection<T>(
  dataDir: string,
  create: boolean,
  work: (protection: SlashingProtection) => Promise<T>,
): Promise<T> {
  const protection = await openSlashingProtection({ directory: validatorFolder(dataDir).protection, create, clock: createSystemClock() })
  try {
    return await work(protection)
  } finally {
    await protection.close()
  }
}
