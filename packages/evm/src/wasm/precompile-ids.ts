import { bigintToBytes } from '@keelson/primitives'
import { bytesKey } from '../journal/byte-key.ts'
import type { PrecompileChanges } from '../ports.ts'
import type { Precompile } from '../precompiles/precompile.ts'
import type { PrecompileIds } from './call-host.ts'

const ADDRESS_BYTES = 20

export function numberPrecompiles(precompiles: ReadonlyMap<number, Precompile>): PrecompileIds {
  const ids = new Map<string, number>()
  for (const address of precompiles.keys()) ids.set(bytesKey(bigintToBytes(BigInt(address), ADDRESS_BYTES)), address)
  return { ids, precompiles }
}

export function movePrecompiles(before: PrecompileIds, changes: PrecompileChanges | undefined): PrecompileIds {
  if (changes === undefined || changes.removed.length + changes.moved.length === 0) return before
  const ids = new Map(before.ids)
  for (const address of changes.removed) ids.delete(bytesKey(address))
  for (const { from, to } of changes.moved) {
    const id = before.ids.get(bytesKey(from))
    if (id !== undefined) ids.set(bytesKey(to), id)
  }
  return { ids, precompiles: before.precompiles }
}

const keys = new WeakMap<PrecompileIds, ReadonlySet<string>>()

export function precompileKeys(precompiles: PrecompileIds): ReadonlySet<string> {
  let known = keys.get(precompiles)
  if (known === undefined) {
    known = new Set(precompiles.ids.keys())
    keys.set(precompiles, known)
  }
  return known
}
