import { asCalled } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import { parseNetwork } from './network-option.ts'

/** Returns the folder of the one network that `command` takes as its argument. Throws AssemblyError `node/usage`. */
export function networkArgument(command: string, [value, ...more]: readonly string[]): string {
  const usage = `${asCalled(command)} NETWORK, a name of ${asCalled('network list')} or a folder`
  if (value === undefined || more.length > 0) throw new AssemblyError('node/usage', `expected one network: ${usage}`)
  try {
    return parseNetwork(value)
  } catch (cause) {
    throw new AssemblyError('node/usage', (cause as Error).message, {}, { cause })
  }
}
