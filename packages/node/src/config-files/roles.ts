import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'

const SUFFIX = '.json'

export function rolesFolder(root: string): string {
  return join(root, 'config', 'roles')
}

/** Names of the presets. */
export function listRoles(root: string = findProjectRoot()): readonly string[] {
  return readdirSync(rolesFolder(root))
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort()
}
