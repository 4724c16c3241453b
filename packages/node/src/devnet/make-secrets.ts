/** The secrets that roles share: made before any role starts, because whoever comes first would else look in vain for them. */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadJwtSecret } from '@keelson/runtime'
import type { DevnetPaths } from './roles.ts'

/** Throws RuntimeError for one that cannot be used. */
export async function makeSecrets({ sequencer, validator }: Pick<DevnetPaths, 'sequencer' | 'validator'>): Promise<void> {
  for (const folder of [sequencer, validator]) {
    const file = join(folder, 'jwt.hex')
    await mkdir(dirname(file), { recursive: true })
    await loadJwtSecret(file, { create: true })
  }
}
