/** A wallet in the browser that signs with keys of the development network. */
import type { Page } from 'playwright-core'
import { createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from '../devnet-process.ts'

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Errors lose their codes between Node.js and the page, so answers are values. */
type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

export interface InjectedWallet {
  readonly address: Hex
  /** Methods in the order in which the page asked. */
  readonly asked: readonly string[]
  /** Makes the wallet answer one method with this value from now on. */
  pretend(method: string, answer: unknown): void
  /** Makes the wallet refuse one method as its owner would. EIP-1193 */
  reject(method: string): void
  honest(): void
  /** The owner chooses another account in the wallet. */
  changeAccount(index: number): Promise<void>
}

const BINDING = 'keelsonWalletRequest'
const REJECTED: Answer = { error: { code: 4001, message: 'User rejected the request.' } }
const PROVIDER = `
  const listeners = {}
  window.ethereum = {
    async request(call) {
      const { result, error } = await window.${BINDING}(call)
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    on: (event, act) => { (listeners[event] ??= new Set()).add(act) },
    removeListener: (event, act) => { listeners[event]?.delete(act) },
    emit: (event) => { for (const act of listeners[event] ?? []) act() },
  }`

/** Call it before the page is opened. The wallet begins on L2, and like others it remembers that it was connected. */
export async function injectWallet(page: Page, { facts }: Pick<DevnetProcess, 'facts'>, accountIndex: number): Promise<InjectedWallet> {
  const accountOf = (index: number) => privateKeyToAccount(facts.accounts[index]?.privateKey as Hex)
  const clientOf = ({ chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string }) => {
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const chain = defineChain({ id: chainId, name: `chain ${chainId}`, nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } })
    return createWalletClient({ chain, transport: http() })
  }
  const clients = new Map([facts.l1, facts.l2].map((facts) => [facts.chainId, clientOf(facts)]))
  const pretended = new Map<string, Answer>()
  const asked: string[] = []
  let account = accountOf(accountIndex)
  let isConnected = false
  let chainId = facts.l2.chainId

  const answer = async ({ method, params = [] }: Call): Promise<unknown> => {
    const [first] = params as readonly Record<string, string>[]
    switch (method) {
      case 'eth_requestAccounts':
        isConnected = true
        return [account.address]
      case 'eth_accounts':
        return isConnected ? [account.address] : []
      case 'eth_chainId':
        return `0x${chainId.toString(16)}`
      case 'wallet_switchEthereumChain':
        chainId = Number(first?.chainId)
        return null
      case 'personal_sign':
        return account.signMessage({ message: { raw: String(first) as Hex } })
      case 'eth_sendTransaction': {
        const { to, data, value } = first as { to: Hex; data: Hex; value: string }
        return clients.get(chainId)?.sendTransaction({ account, to, data, value: BigInt(value) })
      }
      default:
        throw new Error(`the wallet does not know ${method}`)
    }
  }
  await page.exposeFunction(BINDING, async (call: Call): Promise<Answer> => {
    asked.push(call.method)
    return pretended.get(call.method) ?? { result: await answer(call) }
  })
  await page.addInitScript(PROVIDER)
  return {
    address: account.address,
    asked,
    pretend: (method, result) => void pretended.set(method, { result }),
    reject: (method) => void pretended.set(method, REJECTED),
    honest: () => pretended.clear(),
    async changeAccount(index) {
      account = accountOf(index)
      await page.evaluate('window.ethereum.emit("accountsChanged")')
    },
  }
}
