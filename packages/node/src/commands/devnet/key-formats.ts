import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { peerIdOfNodeKey } from '@keelson/consensus'
import type { KeyFormats } from '@keelson/devnet'
import type { Address } from '@keelson/primitives'
import { createSystemClock, loadNodeKey, Secret } from '@keelson/runtime'
import {
  addressOfPublicKey,
  createKeyFolder,
  createPrivateKey,
  encryptContainer,
  openSlashingProtection,
  publicKeyOf,
  writeSecretFile,
} from '@keelson/validator'
import { validatorFolder } from '../validator/validator-folder.ts'

/** The password is public, so slow key derivation is useless. */
const DERIVATION = { function: 'pbkdf2', c: 1_000 } as const
const PASSWORD = 'everybody knows this'

export const DEVNET_KEY_FORMATS: KeyFormats = {
  loadNodeKey,
  peerIdOfNodeKey,
  writeSecretFile,
  encryptKey: (secret, password, description) =>
    encryptContainer({ secret, publicKey: publicKeyOf(secret.reveal()), password, description, derivation: DERIVATION }),
  async makeValidatorKey({ dataDir, password }) {
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
  },
}
