/** A wallet in the browser that signs with a key of the development network. */
import type { Page } from 'playwright-core'
import { createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from '../devnet-process.ts'

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

export interface InjectedWallet {
  readonly address: Hex
  /** Methods in the order in which the page asked. */
  readonly asked: readonly string[]
  /** Makes the wallet answer one method with this value from now on. */
  pretend(method: string, answer: unknown): void
  honest(): void
}

const BINDING = 'keelsonWalletRequest'

/** Call it before the page is opened. The wallet begins on L2. */
export async function injectWallet(page: Page, { facts }: DevnetProcess, accountIndex: number): Promise<InjectedWallet> {
  const account = privateKeyToAccount(facts.accounts[accountIndex]?.privateKey as Hex)
  const clientOf = ({ chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string }) => {
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const chain = defineChain({ id: chainId, name: `chain ${chainId}`, nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } })
    return createWalletClient({ chain, transport: http(), account })
  }
  const clients = new Map([facts.l1, facts.l2].map((facts) => [facts.chainId, clientOf(facts)]))
  const pretended = new Map<string, unknown>()
  const asked: string[] = []
  let chainId = facts.l2.chainId
  await page.exposeFunction(BINDING, async ({ method, params = [] }: Call): Promise<unknown> => {
    asked.push(method)
    if (pretended.has(method)) return pretended.get(method)
    const [first] = params as readonly Record<string, string>[]
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`
    if (method === 'wallet_switchEthereumChain') {
      chainId = Number(first?.chainId)
      return null
    }
    if (method !== 'eth_sendTransaction') throw new Error(`the wallet does not know ${method}`)
    const { to, data, value } = first as { to: Hex; data: Hex; value: string }
    return clients.get(chainId)?.sendTransaction({ to, data, value: BigInt(value) })
  })
  await page.addInitScript(`window.ethereum = { request: (call) => window.${BINDING}(call) }`)
  return {
    address: account.address,
    asked,
    pretend: (method, answer) => void pretended.set(method, answer),
    honest: () => pretended.clear(),
  }
}
