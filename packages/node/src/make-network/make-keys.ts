import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import type { NetworkRoles } from '@keelson/devnet/genesis'
import { type Address, bytesToHex, toAddress } from '@keelson/primitives'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { AssemblyError } from '../errors.ts'
import { assertNewFolder } from './write-network.ts'

type RoleName = keyof NetworkRoles

export function keyFile(folder: string, role: RoleName): string {
  return join(folder, `${role}.hex`)
}

/** Throws AssemblyError `node/usage` if the folder exists or lies in the network's folder, which others receive. */
export function assertKeyFolder(folder: string, networkFolder: string): void {
  const inside = relative(networkFolder, folder)
  if (inside === '' || (!inside.startsWith('..') && !isAbsolute(inside)))
    throw new AssemblyError(
      'node/usage',
      `--make-keys ${folder} is inside the network's folder, which is shared with others; name a folder elsewhere`,
    )
  assertNewFolder(folder, '--make-keys')
}

export interface NewKeys<R extends RoleName> {
  readonly addresses: Readonly<Record<R, Address>>
  /** Until this call, keys exist only in memory. */
  write(folder: string): void
}

export function makeKeys<R extends RoleName>(roles: readonly R[]): NewKeys<R> {
  const crypto = createNativeCrypto()
  const made = roles.map((role) => {
    const key = new Uint8Array(randomBytes(32))
    return { role, key, address: toAddress(crypto.addressOf(key)) }
  })
  return {
    addresses: Object.fromEntries(made.map(({ role, address }) => [role, address])) as Readonly<Record<R, Address>>,
    write(folder) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      for (const { role, key } of made) writeFileSync(keyFile(folder, role), `${bytesToHex(key)}\n`, { mode: 0o600, flag: 'wx' })
    },
  }
}
