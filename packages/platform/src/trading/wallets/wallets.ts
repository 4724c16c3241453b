import type { Address } from '@keelson/primitives'
import type { UserStore } from '../../auth/user-store.ts'
import type { PolicySource, WalletPolicy } from '../policy/policy.ts'
import type { TradingWallet } from '../ports.ts'
import type { OpenedWallet } from './open-wallets.ts'

export interface WalletName {
  readonly walletRef: string
  readonly address: Address
  readonly chainId: number
  readonly shared: boolean
}

export type Wallets = ReturnType<typeof createWallets>

export function createWallets(wallets: readonly OpenedWallet[], userStore: Pick<UserStore, 'findEmail'>) {
  const isOf = async ({ users: owners }: OpenedWallet, userId: number | null): Promise<boolean> => {
    if (owners === '*') return true
    if (userId === null) return false
    if (owners.includes(userId)) return true
    const email = owners.some((owner) => typeof owner === 'string') ? await userStore.findEmail(userId) : null
    return email !== null && owners.includes(email)
  }
  return {
    async wallet(userId: number, walletRef: string, chainId: number): Promise<TradingWallet | null> {
      for (const wallet of wallets) {
        if (wallet.ref !== walletRef || !wallet.chainIds.includes(chainId) || !(await isOf(wallet, userId))) continue
        return { address: wallet.signer.address, signer: wallet.signer }
      }
      return null
    },
    /** One entry per name and chain. Without a user those that all users share. */
    async list(userId: number | null): Promise<readonly (WalletName & { readonly policy: WalletPolicy })[]> {
      const listed: (WalletName & { readonly policy: WalletPolicy })[] = []
      for (const wallet of wallets) {
        if (!(await isOf(wallet, userId))) continue
        const { ref: walletRef, users, signer, chainIds, policy } = wallet
        for (const chainId of chainIds) {
          if (!listed.some((other) => other.walletRef === walletRef && other.chainId === chainId))
            listed.push({ walletRef, address: signer.address, chainId, shared: users === '*', policy })
        }
      }
      return listed
    },
  }
}

export function createPolicySource(wallets: readonly OpenedWallet[], stopped: PolicySource['stopped']): PolicySource {
  const policies = new Map(wallets.map(({ signer, policy }) => [signer.address, policy]))
  return { policy: async (wallet) => policies.get(wallet) ?? null, stopped }
}
