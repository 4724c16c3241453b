/** Finds wallets by name for their users. A wallet of another user does not exist for the caller. */
import type { UserStore } from '../../auth/user-store.ts'
import type { WalletDirectory, WalletName } from '../../tools/ports.ts'
import type { PolicySource } from '../policy/policy.ts'
import type { WalletLookup } from '../ports.ts'
import type { OpenedWallet } from './open-wallets.ts'
import type { StopSwitch } from './stop-switch.ts'

export function createWallets(wallets: readonly OpenedWallet[], userStore: Pick<UserStore, 'findEmail'>): WalletLookup & WalletDirectory {
  const isOf = async ({ users: owners }: OpenedWallet, userId: number): Promise<boolean> => {
    if (owners === '*' || owners.includes(userId)) return true
    const email = owners.some((owner) => typeof owner === 'string') ? await userStore.findEmail(userId) : null
    return email !== null && owners.includes(email)
  }
  return {
    async wallet(userId, walletRef, chainId) {
      for (const wallet of wallets) {
        if (wallet.ref !== walletRef || !wallet.chainIds.includes(chainId) || !(await isOf(wallet, userId))) continue
        return { address: wallet.signer.address, signer: wallet.signer }
      }
      return null
    },
    async list(userId) {
      const listed: WalletName[] = []
      for (const wallet of wallets) {
        if (!(await isOf(wallet, userId))) continue
        const { ref: walletRef, users, signer, chainIds } = wallet
        for (const chainId of chainIds) {
          // The first of two wallets with the same name counts.
          if (!listed.some((other) => other.walletRef === walletRef && other.chainId === chainId))
            listed.push({ walletRef, address: signer.address, chainId, shared: users === '*' })
        }
      }
      return listed
    },
  }
}

export function createPolicySource(wallets: readonly OpenedWallet[], stopSwitch: StopSwitch): PolicySource {
  const policies = new Map(wallets.map(({ signer, policy }) => [signer.address, policy]))
  return {
    policy: async (wallet) => policies.get(wallet) ?? null,
    stopped: () => stopSwitch.reason(),
  }
}
