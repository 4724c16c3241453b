import { existsSync, readFileSync } from 'node:fs'
import { createLocalSigner, createRemoteSigner, type RpcClient, type Signer } from '@keelson/client'
import { type ChainConfig, openWallets, parseTradingConfig, type TradingSetup } from '@keelson/platform'
import type { Bytes32 } from '@keelson/primitives'
import { type OptionValues, optionalOption, optionParsers as parse, type Secret } from '@keelson/runtime'
import { isKeyContainer, openContainer, readSecretFile, ValidatorError } from '@keelson/validator'
import { AssemblyError } from '../../errors.ts'
import type { Role } from '../../role/role.ts'

export const platformTradingOptions = {
  tradingConfig: optionalOption({
    key: 'trading.config',
    parse: parse.path,
    description: 'JSON file of wallets that may trade: whose, their keys, what each may do. Without it nothing is executed.',
  }),
} as const

export interface OpenedTrading {
  readonly setup: TradingSetup
  close(): void
}

const FLAG = '--trading.config'
const MAX_KEY_FILE_BYTES = 64 * 1024
const MAX_PASSWORD_BYTES = 4_096
const SIGNING = { timeoutMs: 5_000, retry: { attempts: 2 } }

/** Throws AssemblyError `node/usage`, PlatformError `platform/trading-config`, without any part of a key. */
export async function openTrading(
  { tradingConfig: file }: OptionValues<typeof platformTradingOptions>,
  chains: readonly ChainConfig[],
  { crypto, log, rpc }: Pick<Role, 'crypto' | 'log' | 'rpc'>,
): Promise<OpenedTrading | null> {
  if (file === null) return null
  if (!existsSync(file)) throw new AssemblyError('node/usage', `${FLAG}: there is no file at ${file}`)
  const config = parseTradingConfig(readFileSync(file, 'utf8'), file, chains)
  const services: RpcClient[] = []
  const wallets = await openWallets(config, {
    keystore: async (path, passwordFile): Promise<Signer> => createLocalSigner(await openKey(path, passwordFile), crypto),
    remote(url, address) {
      const service = rpc(url, SIGNING)
      services.push(service)
      return createRemoteSigner(address, service, crypto)
    },
  })
  for (const { ref, signer, chainIds, policy } of wallets)
    log.info('a wallet may trade', { ref, address: signer.address, chains: chainIds.join(','), enabled: policy.enabled })
  return {
    setup: { wallets, stopFile: config.stopFile, limits: config.limits },
    close: () => {
      for (const service of services) service.close()
    },
  }
}

async function openKey(path: string, passwordFile: string): Promise<Secret<Bytes32>> {
  try {
    const text = await readSecretFile(path, MAX_KEY_FILE_BYTES)
    if (!isKeyContainer(text)) throw new AssemblyError('node/usage', `${FLAG}: ${path} is no key file under a password`)
    const [password = ''] = (await readSecretFile(passwordFile, MAX_PASSWORD_BYTES)).split(/\r?\n/, 1)
    return (await openContainer(text, password)) as Secret<Bytes32>
  } catch (error) {
    if (!(error instanceof ValidatorError)) throw error
    throw new AssemblyError('node/usage', `${FLAG}: ${path}: ${error.message}`, {}, { cause: error })
  }
}
