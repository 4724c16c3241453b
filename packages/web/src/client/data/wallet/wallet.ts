/** A wallet that the browser injects. What it answers is checked like any other input. EIP-1193 */
import { bytesToHex } from '@keelson/primitives'
import type { ConfigDocument } from '../../../shared/config-document.ts'
import { isAddress, isHash, toQuantity } from '../../format/hex.ts'

export interface Wallet {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, act: () => void): void
  removeListener?(event: string, act: () => void): void
}

export interface WalletTransaction {
  readonly from: string
  readonly to: string
  readonly data: string
  readonly valueWei: bigint
}

/** Codes of EIP-1193 and EIP-3085. */
const REJECTED = 4001
const UNKNOWN_CHAIN = 4902
const MAX_WORDS = 200

export function findWallet(): Wallet | null {
  const found = (globalThis as { ethereum?: Partial<Wallet> }).ethereum
  return typeof found?.request === 'function' ? (found as Wallet) : null
}

/** Throws what the wallet throws, and Error without an account. */
export async function walletAddress(wallet: Wallet): Promise<string> {
  const address = firstAddress(await wallet.request({ method: 'eth_requestAccounts' }))
  if (address !== null) return address
  throw new Error('The wallet gave no address.')
}

/** The account that the wallet has already shown to these pages, without asking its owner. */
export async function connectedAddress(wallet: Wallet): Promise<string | null> {
  return firstAddress(await wallet.request({ method: 'eth_accounts' }).catch(() => null))
}

function firstAddress(accounts: unknown): string | null {
  const [first] = Array.isArray(accounts) ? (accounts as unknown[]) : []
  return typeof first === 'string' && isAddress(first) ? first.toLowerCase() : null
}

/** EIP-3085. Throws what the wallet throws. */
export async function addNetwork(wallet: Wallet, { name, l2 }: ConfigDocument): Promise<void> {
  const nativeCurrency = { name: l2.currency, symbol: l2.currency, decimals: 18 }
  const network = { chainId: toQuantity(l2.chainId), chainName: name, nativeCurrency, rpcUrls: [l2.publicRpcUrl] }
  await wallet.request({ method: 'wallet_addEthereumChain', params: [network] })
}

/** Asks the wallet to use a chain, and believes only what it then says. EIP-3326 */
export async function switchChain(wallet: Wallet, chainId: number, config: ConfigDocument): Promise<void> {
  if ((await chainOf(wallet)) === chainId) return
  try {
    await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: toQuantity(chainId) }] })
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error
    const isL2 = chainId === config.l2.chainId
    if (!isL2 || config.l2.publicRpcUrl === null)
      throw new Error(`The wallet does not know ${isL2 ? 'L2' : 'L1'}, chain id ${chainId}. Add it there with the RPC of one of its nodes.`)
    await addNetwork(wallet, config)
  }
  const chosen = await chainOf(wallet)
  if (chosen !== chainId)
    throw new Error(`The wallet is on chain ${chosen ?? 'unknown'}, not on ${chainId}. Choose it there and try again.`)
}

export async function chainOf(wallet: Wallet): Promise<number | null> {
  const answer = await wallet.request({ method: 'eth_chainId' })
  return typeof answer === 'string' && /^0x[0-9a-fA-F]{1,13}$/.test(answer) ? Number(answer) : null
}

/** Returns the transaction's hash. Throws what the wallet throws, and Error for another account or an answer that is no hash. */
export async function sendWithWallet(
  wallet: Wallet,
  { from, to, data, valueWei }: WalletTransaction,
  chainId: number,
  config: ConfigDocument,
): Promise<string> {
  await switchChain(wallet, chainId, config)
  const account = await walletAddress(wallet)
  if (account !== from.toLowerCase())
    throw new Error(`The wallet changed to account ${account}. Choose it on the page, too, and try again.`)
  const value = `0x${valueWei.toString(16)}`
  const hash = await wallet.request({ method: 'eth_sendTransaction', params: [{ from, to, data, value, chainId: toQuantity(chainId) }] })
  if (typeof hash === 'string' && isHash(hash)) return hash.toLowerCase()
  throw new Error('The wallet gave no transaction hash. Look in the wallet whether it sent the transaction before you try again.')
}

/** Signature of 65 bytes as hex. EIP-191. Throws what the wallet throws, and Error for an answer that is none. */
export async function signWithWallet(wallet: Wallet, address: string, message: string): Promise<string> {
  const text = bytesToHex(new TextEncoder().encode(message))
  const signature = await wallet.request({ method: 'personal_sign', params: [text, address] })
  if (typeof signature === 'string' && /^0x[0-9a-fA-F]{130}$/.test(signature)) return signature
  throw new Error('The wallet gave no signature.')
}

/** For people: one short line, whatever the wallet threw. */
export function walletWords(error: unknown): string {
  if (codeOf(error) === REJECTED) return 'Rejected in the wallet; nothing was sent.'
  const message = textOf(error, 'message') ?? (typeof error === 'string' ? error : '')
  const line = message.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  if (line === '') return 'The wallet refused and gave no reason.'
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS)}…`
}

/** Some wallets wrap the error of the page they ask. */
function codeOf(error: unknown): number | null {
  for (const one of [error, fieldOf(error, 'cause'), fieldOf(fieldOf(error, 'data'), 'originalError')]) {
    const code = fieldOf(one, 'code')
    if (code === REJECTED || code === UNKNOWN_CHAIN) return code
  }
  return null
}

function textOf(error: unknown, name: string): string | null {
  const value = fieldOf(error, name)
  return typeof value === 'string' ? value : null
}

function fieldOf(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  } catch {
    return undefined
  }
}
