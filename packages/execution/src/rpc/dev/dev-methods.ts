import type { RpcMethods } from '@keelson/runtime'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { sendMethods } from './send-transaction.ts'
import { signMethods } from './sign-methods.ts'
import { simulatorMethods } from './simulator-methods.ts'

/** Empty unless this is the sequencer of a development network. */
export function devMethods(deps: RpcDependencies): RpcMethods {
  const { unlocked } = deps
  if (unlocked === undefined) return { eth_accounts: () => [] }
  return { ...signMethods(unlocked, deps.chainId), ...sendMethods(deps, unlocked), ...simulatorMethods(deps) }
}
