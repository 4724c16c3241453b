/** The validator of the development network: its keys, made with the network, under a password that lies beside them. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressOfPublicKey, createKeyFolder, createPrivateKey, openSlashingProtection, publicKeyOf } from '@keelson/consensus'
import type { Address } from '@keelson/primitives'
import { createSystemClock, Secret } from '@keelson/runtime'
import { validatorFolder } from '../commands/validator/validator-folder.ts'

export interface ValidatorDutyFolder {
  readonly dataDir: string
  /** What this machine notes of keys; of this network alone, since it ends with it. */
  readonly machine: string
  /** File with the password. */
  readonly password: string
}

/** Only for this network: a password that is no secret needs no slow derivation. */
const DERIVATION = { function: 'pbkdf2', c: 1_000 } as const
const PASSWORD = 'everybody knows this'

export function validatorDutyFolder(validator: string): ValidatorDutyFolder {
  const dataDir = join(validator, 'duty')
  return { dataDir, machine: join(dataDir, 'machine'), password: join(dataDir, 'password') }
}

/** Makes the key and the record of what it signs, unless a key is there. */
export async function makeValidatorKey({ dataDir, password }: ValidatorDutyFolder): Promise<void> {
  const folder = validatorFolder(dataDir)
  const keys = createKeyFolder(folder.keys, { derivation: DERIVATION })
  if ((await keys.list()).length > 0) return
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (!existsSync(password)) await writeFile(password, `${PASSWORD}\n`, { mode: 0o600 })
  const secret = new Secret(createPrivateKey())
  const protection = await openSlashingProtection({ directory: folder.protection, create: true, clock: createSystemClock() })
  try {
    await protection.beginKey(addressOfPublicKey(publicKeyOf(secret.reveal())) as Address)
  } finally {
    await protection.close()
  }
  await keys.add(secret, PASSWORD)
}
