import { DEFAULT_DEVNET_FOLDER } from '@keelson/devnet'
import { asCalled, type OptionValues } from '@keelson/runtime'
import type { chainOptions } from './transfer-options.ts'

/** The command that proves a withdrawal of the same network. RPC URLs are left out, because they may hold keys. */
export function proveCommand(l2TxHash: string, { network, devnet }: Pick<OptionValues<typeof chainOptions>, 'network' | 'devnet'>): string {
  const command = `${asCalled('bridge prove')} ${l2TxHash} --wait`
  if (network !== null) return `${command} --network ${network}, with the RPC URLs given here`
  return devnet === DEFAULT_DEVNET_FOLDER ? command : `${command} --devnet ${devnet}`
}
