import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { closestName } from '@keelson/runtime'

const ROLLUP_FILE = 'rollup.json'

export function networksFolder(): string {
  return join(findProjectRoot(), 'config', 'networks')
}

export function shippedNetworks(): readonly string[] {
  const folder = networksFolder()
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, ROLLUP_FILE)))
    .map(({ name }) => name)
    .sort()
}

export function nameOfShipped(folder: string): string | null {
  const networks = networksFolder()
  const path = resolve(folder)
  if (dirname(path) !== networks) return null
  return shippedNetworks().find((name) => join(networks, name) === path) ?? null
}

export type FoundNetwork =
  | { readonly kind: 'folder'; readonly folder: string }
  /** Similar names, best first. */
  | { readonly kind: 'unknown'; readonly closest: readonly string[] }

/**
 * A value that contains a slash, or names a folder with rollup.json, is a folder. Other folders do not hide a network of the same
 * name.
 */
export function findNetwork(value: string): FoundNetwork {
  if (value.includes('/') || value.includes('\\') || existsSync(join(value, ROLLUP_FILE))) return { kind: 'folder', folder: value }
  const shipped = shippedNetworks()
  if (shipped.includes(value)) return { kind: 'folder', folder: join(networksFolder(), value) }
  if (value === '.' || value === '..') return { kind: 'folder', folder: value }
  return { kind: 'unknown', closest: nearest(value, shipped) }
}

function nearest(value: string, names: readonly string[]): readonly string[] {
  const closest = closestName(value, names)
  const chain = value.toLowerCase().split(/[-_ ]/)[0] as string
  const related = names.filter((name) => name.split('-')[0] === chain && name !== closest)
  return [...(closest === null ? [] : [closest]), ...related]
}
