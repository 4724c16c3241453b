import type { Signer } from '@keelson/client'
import type { Address } from '@keelson/primitives'
import { PlatformError } from '../../platform-error.ts'
import type { TradingConfig, WalletConfig } from '../config/trading-config.ts'
import type { WalletPolicy } from '../policy/policy.ts'

export interface KeySources {
  /** Errors reveal nothing about the key. */
  keystore(path: string, passwordFile: string): Promise<Signer>
  remote(url: string, address: Address): Signer
}

export interface OpenedWallet extends Pick<WalletConfig, 'ref' | 'users' | 'chainIds'> {
  readonly signer: Signer
  readonly policy: WalletPolicy
}

export async function openWallets({ wallets }: Pick<TradingConfig, 'wallets'>, keys: KeySources): Promise<readonly OpenedWallet[]> {
  const opened: OpenedWallet[] = []
  // Unlocking a key takes much memory.
  for (const [i, { ref, users, chainIds, keystore, remoteSigner, policy }] of wallets.entries()) {
    const signer = await openSigner(keys, keystore, remoteSigner)
    const twin = opened.findIndex((other) => other.signer.address === signer.address)
    if (twin >= 0) {
      throw new PlatformError(
        'platform/trading-config',
        `wallets.${i}: its key is that of wallets.${twin} (${signer.address}), and a key has one policy: name all users and chains in one wallet`,
        { address: signer.address },
      )
    }
    opened.push({ ref, users, chainIds, signer, policy })
  }
  return opened
}

async function openSigner(keys: KeySources, keystore: WalletConfig['keystore'], remote: WalletConfig['remoteSigner']): Promise<Signer> {
  if (keystore !== undefined) return keys.keystore(keystore.path, keystore.passwordFile)
  if (remote !== undefined) return keys.remote(remote.url, remote.address)
  throw new PlatformError('platform/trading-config', 'expected each wallet to have a keystore or a remoteSigner')
}
