import type { CompiledCode } from './compile-process.ts'
import { openReferences, unlinkedCode } from './match-code.ts'
import { compilerVersionOf } from './metadata-trailer.ts'

/** Says where two codes that do not match begin to differ, for people. */
export function describeMismatch(onChain: Uint8Array, compiled: CompiledCode): string {
  const expected = unlinkedCode(compiled)
  const sizes = `the compiled code (${expected.length} bytes) differs from the code on chain (${onChain.length} bytes)`
  const [here, there] = [compilerVersionOf(expected), compilerVersionOf(onChain)]
  const versions = there !== null && here !== there ? `; the code on chain says it was compiled with ${there}, not with ${here}` : ''
  return `${sizes}${placeOf(onChain, expected, compiled)}${versions}`
}

function placeOf(onChain: Uint8Array, expected: Uint8Array, compiled: CompiledCode): string {
  const found = onChain.slice()
  for (const { start, length } of openReferences(compiled)) {
    found.fill(0, start, start + length)
    expected.fill(0, start, start + length)
  }
  const size = Math.min(found.length, expected.length)
  const first = expected.findIndex((byte, at) => at < size && byte !== found[at])
  if (first >= 0) return ` from byte ${first}`
  if (found.length !== expected.length) return `: one is the beginning of the other, up to byte ${size}`
  return ': one of its immutables or libraries has several values there'
}
