/** A wallet that the browser injects. EIP-1193 */
import type { ConfigDocument } from '../../../shared/config-document.ts'
import { isAddress, toQuantity } from '../../format/hex.ts'

export interface Wallet {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

export function findWallet(): Wallet | null {
  return (globalThis as { ethereum?: Wallet }).ethereum ?? null
}

/** Throws what the wallet throws, and Error without an account. */
export async function walletAddress(wallet: Wallet): Promise<string> {
  const accounts = await wallet.request({ method: 'eth_requestAccounts' })
  const [first] = Array.isArray(accounts) ? (accounts as unknown[]) : []
  if (typeof first === 'string' && isAddress(first)) return first
  throw new Error('The wallet gave no address.')
}

/** EIP-3085. Throws what the wallet throws. */
export async function addNetwork(wallet: Wallet, { name, l2 }: ConfigDocument): Promise<void> {
  const nativeCurrency = { name: l2.currency, symbol: l2.currency, decimals: 18 }
  const network = { chainId: toQuantity(l2.chainId), chainName: name, nativeCurrency, rpcUrls: [l2.publicRpcUrl] }
  await wallet.request({ method: 'wallet_addEthereumChain', params: [network] })
}
