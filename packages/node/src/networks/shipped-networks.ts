/** The networks that come with the program, by name: the folders of config/networks that hold a rollup.json. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { closestName } from '@keelson/runtime'

const ROLLUP_FILE = 'rollup.json'

export function networksFolder(): string {
  return join(findProjectRoot(), 'config', 'networks')
}

/** Sorted. */
export function shippedNetworks(): readonly string[] {
  const folder = networksFolder()
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, ROLLUP_FILE)))
    .map(({ name }) => name)
    .sort()
}

/** Null for a folder that is not one of the shipped networks. */
export function nameOfShipped(folder: string): string | null {
  const networks = networksFolder()
  const path = resolve(folder)
  if (dirname(path) !== networks) return null
  return shippedNetworks().find((name) => join(networks, name) === path) ?? null
}

export type FoundNetwork =
  | { readonly kind: 'folder'; readonly folder: string }
  /** No network has the name; `closest` has similar ones, best first. */
  | { readonly kind: 'unknown'; readonly closest: readonly string[] }

/**
 * The folder that a value of --network stands for. A value with a slash, and the name of a folder that holds a rollup.json, is a
 * folder; every other value is the name of a shipped network. A data folder that is called like a network does not hide it.
 */
export function findNetwork(value: string): FoundNetwork {
  if (value.includes('/') || value.includes('\\') || existsSync(join(value, ROLLUP_FILE))) return { kind: 'folder', folder: value }
  const shipped = shippedNetworks()
  if (shipped.includes(value)) return { kind: 'folder', folder: join(networksFolder(), value) }
  // a folder without the file: reading it says what it lacks
  if (value === '.' || value === '..') return { kind: 'folder', folder: value }
  return { kind: 'unknown', closest: nearest(value, shipped) }
}

/** Names with one of the value's words, such as those of its chain on another L1; else the one with the fewest different letters. */
function nearest(value: string, names: readonly string[]): readonly string[] {
  const closest = closestName(value, names)
  const chain = value.toLowerCase().split(/[-_ ]/)[0] as string
  const related = names.filter((name) => name.split('-')[0] === chain && name !== closest)
  return [...(closest === null ? [] : [closest]), ...related]
}
