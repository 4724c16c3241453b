import { type Address, describeWrongChecksum, hasWrongChecksum, isHex, toAddress } from '@keelson/primitives'
import { AssemblyError } from '../../errors.ts'

export function oneArgument(positional: readonly string[], usage: string): string {
  const [word] = positional
  if (word !== undefined && positional.length === 1) return word
  throw new AssemblyError('node/usage', `expected one argument, got ${positional.length}: keelson ${usage}`)
}

export function addressArgument(positional: readonly string[], usage: string): Address {
  const word = oneArgument(positional, usage)
  if (!isHex(word, 20)) throw new AssemblyError('node/usage', `"${word.slice(0, 80)}" is no address (20 bytes of hex): keelson ${usage}`)
  if (hasWrongChecksum(word)) throw new AssemblyError('node/usage', `${describeWrongChecksum(word)}: keelson ${usage}`)
  return toAddress(word)
}
