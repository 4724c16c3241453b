import { type RpcClient, RpcResponseError } from '@keelson/client'
import {
  type Address,
  bytesToHex,
  describeWrongChecksum,
  formatQuantity,
  hasWrongChecksum,
  isHex,
  parseQuantity,
  toAddress,
} from '@keelson/primitives'
import type { CodeLookup } from './code-lookup.ts'

export type Refused = { readonly ok: false; readonly reason: 'address' | 'recipient'; readonly text: string }
export type Recipient = { readonly ok: true; readonly address: Address } | Refused

/** Nobody has the key of an address below this. */
const NOBODY_BELOW = 0x10000n

export function parseRecipient(text: string, own: Address): Recipient {
  const refuse = (reason: Refused['reason'], why: string): Refused => ({ ok: false, reason, text: why })
  if (!isHex(text, 20)) return refuse('address', `expected an address: 0x and 40 hex digits, got "${text.slice(0, 60)}"`)
  const address = toAddress(text)
  if (hasWrongChecksum(text)) return refuse('address', describeWrongChecksum(text))
  if (BigInt(address) === 0n) return refuse('recipient', 'this is the zero address: tokens sent there are lost')
  if (BigInt(address) < NOBODY_BELOW) return refuse('recipient', `${address} is reserved by the chain: tokens sent there are lost`)
  if (address === own) return refuse('recipient', 'this is the address of the faucet itself: give your own')
  return { ok: true, address }
}

export const PLAIN_GAS = 21_000n
/** Bounds the loss to code that burns all gas. */
const MAX_RECIPIENT_GAS = 100_000n
const DELEGATION_PREFIX = '0xef0100'
const DELEGATION_BYTES = 23

export type Payable = { readonly ok: true; readonly gasLimit: bigint } | Refused

/** Rejects contracts except delegated accounts (EIP-7702). */
export async function checkPayable(
  rpc: RpcClient,
  codeOf: CodeLookup,
  payment: { readonly from: Address; readonly to: Address; readonly amountWei: bigint },
): Promise<Payable> {
  const { from, to, amountWei } = payment
  const code = await codeOf(to)
  if (code.length === 0) return { ok: true, gasLimit: PLAIN_GAS }
  if (code.length !== DELEGATION_BYTES || bytesToHex(code.subarray(0, 3)) !== DELEGATION_PREFIX) {
    return { ok: false, reason: 'recipient', text: `${to} is a contract: the faucet pays accounts with a key only` }
  }
  const call = { from, to, value: formatQuantity(amountWei), gas: formatQuantity(MAX_RECIPIENT_GAS) }
  try {
    const gas = parseQuantity(await rpc.call('eth_estimateGas', [call], { retry: false }), 'gas')
    return { ok: true, gasLimit: gas * 2n < MAX_RECIPIENT_GAS ? gas * 2n : MAX_RECIPIENT_GAS }
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error.severity === 'temporary') throw error
    return {
      ok: false,
      reason: 'recipient',
      text: `the code that ${to} delegates to does not accept the payment within ${MAX_RECIPIENT_GAS} gas`,
    }
  }
}
