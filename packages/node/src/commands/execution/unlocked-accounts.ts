import type { RollupConfig } from '@keelson/chainspec'
import { readAccountsFile } from '@keelson/devnet'
import { DEFAULT_DEVNET_PARAMETERS, DEV_ROLES } from '@keelson/devnet/genesis'
import type { UnlockedAccounts } from '@keelson/execution'
import { type Crypto, hexToBytes } from '@keelson/primitives'
import { isLoopbackHost } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import type { ExecutionValues } from './options.ts'

/**
 * Null unless --dev.accounts is given. Throws AssemblyError `node/usage` unless the chain is a development network, whose batcher and
 * sequencer have published keys, and the RPC listens on loopback only.
 */
export function openUnlockedAccounts(
  { devAccounts, httpHost, network }: Pick<ExecutionValues, 'devAccounts' | 'httpHost' | 'network'>,
  rollup: RollupConfig,
  crypto: Crypto,
): UnlockedAccounts | null {
  if (!devAccounts) return null
  const refuse = (what: string) => new AssemblyError('node/usage', `--dev.accounts: ${what}; leave the option out`)
  if (!isLoopbackHost(httpHost)) throw refuse(`anybody who reaches ${httpHost} could sign; expected --http.host 127.0.0.1`)
  const { l1ChainId, genesis } = rollup
  if (l1ChainId !== DEFAULT_DEVNET_PARAMETERS.l1ChainId || genesis.systemConfig.batcherAddress !== DEV_ROLES.batcher.address)
    throw refuse(
      `${network} is not a network of keelson devnet: its L1 is chain ${l1ChainId} and its batcher ${genesis.systemConfig.batcherAddress}`,
    )
  const { accounts } = readAccountsFile(network)
  const keys = new Map(accounts.map(({ address, privateKey }) => [address, hexToBytes(privateKey)]))
  return {
    addresses: [...keys.keys()],
    sign(account, digest) {
      const key = keys.get(account)
      return key === undefined ? null : crypto.sign(digest, key)
    },
  }
}
