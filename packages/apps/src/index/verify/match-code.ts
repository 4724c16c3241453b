import { bytesToHex, equalBytes, type Hex, hexToBytes } from '@keelson/primitives'
import type { CompiledCode, Reference } from './compile-process.ts'
import { findMetadataHash } from './metadata-trailer.ts'

/** `exact`: also the hash of the metadata, and so of every source, is equal. */
export type MatchKind = 'exact' | 'partial'

export interface CodeMatch {
  readonly kind: MatchKind
  /** Addresses of libraries by file and name, as in the code on chain. */
  readonly libraries: Readonly<Record<string, Hex>>
}

const PLACEHOLDER = /__\$[0-9a-f]{34}\$__/g
const ADDRESS_BYTES = 20
/** `PUSH20 0 ADDRESS EQ`: a library compares its address, which its constructor writes, with that of the call. */
const LIBRARY_GUARD = hexToBytes(`0x73${'00'.repeat(ADDRESS_BYTES)}3014`)
/**
 * Null when the code differs in more than immutables, libraries and the hash of the metadata at its end. `hasMetadataHash` says whether
 * the settings make the compiler append one; otherwise the author chooses the last bytes.
 */
export function matchCode(onChain: Uint8Array, compiled: CompiledCode, hasMetadataHash: boolean): CodeMatch | null {
  const expected = unlinkedCode(compiled)
  if (expected.length !== onChain.length || expected.length === 0) return null
  const found = onChain.slice()
  const libraries: Record<string, Hex> = {}
  for (const [file, names] of Object.entries(compiled.linkReferences)) {
    for (const [name, references] of Object.entries(names)) {
      const value = takeMasked(found, expected, references)
      if (value === null) return null
      libraries[`${file}:${name}`] = bytesToHex(value)
    }
  }
  for (const references of Object.values(compiled.immutableReferences ?? {})) {
    if (takeMasked(found, expected, references) === null) return null
  }
  if (startsWith(expected, LIBRARY_GUARD)) takeMasked(found, expected, [{ start: 1, length: ADDRESS_BYTES }])
  const hash = hasMetadataHash ? findMetadataHash(expected) : null
  if (equalBytes(found, expected)) return { kind: hash === null ? 'partial' : 'exact', libraries }
  if (hash === null) return null
  takeMasked(found, expected, [hash])
  return equalBytes(found, expected) ? { kind: 'partial', libraries } : null
}

/** Libraries that are not linked have the address zero. */
export function unlinkedCode({ object }: CompiledCode): Uint8Array {
  return hexToBytes(`0x${object.replace(PLACEHOLDER, '00'.repeat(ADDRESS_BYTES))}`)
}

/** Places whose value the deployment decides. */
export function openReferences({ linkReferences, immutableReferences }: CompiledCode): readonly Reference[] {
  const links = Object.values(linkReferences).flatMap((names) => Object.values(names))
  return [...links, ...Object.values(immutableReferences ?? {})].flat()
}

/** Clears the places in both codes. Null when the code on chain has different values there, or a place is outside. */
function takeMasked(found: Uint8Array, expected: Uint8Array, references: readonly Reference[]): Uint8Array | null {
  let value: Uint8Array | undefined
  for (const { start, length } of references) {
    if (start < 0 || start + length > found.length) return null
    const here = found.slice(start, start + length)
    if (value !== undefined && !equalBytes(value, here)) return null
    value = here
    found.fill(0, start, start + length)
    expected.fill(0, start, start + length)
  }
  return value ?? new Uint8Array(0)
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && equalBytes(bytes.subarray(0, prefix.length), prefix)
}
