import type { ChainConfig } from '../../market/chain/chain-config.ts'
import type { TradingConfig, WalletConfig } from './trading-config.ts'

export function findMistakes({ wallets }: TradingConfig, chains: readonly ChainConfig[]): readonly string[] {
  return wallets.flatMap((wallet, i) => {
    const key =
      (wallet.keystore === undefined) === (wallet.remoteSigner === undefined) ? [': expected either keystore or remoteSigner'] : []
    const shared = wallets.flatMap((other, j) =>
      j < i && sharesRef(wallet, other) ? [`.ref: ${wallet.ref} means another wallet to the same user already (wallets.${j})`] : [],
    )
    return [...key, ...chainMistakes(wallet, chains), ...shared].map((why) => `wallets.${i}${why}`)
  })
}

function chainMistakes({ chainIds, policy }: WalletConfig, chains: readonly ChainConfig[]): readonly string[] {
  const find = (id: number) => chains.find((chain) => chain.id === id)
  const known = chains.map(({ id }) => id).join(', ') || 'none'
  const found: string[] = []
  const check = (field: string, id: number) => {
    if (find(id) === undefined) found.push(`.${field}: chain ${id} is not configured, expected one of ${known}`)
  }
  for (const [i, id] of chainIds.entries()) {
    check(`chainIds.${i}`, id)
    const chain = find(id)
    if (chain !== undefined && (chain.exchange === null || chain.wrappedNative === null))
      found.push(`.chainIds.${i}: chain ${id} has no exchange or no wrappedNative in its configuration, so nothing can be traded there`)
  }
  for (const [i, id] of policy.chainIds.entries())
    if (!chainIds.includes(id))
      found.push(`.policy.chainIds.${i}: the wallet is not of chain ${id}, expected one of ${chainIds.join(', ')}`)
  for (const list of ['tokens', 'contracts'] as const)
    for (const [i, { chainId }] of policy[list].entries()) check(`policy.${list}.${i}.chainId`, chainId)
  for (const id of policy.chainIds) {
    const router = find(id)?.exchange?.router
    const isAllowed = policy.contracts.some(({ chainId, address }) => chainId === id && address === router)
    if (router !== undefined && !isAllowed && policy.enabled)
      found.push(`.policy.contracts: the router ${router} of chain ${id} is not among them, so nothing could be traded there`)
  }
  if (policy.maxTradeUsd.gt(policy.maxDailyUsd)) found.push('.policy.maxTradeUsd: a trade may not be worth more than a day')
  return found
}

/** A `ref` must select exactly one wallet for each user and chain. */
function sharesRef(wallet: WalletConfig, other: WalletConfig): boolean {
  if (wallet.ref !== other.ref || !wallet.chainIds.some((id) => other.chainIds.includes(id))) return false
  const [users, others] = [wallet.users, other.users]
  return users === '*' || others === '*' || users.some((user) => others.includes(user))
}
